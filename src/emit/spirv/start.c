// SPDX-License-Identifier: Apache-2.0
/*
 * start.c - what memory starts with, where the driver does not see to it, or not well.
 *
 * in     WORKGROUP variables whose first contents are read; large PRIVATE and CONSTANT
 *        ones
 * out    stores of zeros, those of a workgroup shared out among the invocations, and a
 *        barrier then; stores of tables
 *
 * Every scalar or vector of a type is reached by a path of members and of indices of
 * arrays. Each path becomes one loop over all its indices together. A table's is cut into
 * pieces, each a loop in which the bits of the index select the constant: stores that
 * stand in the code cost the compiler most.
 */
#include "emit/spirv/spirv_priv.h"

#define FEW         256u            /* bytes that may be stored one by one        */
#define FEW_ROUNDS  32u             /* of a loop that lavapipe unrolls; a table that such a
                                       one goes through is gone then              */
#define PIECES      16u             /* of a path in a table, at the most          */
#define PIECE_LEAST 16u             /* elements of one                            */
#define MOST_ROUNDS 8192u           /* of loops for a table: lavapipe has 65535   */

typedef struct Step {
    uint32_t member;                /* of a structure                             */
    uint32_t count;                 /* of an array; 0: a structure                */
    uint64_t bytes;                 /* before the member, or between elements     */
} Step;

typedef struct Path {
    const IrVar *var;
    VEC(Step) steps;
    uint32_t total;                 /* product of the counts                      */
    uint32_t sharers;               /* invocations that store them                */
    SpvId    first;                 /* what the invocation begins with            */
} Path;

/* ---- stores ---- */

/* Splits `i` into the indices of the path, the last one fastest. */
static void store_at(Spirv *s, const Path *p, SpvId type, SpvId i, SpvId value)
{
    const VarState *v = spv_var_state(s, p->var);
    SpvId u32 = spv_type_u32(s),
          *operands = ARENA_ARRAY(s->arena, SpvId, p->steps.len + 1);
    uint32_t left = p->total;
    operands[0] = v->id;
    for (uint32_t k = p->steps.len; k-- > 0;) {
        const Step *step = &p->steps.data[k];
        operands[1 + k] = step->count ? i : spv_const_u32(s, step->member);
        if (!step->count || (left /= step->count) <= 1)
            continue;
        operands[1 + k] = spv_op2(s, SpvOpUMod, u32, i, spv_const_u32(s, step->count));
        i = spv_op2(s, SpvOpUDiv, u32, i, spv_const_u32(s, step->count));
    }
    SpvId pointer = v->id;
    if (p->steps.len)
        pointer = spv_op_new(s, SpvOpAccessChain, spv_type_pointer(s, v->storage, type),
                             p->steps.len + 1, operands);
    spv_put(s, SECTION_CODE, SpvOpStore, OPERANDS(pointer, value));
}

static void store_zero(Spirv *s, const Path *p, SpvId type, SpvId i)
{
    store_at(s, p, type, i, spv_const_null(s, type));
}

/* ---- loops ---- */

typedef struct Count {
    SpvId i;                        /* in the body                                */
    SpvId next, head, again, after;
} Count;

/* From `first` on, while less than `end`. What follows is the body. */
static Count count_begin(Spirv *s, SpvId first, uint32_t end)
{
    Count c = {.next = spv_new_id(s), .head = spv_new_id(s), .again = spv_new_id(s),
               .after = spv_new_id(s)};
    SpvId test = spv_new_id(s), body = spv_new_id(s), before = s->block;
    uint32_t control = s->target->unrolls_initializers ? SpvLoopControlDontUnrollMask
                                                       : SpvLoopControlMaskNone;
    spv_branch(s, c.head);
    spv_block_start(s, c.head);
    c.i = spv_op_new(s, SpvOpPhi, spv_type_u32(s), OPERANDS(first, before, c.next, c.again));
    spv_put(s, SECTION_CODE, SpvOpLoopMerge,
            OPERANDS(c.after, c.again, control));
    spv_branch(s, test);
    spv_block_start(s, test);
    SpvId more = spv_op2(s, SpvOpULessThan, spv_type_value(s, IR_BOOL), c.i,
                         spv_const_u32(s, end));
    spv_branch_if(s, more, body, c.after);
    spv_block_start(s, body);
    return c;
}

