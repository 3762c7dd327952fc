// SPDX-License-Identifier: Apache-2.0
/*
 * scan.c - running sums and products along an axis.
 *
 * in     a tensor and an axis
 * out    pending tensors; kernels/scan.wgsl (one invocation a line), kernels/scan_row.wgsl (one
 *        workgroup a line, for few long lines)
 */
#include "tensor/tensor_priv.h"

#define LONG_LINE 1024u             /* elements ...                                         */
#define FEW_LINES 512u              /* ... and lines for which a workgroup works on each    */
#define GROUP_CAP 32768u

/* attr.i: axis, product, exclusive, reverse */
/* Where line number `line` starts: the axes without the scanned one, last fastest. */
static const char *line_start(LibraryPlan *p, const int64_t *strides, int64_t offset)
{
    Text        text = {.arena = p->arena};
    uint32_t    axis = (uint32_t)p->node->attr.i[0];
    uint64_t    inner = 1;
    text_printf(&text, "%uu", (uint32_t)offset);
    for (uint32_t d = p->node->rank; d-- > 0;) {
        uint64_t n = p->node->shape[d];
        if (d == axis || n == 1)
            continue;
        text_printf(&text, " + line / %lluu %% %lluu * %uu", (unsigned long long)inner,
                    (unsigned long long)n, (uint32_t)strides[d]);
        inner *= n;
    }
    return text.data;
}

static bool scan_plan(LibraryPlan *p)
{
    const weft_tensor *t = p->node;
    uint32_t axis = (uint32_t)t->attr.i[0];
    uint64_t n = t->shape[axis], lines = t->count / n;
    bool     reverse = t->attr.i[3] != 0, row = n >= LONG_LINE && lines <= FEW_LINES;
    int64_t  in_step = p->in[0].strides[axis], out_step = t->strides[axis];
    int64_t  in_first = p->in[0].offset + (reverse ? in_step * ((int64_t)n - 1) : 0);
    int64_t  out_first = reverse ? out_step * ((int64_t)n - 1) : 0;
    uint64_t groups = row ? lines : (lines + 63) / 64;
    return library_kernel(p, &(LibraryKernel){
        .name = row ? "scan_row" : "scan",
        .numbers = {{"N", n}, {"LINES", lines},
                    {"X_STEP", reverse ? -in_step : in_step},
                    {"Y_STEP", reverse ? -out_step : out_step},
                    {"ROW", row ? GROUP_CAP : GROUP_CAP * 64}},
        .params = {"X_START", line_start(p, p->in[0].strides, in_first),
                   "Y_START", line_start(p, t->strides, out_first),
                   "OP", t->attr.i[1] ? "*" : "+", "FIRST", t->attr.i[1] ? "1" : "0",
                   "EXCLUSIVE", t->attr.i[2] ? "true" : "false",
                   },
        .bindings = {{"x", USE_INPUT, 0, NULL}, {"y", USE_OUTPUT, 0, NULL}},
        .groups = {(uint32_t)MIN_OF(groups, (uint64_t)GROUP_CAP),
                   (uint32_t)((groups + GROUP_CAP - 1) / GROUP_CAP), 1},
        .finish = true });
}

/* One flat coordinate: an epilogue is rare here, and most read the same positions. */
static uint32_t scan_hook(const weft_tensor *t, uint64_t size[3])
{
    size[0] = t->count;
    return 1;
}

static const TensorOp op_cumsum = {.name = "cumsum", .kind = OP_LIBRARY, .plan = scan_plan,
                                   .hook = scan_hook};
static const TensorOp op_cumprod = {.name = "cumprod", .kind = OP_LIBRARY, .plan = scan_plan,
                                    .hook = scan_hook};

static weft_tensor *scan_node(weft_tensor *x, int axis, const weft_scan *scan, bool product)
{
    const TensorOp *op = product ? &op_cumprod : &op_cumsum;
    weft_scan how = scan ? *scan : (weft_scan){false, false};
    uint32_t  k;
    if (!TENSOR_ARGS(op->name, x) || !tensor_axis(&k, x, axis, op->name))
        return NULL;
    if (dtype_is_block((weft_dtype)x->dtype)) {
        context_fail(x->ctx, WEFT_ERROR_TYPE, "%s: %s must be dequantized first", op->name,
                     tensor_text(x));
        return NULL;
    }
    weft_dtype d = x->dtype == WEFT_BOOL ? WEFT_I32 : (weft_dtype)x->dtype;
    Compute    c = dtype_compute(d);
    weft_dtype direct = c == COMPUTE_F32 ? WEFT_F32 : c == COMPUTE_F64 ? WEFT_F64
                        : c == COMPUTE_I32 ? WEFT_I32 : WEFT_U32;
    weft_tensor *in = x->dtype == WEFT_BOOL ? weft_tensor_cast(x, WEFT_I32)
                                            : weft_tensor_retain(x);
    weft_tensor *t = !in ? NULL : tensor_node(x->ctx, &(NodeDesc){
        .op = op, .dtype = direct, .rank = x->rank, .shape = x->shape, .inputs = &in,
        .input_count = 1, .attr.i = {k, product, how.exclusive, how.reverse} });
    weft_tensor *out = t ? tensor_as(t, d) : NULL;
    weft_tensor_release(t);
    weft_tensor_release(in);
    return out;
}

weft_tensor *weft_tensor_cumsum(weft_tensor *x, int axis, const weft_scan *scan)
{
    return scan_node(x, axis, scan, false);
}

weft_tensor *weft_tensor_cumprod(weft_tensor *x, int axis, const weft_scan *scan)
{
    return scan_node(x, axis, scan, true);
}
