// SPDX-License-Identifier: Apache-2.0
/*
 * conv.c - convolutions of pictures and of sequences.
 *
 * in     x[N, C, H, W], weight[O, C / groups, KH, KW]
 * out    pending tensors; plans of kernels/conv*.wgsl; bias and activation are the epilogue
 * knows  what is fast for which sizes
 *
 *   one tap, no border      a product of matrices
 *   few pixels              windows as the columns of a matrix, then a product
 *   many outputs a group    lanes along the outputs, weights packed, the picture with its border
 *   few outputs a group     lanes along the picture (depthwise)
 */
#include <string.h>

#include "tensor/compose_priv.h"
#include "tensor/plan_priv.h"

#define FEW_PIXELS  8u
#define FEW_OUTPUTS 12u             /* of a group: lanes along them would be idle           */
#define TALL        8u              /* pixels of a workgroup                                */
#define GROUP_CAP   65535u
#define PAD_SIZE    256u            /* invocations of a workgroup that copies the picture   */

/* attr.i of a convolution */
enum { STRIDE_H, STRIDE_W, DILATION_H, DILATION_W, TOP, LEFT, GROUPS };

typedef struct ConvSize {
    uint64_t n, c, h, w, o, oh, ow, kh, kw;     /* c: of a group                            */
    uint64_t groups, outputs;                   /* outputs of a group                       */
    const int64_t *attr;
} ConvSize;

static ConvSize conv_size(const weft_tensor *t)
{
    const weft_tensor *x = t->inputs[0], *w = t->inputs[1];
    uint64_t groups = (uint64_t)t->attr.i[GROUPS];
    return (ConvSize){x->shape[0], w->shape[1], x->shape[2], x->shape[3], w->shape[0], t->shape[2],
                      t->shape[3], w->shape[2], w->shape[3], groups, w->shape[0] / groups,
                      t->attr.i};
}

/* Pictures, outputs, pixels. */
static uint32_t conv_hook(const weft_tensor *t, uint64_t size[3])
{
    size[0] = t->shape[0];
    size[1] = t->shape[1];
    size[2] = t->shape[2] * t->shape[3];
    return 3;
}

static const char *number(LibraryPlan *p, uint64_t v)
{
    return library_u32(p, v);
}

/* ---- lanes along outputs ---- */

/* The picture as the convolution reads it: the input itself, or a copy with a border. */
typedef struct Picture {
    bool     copied;
    uint32_t temp;
    int64_t  start, n, c, row, column;
} Picture;

static uint64_t words(LibraryPlan *p, uint64_t count)
{
    return p->node->dtype == WEFT_F64 ? 2 * count : count;
}

static bool plan_pad(LibraryPlan *p, const ConvSize *s, Picture *out)
{
    const LibraryInput *x = &p->in[0];
    uint64_t channels = s->c * s->groups, planes = s->n * channels;
    uint64_t ph = (s->oh - 1) * (uint64_t)s->attr[STRIDE_H]
                  + (s->kh - 1) * (uint64_t)s->attr[DILATION_H] + 1;
    uint64_t pw = (s->ow - 1) * (uint64_t)s->attr[STRIDE_W]
                  + (s->kw - 1) * (uint64_t)s->attr[DILATION_W] + 1;
    bool fits = s->attr[TOP] == 0 && s->attr[LEFT] == 0 && ph <= s->h && pw <= s->w;
    if (fits && x->dtype != WEFT_BF16 && weft_dtype_bytes(x->dtype, 1) >= 4) {
        *out = (Picture){false, 0, x->offset, x->strides[0], x->strides[1], x->strides[2],
                         x->strides[3]};
        return true;
    }
    uint64_t rows = planes * ph;
    uint32_t wide = fuse_row_width(pw), high = PAD_SIZE / wide;
    uint64_t tall = (rows + high - 1) / high;
    *out = (Picture){true, library_temp(p, words(p, planes * ph * pw)), 0,
                     (int64_t)(channels * ph * pw), (int64_t)(ph * pw), (int64_t)pw, 1};
    return library_kernel(p, &(LibraryKernel){
        .name = "conv_pad",
        .numbers = {{"WIDE", wide}, {"TALL", high}, {"DEEP", (uint64_t)GROUP_CAP * high},
                    {"ROWS", rows}, {"PH", ph}, {"PW", pw}, {"H", s->h}, {"W", s->w},
                    {"TOP", s->attr[TOP]}, {"LEFT", s->attr[LEFT]},
                    {"START", x->offset}, {"X_ROW", x->strides[2]},
                    {"X_COLUMN", x->strides[3]}},
        .params = {"PLANE_START", library_axes_start(p, x, 0, 2, "outer")},
        .bindings = {{"x", USE_INPUT, 0, NULL},
                     {"padded", USE_TEMP_WRITE, out->temp, library_type(p)}},
        .groups = {(uint32_t)((pw + wide - 1) / wide), (uint32_t)MIN_OF(tall, (uint64_t)GROUP_CAP),
                   (uint32_t)((tall + GROUP_CAP - 1) / GROUP_CAP)} });
}

