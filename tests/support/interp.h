/* SPDX-License-Identifier: Apache-2.0 */
/*
 * support/interp.h - runs the IR of a kernel, one invocation after the other.
 *
 * The oracle for everything that compiles: plain scalar code, written from ir.h
 * and ops.def alone, with its own arithmetic (double, then rounded). Invocations
 * run one at a time until a barrier or a subgroup operation stops them, forwards
 * or backwards, so that a result that depends on the order shows.
 *
 * in     a verified Ir, buffers, the size of the dispatch
 * out    what the kernel leaves in the buffers; or what went wrong
 * knows  the IR
 * not    WGSL, LLVM, lanes
 *
 * Out of bounds: a load gives zero, a store and an atomic do nothing.
 */
#ifndef WEFT_SUPPORT_INTERP_H
#define WEFT_SUPPORT_INTERP_H

#include "ir/ir.h"

typedef struct InterpBuffer {
    uint32_t group, binding;
    void    *data;
    uint32_t size;                      /* bytes                                  */
} InterpBuffer;

typedef struct InterpDesc {
    const Ir     *ir;
    InterpBuffer *buffers;
    uint32_t      nbuffers;
    const void   *immediates;           /* NULL: none                             */
    uint32_t      immediate_size;
    uint32_t      num_workgroups[3];    /* 0: 1                                   */
    uint32_t      subgroup_size;        /* 0: 8                                   */
    bool          backwards;            /* the last invocation first              */
    uint64_t      max_steps;            /* instructions in all   0: 100 million   */
} InterpDesc;

/* NULL, or what went wrong: no buffer for a variable, invocations that wait at
 * different barriers, a wrong in_bounds, a broken promise of UNIFORM, too many steps.
 * In `arena`. */
const char *interp_run(Arena *arena, const InterpDesc *desc);

/* ---- interp_case.c: a run test (runfile.h) ---- */

struct RunCase;
/* What is wrong with the run or with what it leaves, or NULL. */
const char *interp_case(Arena *arena, struct RunCase *c, const Ir *ir, bool backwards);

/* ---- interp_ops.c: operations without memory or control flow ---- */

/* The components of a value; b and i as numbers, floats as their bits. The upper
 * half of component i of an f64 is u[4 + i], which is zero otherwise. */
typedef struct InterpCell {
    uint32_t u[8];
} InterpCell;

static inline uint64_t interp_bits(const InterpCell *c, uint32_t i)
{
    return (uint64_t)c->u[4 + i] << 32 | c->u[i];
}

static inline void interp_set(InterpCell *c, uint32_t i, uint64_t bits)
{
    c->u[i] = (uint32_t)bits;
    c->u[4 + i] = (uint32_t)(bits >> 32);
}

/* False: not one of these operations. */
bool   interp_pure(const Inst *inst, const InterpCell *const *args, InterpCell *out);
double interp_to_double(uint8_t kind, uint64_t bits);
uint64_t interp_from_double(uint8_t kind, double x);

#endif