static void count_end(Spirv *s, const Count *c, uint32_t step)
{
    spv_branch(s, c->again);
    spv_block_start(s, c->again);
    spv_put(s, SECTION_CODE, SpvOpIAdd,
            OPERANDS(spv_type_u32(s), c->next, c->i, spv_const_u32(s, step)));
    spv_branch(s, c->head);
    spv_block_start(s, c->after);
}

/* ---- zeros ---- */

/* The first `total` invocations store one element each. */
static void store_once(Spirv *s, const Path *p, SpvId type)
{
    SpvId yes = spv_new_id(s), after = spv_new_id(s);
    SpvId mine = spv_op2(s, SpvOpULessThan, spv_type_value(s, IR_BOOL), p->first,
                         spv_const_u32(s, p->total));
    spv_selection_merge(s, after);
    spv_branch_if(s, mine, yes, after);
    spv_block_start(s, yes);
    store_zero(s, p, type, p->first);
    spv_branch(s, after);
    spv_block_start(s, after);
}

static void zero_leaf(Spirv *s, const Path *p, IrType leaf)
{
    SpvId type = spv_type_value(s, leaf);
    if (p->total == p->sharers) {
        store_zero(s, p, type, p->first);
    } else if (p->total < p->sharers) {
        store_once(s, p, type);
    } else {
        Count c = count_begin(s, p->first, p->total);
        store_zero(s, p, type, c.i);
        count_end(s, &c, p->sharers);
    }
}

/* ---- tables ---- */

static SpvId element(Spirv *s, const Path *p, IrType leaf, uint32_t i)
{
    uint64_t bytes = 0;
    for (uint32_t k = p->steps.len; k-- > 0;) {
        const Step *step = &p->steps.data[k];
        bytes += step->count ? i % step->count * step->bytes : step->bytes;
        i = step->count ? i / step->count : i;
    }
    return spv_const_slots(s, leaf, p->var->data + bytes / 4);
}

/* Is this bit of `i` set? As wide as what is to be selected. */
static SpvId test_bit(Spirv *s, IrType leaf, SpvId i, uint32_t bit)
{
    SpvId u32 = spv_type_u32(s), set = spv_op2(s, SpvOpBitwiseAnd, u32, i, spv_const_u32(s, bit));
    SpvId yes = spv_op2(s, SpvOpINotEqual, spv_type_value(s, IR_BOOL), set, spv_const_u32(s, 0));
    if (leaf.width == 1)
        return yes;
    return spv_op_new(s, SpvOpCompositeConstruct, spv_type_value(s, as_kind(leaf, SCALAR_BOOL)),
                      leaf.width, (const SpvId[]){yes, yes, yes, yes});
}

/* The element `from` + the lowest bits of an index, of which `bits` are the tests. */
static SpvId select_element(Spirv *s, const Path *p, IrType leaf, uint32_t from, uint32_t count,
                            const SpvId *bits)
{
    uint32_t half = 1, bit = 0;
    if (count == 1)
        return element(s, p, leaf, from);
    for (; half * 2 < count; half *= 2)
        bit++;
    SpvId low = select_element(s, p, leaf, from, half, bits);
    SpvId high = select_element(s, p, leaf, from + half, count - half, bits);
    return low == high ? low
                       : spv_op3(s, SpvOpSelect, spv_type_value(s, leaf), bits[bit], high, low);
}

static void store_piece(Spirv *s, const Path *p, IrType leaf, uint32_t from, uint32_t count)
{
    SpvId bits[32];
    Count c = count_begin(s, spv_const_u32(s, 0), count);
    for (uint32_t k = 0; k < 32 && UINT32_C(1) << k < count; k++)
        bits[k] = test_bit(s, leaf, c.i, UINT32_C(1) << k);
    SpvId value = select_element(s, p, leaf, from, count, bits);
    SpvId i = spv_op2(s, SpvOpIAdd, spv_type_u32(s), c.i, spv_const_u32(s, from));
    store_at(s, p, spv_type_value(s, leaf), i, value);
    count_end(s, &c, 1);
}