static bool plan_weights(LibraryPlan *p, const ConvSize *s, uint32_t temp, uint64_t wide)
{
    const LibraryInput *w = &p->in[1];
    uint64_t taps = s->kh * s->kw;
    return library_kernel(p, &(LibraryKernel){
        .name = "conv_pack",
        .numbers = {{"C", s->c}, {"TAPS", taps}, {"KW", s->kw}, {"OUTPUTS", s->outputs},
                    {"WIDE", wide}, {"PANELS", (s->outputs + wide - 1) / wide},
                    {"START", w->offset}, {"W_OUT", w->strides[0]},
                    {"W_IN", w->strides[1]}, {"W_ROW", w->strides[2]},
                    {"W_COLUMN", w->strides[3]}},
        .params = {},
        .bindings = {{"w", USE_INPUT, 1, NULL}, {"panels", USE_TEMP_WRITE, temp, library_type(p)}},
        .groups = {(uint32_t)((s->c * taps + 15) / 16), (uint32_t)((s->outputs + 15) / 16),
                   (uint32_t)s->groups} });
}

static bool plan_lanes(LibraryPlan *p, const ConvSize *s)
{
    uint64_t wide = s->outputs <= 16 ? 16 : 32, panels = (s->outputs + wide - 1) / wide;
    uint64_t all = panels * s->groups, size = s->kh * s->kw * s->c * wide;
    uint64_t blocks = (s->oh * s->ow + TALL - 1) / TALL;
    uint64_t high = (blocks + GROUP_CAP - 1) / GROUP_CAP;
    uint32_t temp = library_temp(p, words(p, all * size));
    Picture  x;
    if (!plan_weights(p, s, temp, wide) || !plan_pad(p, s, &x))
        return false;
    const char *panel = "group.y", *block = "group.x", *of_group = "0u", *output = "panel";
    if (high > 1) {
        panel = arena_printf(p->arena, "group.y %% %s", number(p, all));
        block = arena_printf(p->arena, "(group.y / %s * 65535u + group.x)", number(p, all));
    }
    if (s->groups > 1) {
        of_group = arena_printf(p->arena, "panel / %s", number(p, panels));
        output = arena_printf(p->arena, "(panel %% %s)", number(p, panels));
    }
    const char *w_at = arena_printf(p->arena, "w_at(weights + ((ky * %s + kx) * %s + c) * %s)",
                                    number(p, s->kw), number(p, s->c), number(p, wide));
    bool is_float = dtype_is_float((weft_dtype)p->node->dtype);
    bool cut = s->oh * s->ow % TALL != 0 || blocks > GROUP_CAP;
    return library_kernel(p, &(LibraryKernel){
        .name = "conv",
        .numbers = {{"WIDE", wide}, {"TALL", TALL}, {"O", s->o}, {"OH", s->oh}, {"OW", s->ow},
                    {"OUTPUTS", s->outputs}, {"KH", s->kh}, {"KW", s->kw}, {"C", s->c},
                    {"PANEL_SIZE", size}, {"START", x.start}, {"X_N", x.n},
                    {"X_GROUP", x.c * s->c}, {"X_C", x.c},
                    {"X_DOWN", (x.row * s->attr[STRIDE_H])},
                    {"X_RIGHT", (x.column * s->attr[STRIDE_W])},
                    {"TAP_DOWN", (x.row * s->attr[DILATION_H])},
                    {"TAP_RIGHT", (x.column * s->attr[DILATION_W])}},
        .params = {"BLOCK", block, "PANEL", panel, "GROUP", of_group, "OUTPUT", output,
                   "BARRIER", cut || s->outputs % wide ? "workgroupBarrier();" : "",
                   "PIXEL_READ", cut ? arena_printf(p->arena, "min(pixel, %s)",
                                                    number(p, s->oh * s->ow - 1)) : "pixel",
                   "FMA", arena_printf(p->arena, is_float ? "fma(v, %s, acc)" : "acc + v * %s",
                                       w_at)},
        .bindings = {{"x", x.copied ? USE_TEMP_READ : USE_INPUT, x.copied ? x.temp : 0,
                      library_type(p)},
                     {"w", USE_TEMP_READ, temp, library_type(p)}, {"y", USE_OUTPUT, 0, NULL}},
        .groups = {(uint32_t)MIN_OF(blocks, (uint64_t)GROUP_CAP), (uint32_t)(all * high),
                   (uint32_t)s->n},
        .finish = true });
}

