// SPDX-License-Identifier: Apache-2.0
/*
 * parts.c - which kernel runs which workgroups of a dispatch.
 *
 * in     a dispatch, and the forms of its kernel that assume more or less
 * out    boxes of workgroups, each with the form that may run it
 * knows  what forms demand of workgroups (compile.h)
 * not    threads
 *
 * Most dispatches fulfil all that the first form assumes and are one part. Where it
 * leaves out what happens at the borders of a grid, those are parts of their own,
 * around the box that is inside, for a form that assumes less. Parts of a kernel that is
 * turned have x for y, as it has.
 */
#include "gpu/cpu/cpu_priv.h"

#include <stdio.h>
#include <stdlib.h>

static bool reserve(Parts *p, uint32_t nbuffers)
{
    if (nbuffers <= p->room)
        return true;
    KernelBuffer *grown = realloc(p->buffers, nbuffers * sizeof *grown);
    if (!grown)
        return false;
    p->buffers = grown;
    p->room = nbuffers;
    return true;
}

/* The piece of a buffer that the launch has for a binding of the kernel, which is
 * among them. The kernel lists its bindings as the shader declares them, which is
 * most often the order of the launch too: the search goes on after the last find. */
static const GpuBinding *find_binding(const GpuLaunch *l, const KernelBinding *want,
                                      uint32_t *at)
{
    for (;; (*at)++) {
        if (*at >= l->nbindings)
            *at = 0;
        const GpuBinding *b = &l->bindings[*at];
        if (b->group == want->group && b->binding == want->binding)
            return b;
    }
}

static void bind_buffers(KernelBuffer *to, KernelShared *shared, const Kernel *k,
                         const GpuLaunch *l)
{
    uint32_t at = 0;
    *shared = (KernelShared){{0}};
    for (uint32_t i = 0; i < k->nbindings; i++) {
        const GpuBinding *b = find_binding(l, &k->bindings[i], &at);
        to[i] = (KernelBuffer){(uint8_t *)b->buffer->data + b->offset, b->size};
        if (!b->buffer->room && i < KERNEL_MAX_SHARED)
            shared->bits[i / 64] |= (uint64_t)1 << i % 64;
    }
}

/* Does a dispatch go through more memory than the cache holds? Its buffers may be that
 * large without: an invocation is taken to move WORK_BYTES. */
#define WORK_BYTES 16u

static uint32_t flags_of(const GpuDevice *d, const Kernel *k, const KernelBuffer *buffers,
                         const uint32_t groups[3])
{
    uint64_t bytes = 0, work = WORK_BYTES;
    for (uint32_t i = 0; i < k->nbindings; i++)
        bytes += buffers[i].size;
    for (uint32_t i = 0; i < 3; i++)
        work *= (uint64_t)groups[i] * k->workgroup_size[i];
    return bytes > d->cache_size && work > d->cache_size ? KERNEL_STREAMS : 0;
}

/* NULL after what is to be said about it. */
static const Kernel *make_form(Parts *p, GpuDevice *d, const Kernel *from, Assumptions what)
{
    Arena arena;
    const Kernel *form = NULL;
    arena_init(&arena, 0);
    Diag diag = {.arena = &arena};
    if (arena_reserve(&arena, DIAG_ROOM))
        form = kernel_assuming(d->cache, from, what, &diag);
    if (!form && diag.list.len)
        snprintf(p->why, sizeof p->why,
                 "a kernel cannot be compiled for a dispatch that reaches its borders: %s",
                 diag.list.data[0].message);
    arena_fini(&arena);
    return form;
}

/* A form of a kernel, made when it is first needed; NULL: it cannot be, and why. */
static const Kernel *form_of(Parts *p, GpuDevice *d, GpuKernel *k, Assumptions what)
{
    if (!k->forms[what]) {
        k->forms[what] = make_form(p, d, k->forms[KERNEL_ASSUMES], what);
        if (k->forms[what] && k->spent == UINT64_MAX)   /* it is hot already */
            kernel_improve(d->cache, k->forms[what]);
    }
    return k->forms[what];
}

static bool is_whole(const ProofBox *box, const uint32_t groups[3])
{
    for (uint32_t i = 0; i < 3; i++)
        if (box->first[i] != 0 || box->last[i] != groups[i])
            return false;
    return true;
}

/* None of them is empty. */
static void add_part(Parts *p, const PoolPart *like, const ProofBox *box)
{
    for (uint32_t i = 0; i < 3; i++)
        if (box->first[i] >= box->last[i])
            return;
    p->parts[p->count] = *like;
    p->parts[p->count++].box = *box;
}

/* What is around `inner` in `outer`: below and above it in z, then in y, then in x. */
static void add_around(Parts *p, const PoolPart *like, ProofBox outer, const ProofBox *inner)
{
    for (uint32_t axis = 3; axis-- > 0;) {
        ProofBox below = outer, above = outer;
        below.last[axis] = inner->first[axis];
        above.first[axis] = inner->last[axis];
        add_part(p, like, &below);
        add_part(p, like, &above);
        outer.first[axis] = inner->first[axis];
        outer.last[axis] = inner->last[axis];
    }
}

bool parts_plan(Parts *p, GpuDevice *d, const GpuLaunch *l, const uint32_t given[3])
{
    GpuKernel *k = l->kernel;
    bool       turned = k->forms[KERNEL_ASSUMES]->turned;   /* and so are the others */
    uint32_t   groups[3];
    ProofBox   inner = {{0}, {0}};
    bool       has_inner = false;
    p->count = 0;
    snprintf(p->why, sizeof p->why, "no memory to run a dispatch");
    kernel_groups(groups, given, turned);
    Assumptions what = KERNEL_ASSUMES, last;
    KernelShared shared;
    do {
        const Kernel *form = form_of(p, d, k, what);
        uint32_t used = has_inner ? p->parts[0].kernel->nbindings : 0;
        if (!form || !reserve(p, used + form->nbindings))
            return false;
        BUG_IF(form->turned != turned, "forms of a kernel lie in different ways");
        KernelBuffer *buffers = p->buffers + used;
        PoolPart part = {.kernel = form,
                         .dispatch = {.buffers = buffers, .stop = &d->stop,
                                      .immediates = l->immediates,
                                      .num_workgroups = {groups[0], groups[1], groups[2]}}};
        bind_buffers(buffers, &shared, form, l);
        part.dispatch.flags = flags_of(d, form, buffers, groups);
        bool suits = kernel_suits(form, &part.dispatch, &shared, &part.box);
        if (suits && is_whole(&part.box, groups)) {
            if (has_inner) {
                p->parts[0].dispatch.buffers = p->buffers;  /* they may have moved */
                add_around(p, &part, part.box, &inner);
            } else {
                add_part(p, &part, &part.box);
            }
            return true;
        }
        if (suits && !has_inner) {
            has_inner = true;
            inner = part.box;
            add_part(p, &part, &inner);
        }
        last = what;
        what = kernel_assumes_less(form, has_inner);
    } while (last != ASSUME_NOTHING);
    return false;
}

void parts_fini(Parts *p)
{
    free(p->buffers);
    *p = (Parts){0};
}