static void table_leaf(Spirv *s, const Path *p, IrType leaf)
{
    uint32_t piece = PIECE_LEAST;
    while (p->total / piece > PIECES)
        piece *= 2;
    for (uint32_t from = 0; from < p->total; from += piece)
        store_piece(s, p, leaf, from, MIN_OF(piece, p->total - from));
}

/* ---- paths ---- */

static void store_leaf(Spirv *s, const Path *p, IrType leaf)
{
    if (p->var->space == IRSPACE_CONSTANT && p->var->data)
        table_leaf(s, p, leaf);
    else
        zero_leaf(s, p, leaf);
}

static void store_array(Spirv *s, Path *p, const MemType *of, uint64_t count, uint64_t stride);

static void store_part(Spirv *s, Path *p, const MemType *mem)
{
    if (mem->kind == MEM_VALUE) {
        store_leaf(s, p, mem->value.type);
        return;
    }
    if (mem->kind == MEM_ARRAY) {
        store_array(s, p, mem->array.of, mem->array.count, mem->array.stride);
        return;
    }
    for (uint32_t i = 0; i < mem->structure.count; i++) {
        const MemField *f = &mem->structure.fields[i];
        VEC_PUSH(s->arena, &p->steps, ((Step){.member = i, .bytes = f->offset}));
        store_part(s, p, f->type);
        p->steps.len--;
    }
}

/* `of` NULL: of words. */
static void store_array(Spirv *s, Path *p, const MemType *of, uint64_t count, uint64_t stride)
{
    uint32_t before = p->total;
    if (count > UINT32_MAX / MAX_OF(before, 1u)) {
        s->too_large = true;
        return;
    }
    VEC_PUSH(s->arena, &p->steps, ((Step){.count = (uint32_t)count, .bytes = stride}));
    p->total *= (uint32_t)count;
    if (of)
        store_part(s, p, of);
    else
        store_leaf(s, p, IR_I32);
    p->steps.len--;
    p->total = before;
}

static void store_variable(Spirv *s, const IrVar *var, uint32_t sharers, SpvId first)
{
    Path p = {.var = var, .total = 1, .sharers = sharers, .first = first};
    if (var->type->kind == MEM_BYTES)
        store_array(s, &p, NULL, (var->type->size + 3) / 4, 4);
    else
        store_part(s, &p, var->type);
}

/* ---- variables ---- */

static bool is_large_table(const MemType *mem)
{
    bool is_short = mem->kind == MEM_ARRAY && mem->array.count <= FEW_ROUNDS;
    return mem->size > (is_short ? 2 * FEW : FEW) && mem->size / 4 <= MOST_ROUNDS;
}

bool spv_start_is_code(const Spirv *s, const IrVar *var)
{
    if (!s->target->unrolls_initializers)
        return false;
    return (var->space == IRSPACE_PRIVATE && var->type->size > FEW)
           || (var->space == IRSPACE_CONSTANT && is_large_table(var->type));
}

void spv_start_own(Spirv *s)
{
    for (uint32_t i = 0; i < s->ir->vars.len; i++)
        if (spv_start_is_code(s, s->ir->vars.data[i]))
            store_variable(s, s->ir->vars.data[i], 1, spv_const_u32(s, 0));
}

void spv_start_workgroup(Spirv *s)
{
    const uint32_t *size = s->ir->workgroup_size;
    bool any = false;
    for (uint32_t i = 0; i < s->ir->vars.len; i++) {
        const IrVar *var = s->ir->vars.data[i];
        if (!s->zeros[var->id])
            continue;
        store_variable(s, var, size[0] * size[1] * size[2],
                       spv_input_value(s, INPUT_LOCAL_INDEX));
        any = true;
    }
    if (any)
        spv_barrier(s, BARRIER_WORKGROUP);
}