/* ---- lanes along the picture ---- */

static bool plan_direct(LibraryPlan *p, const ConvSize *s)
{
    const LibraryInput *x = &p->in[0], *w = &p->in[1];
    uint32_t wide = s->ow <= 16 ? 16 : 32, tall = 256 / wide;
    uint64_t blocks = (s->oh + tall - 1) / tall;
    return library_kernel(p, &(LibraryKernel){
        .name = "conv_direct",
        .numbers = {{"WIDE", wide}, {"TALL", tall}, {"O", s->o}, {"OH", s->oh}, {"OW", s->ow},
                    {"OUTPUTS", s->outputs}, {"C", s->c}, {"KH", s->kh}, {"KW", s->kw}, {"H", s->h},
                    {"W", s->w}, {"DILATION_H", s->attr[DILATION_H]},
                    {"DILATION_W", s->attr[DILATION_W]}, {"TOP", s->attr[TOP]},
                    {"LEFT", s->attr[LEFT]},
                    {"STRIDE_H", s->attr[STRIDE_H]},
                    {"STRIDE_W", s->attr[STRIDE_W]}, {"START", x->offset},
                    {"X_N", x->strides[0]}, {"X_GROUP", x->strides[1] * s->c},
                    {"X_C", x->strides[1]}, {"X_ROW", x->strides[2]},
                    {"X_COLUMN", x->strides[3]}, {"W_START", w->offset},
                    {"W_OUT", w->strides[0]}, {"W_IN", w->strides[1]},
                    {"W_ROW", w->strides[2]}, {"W_COLUMN", w->strides[3]}},
        .params = {"N_OF", s->n == 1 ? "0u"
                           : arena_printf(p->arena, "group.y / %s", number(p, blocks)),
                   "BLOCK", s->n == 1 ? "group.y"
                            : arena_printf(p->arena, "(group.y %% %s)", number(p, blocks))},
        .bindings = {{"x", USE_INPUT, 0, NULL}, {"w", USE_INPUT, 1, NULL},
                     {"y", USE_OUTPUT, 0, NULL}},
        .groups = {(uint32_t)((s->ow + wide - 1) / wide),
                   (uint32_t)MIN_OF(s->n * blocks, (uint64_t)UINT32_MAX), (uint32_t)s->o},
        .finish = true });
}

static bool conv_plan(LibraryPlan *p)
{
    ConvSize s = conv_size(p->node);
    uint64_t blocks = (s.oh * s.ow + TALL - 1) / TALL;
    bool     wide = s.outputs >= FEW_OUTPUTS && s.n <= GROUP_CAP
                    && (blocks + GROUP_CAP - 1) / GROUP_CAP * ((s.outputs + 15) / 16) * s.groups
                           <= GROUP_CAP;
    return wide ? plan_lanes(p, &s) : plan_direct(p, &s);
}

static const TensorOp op_conv = {.name = "conv2d", .kind = OP_LIBRARY, .plan = conv_plan,
                                 .hook = conv_hook};

/* ---- the operator ---- */

static uint64_t or_one(uint32_t n)
{
    return n ? n : 1;
}

