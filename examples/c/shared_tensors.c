// SPDX-License-Identifier: Apache-2.0
/*
 * shared_tensors.c - two models share a tensor on the device, one runs a kernel of its own on
 * it, and all of it stays within a memory budget.
 *
 * in     an image of 64 x 64 numbers
 * out    what an encoder makes of it, read by a classifier that was granted access
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/tensor.h>

#define MIB (1024 * 1024)

static const char threshold[] =
    "override level : f32 = 0.5;\n"
    "@group(0) @binding(0) var<storage, read> features : array<f32>;\n"
    "@group(0) @binding(1) var<storage, read_write> marks : array<f32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "  if id.x < arrayLength(&marks) {\n"
    "    marks[id.x] = select(0.0, 1.0, features[id.x] > level);\n"
    "  }\n"
    "}\n";

static weft_tensor *image(weft_context *ctx)
{
    float pixels[64 * 64];
    for (int i = 0; i < 64 * 64; i++)
        pixels[i] = (float)(i % 97) / 97.0f;
    weft_tensor_desc d;
    memset(&d, 0, sizeof d);
    d.rank = 2;
    d.shape[0] = d.shape[1] = 64;
    d.data = pixels;
    return weft_tensor_create(ctx, &d);
}

/* The encoder: lazy operations, which become one kernel; its result is shared by name. */
static bool encode(weft_context *ctx)
{
    weft_tensor_scope_begin(ctx);
    weft_tensor *x = image(ctx);
    weft_tensor *y = weft_tensor_sigmoid(weft_tensor_mul_scalar(x, 4));
    weft_tensor *centred = weft_tensor_add_scalar(y, -0.25);
    bool ok = weft_share_put(ctx, "encoder", "features", centred)
              && weft_share_grant(ctx, "encoder", "features", "classifier");
    weft_tensor_scope_end(ctx, NULL, 0);
    return ok;
}

/* The classifier: the same memory, no copy, and a kernel in WGSL. */
static bool classify(weft_context *ctx, double *share)
{
    weft_tensor_slot in, out;
    memset(&in, 0, sizeof in);
    memset(&out, 0, sizeof out);
    in.name = "features";
    out.name = "marks";
    weft_tensor_kernel_desc d;
    memset(&d, 0, sizeof d);
    d.name = "threshold";
    d.wgsl = threshold;
    d.inputs = &in;
    d.outputs = &out;
    d.input_count = d.output_count = 1;
    weft_tensor_kernel *kernel = weft_tensor_kernel_create(ctx, &d);
    weft_tensor *features = weft_share_get(ctx, "encoder", "features", "classifier");
    weft_tensor *marks = NULL, *mean = NULL;
    bool ok = weft_tensor_kernel_run(&marks, kernel, &features, NULL);
    mean = ok ? weft_tensor_mean(marks, NULL) : NULL;
    ok = ok && weft_tensor_item(share, mean);
    weft_tensor_release(mean);
    weft_tensor_release(marks);
    weft_tensor_release(features);
    weft_tensor_kernel_release(kernel);
    return ok;
}

/* 12 MiB of tensors with 4 MiB on the device: those not in use wait on the host. */
static bool stay_within(weft_context *ctx)
{
    uint64_t size = MIB / 4;
    weft_tensor *list[12];
    bool ok = true;
    for (int i = 0; i < 12; i++) {
        list[i] = weft_tensor_full(ctx, WEFT_F32, 1, &size, i);
        ok = ok && weft_tensor_eval(&list[i], 1);
    }
    for (int i = 0; i < 12 && ok; i++) {
        weft_tensor *sum = weft_tensor_mean(list[i], NULL);
        double value = -1;
        ok = weft_tensor_item(&value, sum) && value == i;
        weft_tensor_release(sum);
    }
    for (int i = 0; i < 12; i++)
        weft_tensor_release(list[i]);
    return ok;
}

int main(void)
{
    weft_context_desc d;
    memset(&d, 0, sizeof d);
    d.memory_budget = 4 * MIB;
    weft_context *ctx = weft_context_create(&d);
    double share = 0;
    bool ok = encode(ctx) && classify(ctx, &share) && stay_within(ctx);
    if (ok) {
        weft_memory m;
        weft_context_memory(&m, ctx);
        printf("%.1f %% of the features are marked\n", 100 * share);
        printf("%llu bytes are shared by the encoder and the classifier\n",
               (unsigned long long)weft_share_bytes(ctx, "classifier"));
        printf("the peak stayed within the budget: %s\n", m.peak <= m.budget ? "yes" : "no");
        ok = m.peak <= m.budget;
    } else {
        printf("%s\n", weft_context_error(ctx)->message);
    }
    weft_context_release(ctx);
    return ok ? 0 : 1;
}
