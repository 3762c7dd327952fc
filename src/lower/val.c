// SPDX-License-Identifier: Apache-2.0
/*
 * val.c - values in parts.
 *
 * knows  nothing but instructions: what the parts mean, the types say
 */
#include "lower/lower_priv.h"

Val val_one(Inst *leaf)
{
    return (Val){.n = 1, .inst = leaf};
}

Val val_many(Arena *a, Inst *const *leaves, uint32_t n)
{
    if (n == 1)
        return val_one(leaves[0]);
    return (Val){.n = n, .many = arena_copy(a, leaves, n * sizeof *leaves)};
}

Val val_place(Inst *place)
{
    return (Val){.inst = place};
}

Inst *val_leaf(const Val *v, uint32_t i)
{
    BUG_IF(i >= v->n, "leaf %u of %u", i, v->n);
    return v->n == 1 ? v->inst : v->many[i];
}

Val val_slice(const Val *v, uint32_t first, uint32_t n)
{
    BUG_IF(n == 0 || first + n > v->n, "leaves %u to %u of %u", first, first + n, v->n);
    if (n == v->n)
        return *v;
    if (n == 1)
        return val_one(v->many[first]);
    return (Val){.n = n, .many = v->many + first};
}
