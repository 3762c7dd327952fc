// SPDX-License-Identifier: Apache-2.0
/*
 * kernels.c - pipelines from the .wgsl files of vectors/kernels, and their dispatches.
 *
 * in     a kind of kernel
 * out    its pipeline, made once for a context
 * knows  the text parameters and overrides of the files
 * not    what is bound to them
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "vectors/vectors_priv.h"

extern const EmbeddedKernel vectors_kernels[];

static const struct { const char *file, *override; } kinds[] = {
#define X(kind, file, override) {file, override},
    VECTORS_KERNELS(X)
#undef X
};
static_assert(COUNTOF(kinds) == KERNEL_KIND_COUNT, "a kernel has no row");

typedef struct VectorsState {
    weft_pipeline *pipelines[KERNEL_KIND_COUNT][2];
} VectorsState;

static void state_free(void *state)
{
    VectorsState *s = state;
    for (uint32_t i = 0; i < KERNEL_KIND_COUNT; i++)
        for (uint32_t on = 0; on < 2; on++)
            weft_pipeline_release(s->pipelines[i][on]);
    free(s);
}

/* ---- texts ---- */

static const char *term_text(KernelKind kind)
{
    bool apart = kind == KERNEL_SCAN_ONE_APART || kind == KERNEL_SCAN_APART;
    return apart ? "let e = v - q; return sum - e * e;" : "return sum + v * q;";
}

static const char *text_of(Arena *a, KernelKind kind)
{
    const char *text = context_kernel_find(vectors_kernels, kinds[kind].file);
    text = context_kernel_text(a, text, "TERM", term_text(kind),
                               "TILE", arena_printf(a, "%u", TILE),
                               "LANES", arena_printf(a, "%u", BLOCK * TILE),
                               "GROUP", arena_printf(a, "%u", ONLINE_GROUP),
                               "GRID", context_kernel_find(vectors_kernels, "grid"), NULL);
    return context_kernel_repeat(a, text, 't', TILE);
}

typedef struct Making {
    weft_context  *ctx;
    KernelKind     kind;
    weft_constant  constant;
    Arena          arena;
    weft_pipeline *made;
} Making;

static void make(void *user)
{
    Making *m = user;
    m->made = weft_pipeline_create(m->ctx, &(weft_pipeline_desc){
        .wgsl = text_of(&m->arena, m->kind), .constants = &m->constant,
        .constant_count = m->constant.name ? 1 : 0, .label = kinds[m->kind].file});
}

static weft_pipeline *make_pipeline(weft_context *ctx, KernelKind kind, bool on)
{
    Making m = {.ctx = ctx, .kind = kind, .constant = {kinds[kind].override, on}};
    arena_init(&m.arena, 0);
    if (!arena_try(&m.arena, make, &m))
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for the kernel %s", kinds[kind].file);
    arena_fini(&m.arena);
    return m.made;
}

/* ---- pipelines ---- */

weft_pipeline *vectors_kernel(weft_context *ctx, KernelKind kind, bool on)
{
    VectorsState *s = context_slot(ctx, CONTEXT_VECTORS);
    if (!s) {
        s = calloc(1, sizeof *s);
        if (!s) {
            context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for the kernels of vectors");
            return NULL;
        }
        context_set_slot(ctx, CONTEXT_VECTORS, s, state_free);
    }
    weft_pipeline **p = &s->pipelines[kind][on];
    if (!*p)
        *p = make_pipeline(ctx, kind, on);
    return *p;
}

bool vectors_run(weft_context *ctx, const KernelRun *run)
{
    weft_binding bindings[8];
    uint32_t     n = 0;
    if (!run->pipeline)
        return false;
    while (n < COUNTOF(run->buffers) && run->buffers[n]) {
        bindings[n] = (weft_binding){.buffer = run->buffers[n]};
        n++;
    }
    if (run->params_size)
        bindings[n++] = (weft_binding){.data = run->params, .data_size = run->params_size};
    return weft_context_dispatch(ctx, &(weft_dispatch){
        .pipeline = run->pipeline, .bindings = bindings, .binding_count = n,
        .groups = {run->groups[0], run->groups[1], run->groups[2]}});
}

void vectors_groups(uint32_t out[2], uint64_t count)
{
    out[0] = (uint32_t)MIN_OF(count, GROUPS);
    out[1] = (uint32_t)((count + GROUPS - 1) / GROUPS);
}

/* ---- memory ---- */

weft_buffer *device_bytes(weft_context *ctx, uint64_t bytes, const char *label)
{
    return weft_buffer_create(ctx, &(weft_buffer_desc){
        .size = MAX_OF(bytes, 4), .uninitialized = true, .label = label});
}

weft_buffer *device_copy(weft_context *ctx, const void *data, uint64_t bytes, const char *label)
{
    return weft_buffer_create(ctx, &(weft_buffer_desc){
        .data = data, .data_size = bytes, .label = label});
}

weft_buffer *device_ones(weft_context *ctx, uint64_t count)
{
    float *ones = host_array(ctx, count, sizeof *ones);
    for (uint64_t i = 0; ones && i < count; i++)
        ones[i] = 1;
    weft_buffer *b = ones ? device_copy(ctx, ones, count * 4, "ones") : NULL;
    free(ones);
    return b;
}

void *host_array(weft_context *ctx, uint64_t count, size_t size)
{
    void *p = count <= SIZE_MAX / size ? calloc(MAX_OF(count, 1), size) : NULL;
    if (!p)
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for %llu elements of %zu bytes",
                     (unsigned long long)count, size);
    return p;
}

/* ---- random numbers ---- */

uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double random_unit(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}
