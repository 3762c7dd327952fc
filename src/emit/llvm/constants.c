// SPDX-License-Identifier: Apache-2.0
/*
 * constants.c - loads the constants of functions that have very many of them.
 *
 * in     a module after LLVM's passes
 * out    the same, in which functions with more than MANY distinct floats and vectors load
 *        these from tables, one for each type, where they are used
 * why    code generation compares each new entry of a function's constant pool with all
 *        others, and folds casts of both where their types differ
 * not    integer scalars, which instructions contain; vectors of truths, which are masks
 *
 * LLVM's passes would put the constants back, but run before. A vector whose elements are equal
 * takes one element of a table: code generation broadcasts it on its way from memory.
 */
#include "emit/llvm/target_priv.h"

#define MANY 1000u                  /* constants of a function that stay in it    */

typedef struct Table {
    LlvmType  type;                 /* of its elements                            */
    LlvmValue global;
    VEC(LlvmValue) elements;
} Table;

typedef struct Entry {
    LlvmValue constant;
    uint32_t  table, index;
} Entry;

typedef struct Use {
    LlvmValue user;
    unsigned  operand;
    uint32_t  entry;
} Use;

typedef struct Pool {
    Emit *e;
    VEC(Use)   uses;
    VEC(Entry) entries;             /* in the order of their first uses           */
    VEC(Table) tables;
    uint32_t *slots;                /* open hash by constant: entry + 1; 0: free  */
    uint32_t  mask;
} Pool;

/* ---- which constants ---- */

static bool is_float(LlvmType type)
{
    LLVMTypeKind kind = LLVMGetTypeKind(type);
    if (kind == LLVMVectorTypeKind)
        kind = LLVMGetTypeKind(LLVMGetElementType(type));
    return kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

/* A vector fills its place in a table. */
static bool fills_place(const Emit *e, LlvmType type)
{
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(e->module);
    return LLVMABISizeOfType(layout, type) == LLVMStoreSizeOfType(layout, type);
}

/* Zeros and vectors of ones in all bits are made without memory. ConstantDataVector: none of
 * its elements is undefined, or narrower than a byte. */
static bool is_pooled(const Emit *e, LlvmValue v)
{
    if (LLVMIsAConstantDataVector(v))
        return !LLVMIsNull(v) && v != LLVMConstAllOnes(LLVMTypeOf(v)) &&
               fills_place(e, LLVMTypeOf(v));
    return LLVMIsAConstantFP(v) && !LLVMIsNull(v) &&
           LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMVectorTypeKind && is_float(LLVMTypeOf(v));
}

/* Whether a phi may have another value than that of another branch from the same block. */
static bool is_only_branch(LlvmValue phi, unsigned incoming)
{
    LlvmValue branch = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, incoming));
    unsigned n = LLVMGetNumSuccessors(branch);
    return n == 1 || (n == 2 && LLVMGetSuccessor(branch, 0) != LLVMGetSuccessor(branch, 1));
}

/* Whether an instruction takes any value here as well as a constant. Shifts, divisions,
 * permutations and the intrinsics of integers have better code for constants. */
static bool takes_values(LlvmValue user, unsigned operand)
{
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMFAdd: case LLVMFSub: case LLVMFMul: case LLVMFDiv: case LLVMFCmp:
    case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMAnd: case LLVMOr: case LLVMXor:
    case LLVMICmp: case LLVMSelect: case LLVMStore:
        return true;
    case LLVMPHI:
        return is_only_branch(user, operand);
    case LLVMInsertElement:
        return operand == 1;
    case LLVMCall:
        return is_float(LLVMTypeOf(LLVMGetOperand(user, operand)));
    default:
        return false;
    }
}

static void find_operands(Pool *p, LlvmValue user)
{
    for (int k = 0; k < LLVMGetNumOperands(user); k++) {
        LlvmValue v = LLVMGetOperand(user, (unsigned)k);
        if (v && LLVMIsConstant(v) && is_pooled(p->e, v) && takes_values(user, (unsigned)k)) {
            Use use = {.user = user, .operand = (unsigned)k};
            VEC_PUSH(p->e->arena, &p->uses, use);
        }
    }
}

