// SPDX-License-Identifier: Apache-2.0
/*
 * fold_bits.c - the builtin functions that count and move bits of i32 and u32.
 *
 * in     scalars
 * out    a scalar of the same type
 * knows  WGSL 17.5
 */
#include "check/fold_priv.h"

static uint32_t bits_of(const Value *v)
{
    return (uint32_t)(uint64_t)v->integer;
}

static uint32_t count_ones(uint32_t bits)
{
    uint32_t count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

/* Positions; -1 if there is no 1. */
static int highest_one(uint32_t bits)
{
    int at = -1;
    for (; bits; bits >>= 1)
        at++;
    return at;
}

static int lowest_one(uint32_t bits)
{
    return bits ? highest_one(bits & (0 - bits)) : -1;
}

/* -1 is all ones in u32. */
static bool give(int64_t n, Value *out)
{
    fold_wrap((uint64_t)n, out);
    return true;
}

bool fold_count_leading_zeros(Eval *e, Value *out)
{
    return give(31 - highest_one(bits_of(e->args[0])), out);
}

bool fold_count_one_bits(Eval *e, Value *out)
{
    return give(count_ones(bits_of(e->args[0])), out);
}

bool fold_count_trailing_zeros(Eval *e, Value *out)
{
    int at = lowest_one(bits_of(e->args[0]));
    return give(at < 0 ? 32 : at, out);
}

/* Of a negative number, the highest bit that is not a copy of the sign. */
bool fold_first_leading_bit(Eval *e, Value *out)
{
    uint32_t bits = bits_of(e->args[0]);
    return give(highest_one(e->args[0]->integer < 0 ? ~bits : bits), out);
}

bool fold_first_trailing_bit(Eval *e, Value *out)
{
    return give(lowest_one(bits_of(e->args[0])), out);
}

bool fold_reverse_bits(Eval *e, Value *out)
{
    uint32_t bits = bits_of(e->args[0]), reversed = 0;
    for (int i = 0; i < 32; i++)
        reversed |= (bits >> i & 1) << (31 - i);
    return give(reversed, out);
}

/* ---- bit fields ---- */

bool fold_rule_bit_field(Eval *e, const Value *offset, const Value *count)
{
    if (offset->integer + count->integer <= 32)
        return true;
    return fold_fail(e, DIAG_domain, "%s of %lld bits from bit %lld reaches past bit 31",
                     e->name, (long long)count->integer, (long long)offset->integer);
}

static uint32_t low_ones(int64_t count)
{
    return (uint32_t)(((uint64_t)1 << count) - 1);
}

bool fold_extract_bits(Eval *e, Value *out)
{
    int64_t offset = e->args[1]->integer, count = e->args[2]->integer;
    if (!fold_rule_bit_field(e, e->args[1], e->args[2]))
        return false;
    if (count == 0)
        return give(0, out);
    uint32_t field = bits_of(e->args[0]) >> offset & low_ones(count);
    bool negative = out->type->kind == TYPE_I32 && field >> (count - 1) & 1;
    return give(negative ? field | ~low_ones(count) : field, out);
}

bool fold_insert_bits(Eval *e, Value *out)
{
    int64_t offset = e->args[2]->integer, count = e->args[3]->integer;
    if (!fold_rule_bit_field(e, e->args[2], e->args[3]))
        return false;
    if (count == 0)
        return give(bits_of(e->args[0]), out);
    uint32_t mask = low_ones(count) << offset;
    uint32_t field = bits_of(e->args[1]) << offset & mask;
    return give((bits_of(e->args[0]) & ~mask) | field, out);
}