/* Windows as columns: x[N, g, C / g * K, places]. */
static weft_tensor *window_columns(Temps *t, weft_tensor *x, const Cut *cuts, uint64_t groups,
                                   uint64_t kernel)
{
    uint64_t n = weft_tensor_size(x, 0), inside = weft_tensor_size(x, 1) / groups;
    x = compose_padded(t, x, cuts, 2, 2, 0);
    x = compose_windows(t, x, 2, &cuts[0]);
    x = compose_windows(t, x, 3, &cuts[1]);         /* [N, C, OH, OW, KH, KW] */
    uint64_t places = weft_tensor_size(x, 2) * weft_tensor_size(x, 3);
    uint64_t split[] = {n, groups, inside, weft_tensor_size(x, 2), weft_tensor_size(x, 3),
                        cuts[0].size, cuts[1].size};
    x = compose_temp(t, weft_tensor_reshape(x, 7, split));
    x = compose_temp(t, weft_tensor_permute(x, (const int[]){0, 1, 3, 4, 2, 5, 6}));
    x = compose_temp(t, weft_tensor_reshape(x, 4, (uint64_t[]){n, groups, places, kernel}));
    return compose_temp(t, weft_tensor_transpose(x, 2, 3));
}

/* As a product of weights [g, O / g, kernel] and columns. */
static weft_tensor *by_product(Temps *t, weft_tensor *x, weft_tensor *w, const Cut *cuts,
                               uint64_t groups, const uint64_t *shape)
{
    uint64_t kernel = weft_tensor_size(w, 1) * cuts[0].size * cuts[1].size, n = shape[0];
    bool     plain = cuts[0].size == 1 && cuts[1].size == 1;
    if (plain) {                    /* pixels in place */
        weft_range steps[4] = {{0}, {0}, {.step = (int64_t)cuts[0].step},
                               {.step = (int64_t)cuts[1].step}};
        if (cuts[0].step > 1 || cuts[1].step > 1)
            x = compose_temp(t, weft_tensor_slice(x, 4, steps));
        x = compose_temp(t, weft_tensor_reshape(x, 4, (uint64_t[]){
            n, groups, kernel, shape[2] * shape[3]}));
    } else {
        x = window_columns(t, x, cuts, groups, kernel);
    }
    w = compose_temp(t, weft_tensor_reshape(w, 4, (uint64_t[]){1, groups, shape[1] / groups,
                                                               kernel}));
    weft_tensor *y = compose_temp(t, weft_tensor_matmul(w, x));
    return compose_temp(t, weft_tensor_reshape(y, 4, shape));
}

static weft_tensor *by_kernel(Temps *t, weft_tensor *x, weft_tensor *w, const Cut *cuts,
                              uint64_t groups, const uint64_t *shape)
{
    weft_dtype d = tensor_promote(x, w);
    weft_dtype direct = tensor_stores_direct(x->ctx, d) && d != WEFT_I64 ? d
                        : dtype_is_float(d) ? WEFT_F32 : WEFT_I32;
    weft_tensor *y = compose_temp(t, tensor_node(x->ctx, &(NodeDesc){
        .op = &op_conv, .dtype = direct, .rank = 4, .shape = shape,
        .inputs = (weft_tensor *const[]){x, w}, .input_count = 2,
        .attr.i = {[STRIDE_H] = (int64_t)cuts[0].step, [STRIDE_W] = (int64_t)cuts[1].step,
                   [DILATION_H] = (int64_t)cuts[0].dilation,
                   [DILATION_W] = (int64_t)cuts[1].dilation, [TOP] = (int64_t)cuts[0].before,
                   [LEFT] = (int64_t)cuts[1].before, [GROUPS] = (int64_t)groups} }));
    return y ? compose_temp(t, tensor_as(y, d)) : NULL;
}

