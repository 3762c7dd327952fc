// SPDX-License-Identifier: Apache-2.0
/*
 * table.c - lanes that look up small tables.
 *
 * in     a table of constants, and which of its words each lane wants
 * out    the table in one or two vector registers, of which a permutation takes the words
 * why    levels of quantised numbers, signs, digits: with 16 entries, each lane's load alone
 *        costs more than all of a permutation
 * knows  permutations of x86: of two registers of 16 words with AVX-512, of one of 8 with AVX2
 */
#include "emit/llvm/place_priv.h"

#define MOST 32u                    /* words of a table                           */

typedef struct Permuter {
    uint32_t lanes;                 /* of its registers                           */
    uint32_t most;                  /* words of a table that it is worth for      */
} Permuter;

static Permuter permuter_of(const Emit *e)
{
    const Machine *m = e->options->machine;
    if (!m || m->arch != MACHINE_X86_64 || !m->has_avx2)
        return (Permuter){0, 0};
    return m->has_mask_registers ? (Permuter){16, 32} : (Permuter){8, 16};
}

static uint32_t words_of(const Address *a)
{
    uint64_t size = a->var->type->size;
    return size <= MOST * 4 ? (uint32_t)(size / 4) : 0;
}

bool table_suits(const Emit *e, const Address *a, LlvmType type)
{
    uint32_t words = words_of(a);
    return a->var->space == IRSPACE_CONSTANT && a->align == 4 && words > 1 && e->lanes > 2 &&
           words <= permuter_of(e).most && (type == e->f32 || type == e->i32);
}

/* `n` elements of v from `first` on; beyond its last, the last one. */
static LlvmValue part(Emit *e, LlvmValue v, uint32_t first, uint32_t n)
{
    LlvmValue at[MOST];
    uint32_t last = LLVMGetVectorSize(LLVMTypeOf(v)) - 1;
    for (uint32_t i = 0; i < n; i++)
        at[i] = const_i32(e, MIN_OF(first + i, last));
    return LLVMBuildShuffleVector(e->builder, v, LLVMGetPoison(LLVMTypeOf(v)),
                                  LLVMConstVector(at, n), "");
}

/* One register of words for one of indices, out of one or two registers of the table. */
static LlvmValue look_up(Emit *e, LlvmValue table, LlvmValue index, uint32_t n)
{
    bool two = LLVMGetVectorSize(LLVMTypeOf(table)) > n;
    LlvmValue low = part(e, table, 0, n), high = two ? part(e, table, n, n) : NULL;
    if (n == 16 && two)
        return intrinsic(e, "llvm.x86.avx512.vpermi2var.d.512", NULL, 0, 3,
                         (LlvmValue[]){low, index, high});
    const char *name = n == 16 ? "llvm.x86.avx512.permvar.si.512" : "llvm.x86.avx2.permd";
    LlvmValue x = intrinsic(e, name, NULL, 0, 2, (LlvmValue[]){low, index});
    if (!two)
        return x;
    LlvmValue y = intrinsic(e, name, NULL, 0, 2, (LlvmValue[]){high, index});
    LlvmValue bit[MOST], zero = LLVMConstNull(LLVMTypeOf(index));
    for (uint32_t i = 0; i < n; i++)
        bit[i] = const_i32(e, n);
    LlvmValue upper = LLVMBuildAnd(e->builder, index, LLVMConstVector(bit, n), "");
    upper = LLVMBuildICmp(e->builder, LLVMIntNE, upper, zero, "");
    return LLVMBuildSelect(e->builder, upper, y, x, "");
}

LlvmValue table_load(Emit *e, const Address *a, LlvmType type, const LaneAddress *at)
{
    uint32_t n = permuter_of(e).lanes;
    LlvmType words = LLVMVectorType(e->i32, words_of(a));
    LlvmValue table = LLVMBuildLoad2(e->builder, words, at->base, "table");
    LLVMSetAlignment(table, 4);
    LlvmValue all = LLVMGetPoison(lane_type(e, e->i32));
    for (uint32_t first = 0; first < e->lanes; first += n) {
        LlvmValue some = look_up(e, table, part(e, at->units, first, n), n);
        if (e->lanes <= n) {
            all = e->lanes == n ? some : part(e, some, 0, e->lanes);
            break;
        }
        LlvmType types[2] = {LLVMTypeOf(all), LLVMTypeOf(some)};
        all = intrinsic(e, "llvm.vector.insert", types, 2, 3,
                        (LlvmValue[]){all, some, const_i64(e, first)});
    }
    return LLVMBuildBitCast(e->builder, all, lane_type(e, type), "");
}