static void find_uses(Pool *p, LlvmValue fn)
{
    for (LlvmBlock b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LlvmValue i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            find_operands(p, i);
}

/* ---- tables ---- */

static uint32_t *slot_of(const Pool *p, LlvmValue constant)
{
    uint32_t at = (uint32_t)((uintptr_t)constant >> 4) * 0x9e3779b1u >> 8 & p->mask;
    while (p->slots[at] && p->entries.data[p->slots[at] - 1].constant != constant)
        at = (at + 1) & p->mask;
    return &p->slots[at];
}

static uint32_t entry_of(Pool *p, LlvmValue constant)
{
    uint32_t *slot = slot_of(p, constant);
    if (!*slot) {
        Entry entry = {.constant = constant};
        VEC_PUSH(p->e->arena, &p->entries, entry);
        *slot = p->entries.len;
    }
    return *slot - 1;
}

static void find_distinct(Pool *p)
{
    uint32_t size = 64;
    while (size < p->uses.len * 2)
        size *= 2;
    p->mask = size - 1;
    p->slots = ARENA_ARRAY(p->e->arena, uint32_t, size);
    for (uint32_t i = 0; i < p->uses.len; i++) {
        Use *use = &p->uses.data[i];
        use->entry = entry_of(p, LLVMGetOperand(use->user, use->operand));
    }
}

/* What all elements of a vector are, or the constant itself. */
static LlvmValue element_of(LlvmValue constant)
{
    if (LLVMGetTypeKind(LLVMTypeOf(constant)) != LLVMVectorTypeKind)
        return constant;
    LlvmValue first = LLVMGetAggregateElement(constant, 0);
    for (unsigned i = 1; i < LLVMGetVectorSize(LLVMTypeOf(constant)); i++)
        if (LLVMGetAggregateElement(constant, i) != first)
            return constant;
    return first;
}

static uint32_t table_of(Pool *p, LlvmType type)
{
    uint32_t n = 0;
    while (n < p->tables.len && p->tables.data[n].type != type)
        n++;
    if (n == p->tables.len)
        VEC_PUSH(p->e->arena, &p->tables, (Table){.type = type});
    return n;
}

static void place_constants(Pool *p)
{
    for (uint32_t i = 0; i < p->entries.len; i++) {
        Entry *entry = &p->entries.data[i];
        LlvmValue element = element_of(entry->constant);
        entry->table = table_of(p, LLVMTypeOf(element));
        Table *t = &p->tables.data[entry->table];
        entry->index = t->elements.len;
        VEC_PUSH(p->e->arena, &t->elements, element);
    }
}

static void make_global(Emit *e, Table *t)
{
    LlvmValue all = LLVMConstArray2(t->type, t->elements.data, t->elements.len);
    t->global = LLVMAddGlobal(e->module, LLVMTypeOf(all), "constants");
    LLVMSetInitializer(t->global, all);
    LLVMSetGlobalConstant(t->global, true);
    LLVMSetLinkage(t->global, LLVMPrivateLinkage);
}

/* ---- loads ---- */

static LlvmValue broadcast(Emit *e, LlvmValue v, LlvmType type)
{
    LlvmType zeros = LLVMVectorType(e->i32, LLVMGetVectorSize(type));
    LlvmValue none = LLVMGetPoison(type);
    v = LLVMBuildInsertElement(e->builder, none, v, const_i32(e, 0), "");
    return LLVMBuildShuffleVector(e->builder, v, none, LLVMConstNull(zeros), "");
}

/* Where the builder is. */
static LlvmValue load_constant(const Pool *p, const Entry *entry)
{
    Emit *e = p->e;
    const Table *t = &p->tables.data[entry->table];
    LlvmValue index = const_i32(e, entry->index);
    LlvmValue at = LLVMConstInBoundsGEP2(t->type, t->global, &index, 1);
    LlvmValue v = LLVMBuildLoad2(e->builder, t->type, at, "");
    LLVMSetMetadata(v, LLVMGetMDKindIDInContext(e->context, "invariant.load", 14),
                    LLVMMetadataAsValue(e->context, LLVMMDNodeInContext2(e->context, NULL, 0)));
    LlvmType type = LLVMTypeOf(entry->constant);
    return type == t->type ? v : broadcast(e, v, type);
}

/* The load is right before its user; for a phi at the end of the incoming block. */
static void replace_use(const Pool *p, const Use *use)
{
    LlvmValue before = use->user;
    if (LLVMIsAPHINode(before))
        before = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(before, use->operand));
    LLVMPositionBuilderBefore(p->e->builder, before);
    LLVMSetOperand(use->user, use->operand, load_constant(p, &p->entries.data[use->entry]));
}

static void load_constants(Emit *e, LlvmValue fn)
{
    Pool p = {.e = e};
    find_uses(&p, fn);
    if (p.uses.len > MANY)
        find_distinct(&p);
    if (p.entries.len <= MANY)
        return;
    place_constants(&p);
    for (uint32_t i = 0; i < p.tables.len; i++)
        make_global(e, &p.tables.data[i]);
    for (uint32_t i = 0; i < p.uses.len; i++)
        replace_use(&p, &p.uses.data[i]);
}

void constants_load(Emit *e)
{
    for (LlvmValue f = LLVMGetFirstFunction(e->module); f; f = LLVMGetNextFunction(f))
        load_constants(e, f);
}
