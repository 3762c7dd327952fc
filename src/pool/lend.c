// SPDX-License-Identifier: Apache-2.0
/*
 * lend.c - memory of the caller that the CPU device uses in place, instead of copies.
 *
 * in     the arguments of an execution
 * out    which of them may be lent; buffers over their memory, and when these are gone
 * knows  that an execution with a time limit may end while its kernel still runs; that
 *        variables over the same bytes would change each other; that work which runs again
 *        needs its inputs as they were
 * not    how work runs (engine.c)
 */
#include <string.h>

#include "context/context.h"
#include "pool/pool_priv.h"

#define LEND_LEAST ((uint64_t)64 << 10)     /* bytes below which a copy costs no more  */
#define LEND_ALIGN 16u

/* ---- what may be lent ---- */

static bool suits(const void *memory, uint64_t size)
{
    return memory && (uintptr_t)memory % LEND_ALIGN == 0 && size % 4 == 0 && size >= LEND_LEAST;
}

static bool overlap(const void *x, uint64_t x_size, const void *y, uint64_t y_size)
{
    uintptr_t a = (uintptr_t)x, b = (uintptr_t)y;
    return x && y && a < b + y_size && b < a + x_size;
}

/* Whether other bytes of the execution, or what the output starts with, are among its own. */
static bool is_entangled(const weft_execution *e, uint32_t at)
{
    const Arg *out = &e->args[at];
    for (uint32_t i = 0; i < e->arg_count; i++) {
        const Arg *a = &e->args[i];
        if (overlap(out->out, out->out_size, a->in, a->in_size)
            || (i != at && overlap(out->out, out->out_size, a->out, arg_out_bytes(a))))
            return true;
    }
    return false;
}

void lend_choose(weft_execution *e)
{
    if (e->time_limit || e->deadline != CLOCK_NEVER)
        return;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        Arg *a = &e->args[i];
        bool reads = e->program->point->bindings[i].kind == WEFT_BINDING_READ_ONLY_STORAGE;
        if (a->data)
            continue;
        if (a->output)
            a->lend = !a->widen && a->out_size == a->size && suits(a->out, a->size)
                   && !is_entangled(e, i);
        else
            a->lend = reads && a->in_size == a->size && suits(a->in, a->size);
    }
}

/* A library that was given by path may hang: its work is given up while it runs. */
bool lend_is_used(const Arg *a, const PoolDevice *d)
{
    return a->lend && !d->found.foreign && strcmp(d->found.backend, "cpu") == 0;
}

/* ---- buffers ---- */

static void give_back(void *user, void *unused)
{
    PoolDevice *d = user;
    (void)unused;
    atomic_fetch_sub_explicit(&d->loans, 1, memory_order_release);
}

/* Memory of an input is only read: by a binding that cannot write, or as the source of a copy. */
static weft_buffer *lend(PoolDevice *d, const void *memory, uint64_t size)
{
    void *same;
    memcpy(&same, &memory, sizeof same);
    atomic_fetch_add_explicit(&d->loans, 1, memory_order_relaxed);
    return context_lent_buffer(d->engine, same, size, give_back, d);
}

/* What an output starts with: the device copies it, with all its threads, where it can. */
static bool fill(Arg *a, PoolDevice *d)
{
    if (!a->in)
        return context_clear(a->buffer);
    if (a->in_size == a->size && suits(a->in, a->size)) {
        a->source = lend(d, a->in, a->size);
        return a->source && weft_buffer_copy(a->buffer, 0, a->source, 0, a->size);
    }
    uint64_t given = a->in_size < a->size ? a->in_size : a->size;
    memcpy(a->out, a->in, (size_t)given);
    memset(a->out + given, 0, (size_t)(a->size - given));
    return true;
}

bool lend_buffer(Arg *a, PoolDevice *d)
{
    a->buffer = lend(d, a->output ? a->out : a->in, a->size);
    return a->buffer && (!a->output || fill(a, d));
}

/* They are gone once they are released and their work has ended: at once, but after a loss of
 * the device during its work. */
void lend_wait(PoolDevice *d)
{
    while (atomic_load_explicit(&d->loans, memory_order_acquire))
        platform_pause(20000);
}