/* The sizes of the result; false with the error set. */
static bool conv_shape(uint64_t *shape, weft_tensor *x, weft_tensor *w, const Cut *cuts,
                       uint64_t groups)
{
    uint64_t outputs = w->shape[0];
    if (x->shape[1] != w->shape[1] * groups || outputs % groups)
        return context_fail(x->ctx, WEFT_ERROR_SHAPE,
                            "conv: %s and weights %s do not fit with %llu groups: a convolution "
                            "needs x[N, C, ...] and weight[O, C / groups, ...]", tensor_text(x),
                            tensor_text(w), (unsigned long long)groups);
    shape[0] = x->shape[0];
    shape[1] = outputs;
    for (uint32_t i = 0; i < 2; i++) {
        const Cut *c = &cuts[i];
        uint64_t   most = UINT64_C(1) << 30;
        if (c->size == 0 || c->size > most || c->step > most || c->dilation > most
            || c->before > most || c->after > most || x->shape[2 + i] > most
            || (c->size - 1) * c->dilation >= x->shape[2 + i] + c->before + c->after)
            return context_fail(x->ctx, WEFT_ERROR_SHAPE, "conv: the window of %s is empty or "
                                "larger than %s with its padding", tensor_text(w), tensor_text(x));
        uint64_t all = x->shape[2 + i] + c->before + c->after;
        shape[2 + i] = (all - (c->size - 1) * c->dilation - 1) / c->step + 1;
    }
    return true;
}

/* x and w of rank 4. */
static weft_tensor *convolved(Temps *t, weft_tensor *x, weft_tensor *w, const weft_conv *conv)
{
    uint64_t groups = or_one(conv->groups), shape[4];
    Cut      cuts[2];
    for (uint32_t i = 0; i < 2; i++)
        cuts[i] = (Cut){w->shape[2 + i], or_one(conv->stride[i]), or_one(conv->dilation[i]),
                        conv->pad_before[i], conv->pad_after[i]};
    if (!conv_shape(shape, x, w, cuts, groups))
        return NULL;
    bool border = cuts[0].before || cuts[0].after || cuts[1].before || cuts[1].after;
    bool plain = !border && cuts[0].size == 1 && cuts[1].size == 1;
    bool few = shape[2] * shape[3] <= FEW_PIXELS && shape[1] / groups > FEW_OUTPUTS
               && w->count >= 4096;
    bool empty = x->count == 0 || w->count == 0 || shape[0] * shape[1] == 0;
    if (((plain && shape[1] / groups >= FEW_OUTPUTS) || few) && !empty)
        return by_product(t, x, w, cuts, groups, shape);
    return by_kernel(t, x, w, cuts, groups, shape);
}

/* [N, C, L] as [N, C, 1, L] */
static weft_tensor *with_height(Temps *t, weft_tensor *x, uint32_t axes)
{
    return axes == 2 ? x : compose_temp(t, weft_tensor_unsqueeze(x, 2));
}

static weft_tensor *convolution(weft_tensor *x, weft_tensor *w, weft_tensor *bias,
                                const weft_conv *conv, uint32_t axes)
{
    Temps         t = {0};
    weft_conv     c = conv ? *conv : (weft_conv){.groups = 1};
    weft_context *ctx = TENSOR_ARGS("conv", x, w);
    if (!ctx)
        return NULL;
    if (x->rank != axes + 2 || w->rank != axes + 2 || dtype_is_block((weft_dtype)x->dtype)
        || dtype_is_block((weft_dtype)w->dtype)) {
        context_fail(ctx, WEFT_ERROR_SHAPE, "conv%ud: %s and %s must have rank %u: x[N, C, ...] "
                     "and weight[O, C / groups, ...]", axes, tensor_text(x), tensor_text(w),
                     axes + 2);
        return NULL;
    }
    if (axes == 1)
        c = (weft_conv){.stride = {1, c.stride[0]}, .dilation = {1, c.dilation[0]},
                        .groups = c.groups, .pad_before = {0, c.pad_before[0]},
                        .pad_after = {0, c.pad_after[0]}, .activation = c.activation};
    x = with_height(&t, x, axes);
    w = with_height(&t, w, axes);
    weft_tensor *y = x && w ? convolved(&t, x, w, &c) : NULL;
    if (y && axes == 1)
        y = compose_temp(&t, weft_tensor_squeeze(y, 2));
    if (bias && y)
        y = compose_temp(&t, weft_tensor_add(y, compose_per_channel(&t, bias, y)));
    return compose_end(&t, y ? compose_activated(&t, y, c.activation) : NULL);
}

weft_tensor *weft_tensor_conv1d(weft_tensor *x, weft_tensor *weight, weft_tensor *bias,
                                const weft_conv *conv)
{
    return convolution(x, weight, bias, conv, 1);
}

weft_tensor *weft_tensor_conv2d(weft_tensor *x, weft_tensor *weight, weft_tensor *bias,
                                const weft_conv *conv)
{
    return convolution(x, weight, bias, conv, 2);
}
