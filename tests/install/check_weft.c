// SPDX-License-Identifier: Apache-2.0
/*
 * check_weft.c - a user's program on libweft: C and C++ at once, built outside the tree
 * against the installed libraries.
 *
 * in     nothing
 * out    exit status 0 if a kernel doubles some numbers
 */
#include <stdio.h>
#include <string.h>

#include <weft/context.h>

/* Names that Weft uses inside. */
void arena_init(void);
void device_create(void);
void arena_init(void) {}
void device_create(void) {}

static const char text[] =
    "@group(0) @binding(0) var<storage, read_write> x : array<f32>;\n"
    "@compute @workgroup_size(4)\n"
    "fn main(@builtin(global_invocation_id) id : vec3u) { x[id.x] *= 2.0; }\n";

int main(void)
{
    float x[4] = {1, 2, 3, 4};
    weft_context *ctx = weft_context_create(NULL);
    weft_buffer_desc buffer_desc;
    weft_pipeline_desc pipeline_desc;
    weft_binding binding;
    weft_dispatch dispatch;
    memset(&buffer_desc, 0, sizeof buffer_desc);
    memset(&pipeline_desc, 0, sizeof pipeline_desc);
    memset(&binding, 0, sizeof binding);
    memset(&dispatch, 0, sizeof dispatch);
    buffer_desc.data = x;
    buffer_desc.data_size = sizeof x;
    pipeline_desc.wgsl = text;
    dispatch.pipeline = weft_pipeline_create(ctx, &pipeline_desc);
    dispatch.bindings = &binding;
    dispatch.binding_count = 1;
    binding.buffer = weft_buffer_create(ctx, &buffer_desc);
    weft_context_dispatch(ctx, &dispatch);
    weft_buffer_read(x, binding.buffer, 0, sizeof x);
    if (weft_context_error(ctx)->kind)
        puts(weft_context_error(ctx)->message);
    weft_buffer_release(binding.buffer);
    weft_pipeline_release(dispatch.pipeline);
    weft_context_release(ctx);
    return x[3] == 8 ? 0 : 1;
}
