// SPDX-License-Identifier: Apache-2.0
/*
 * strip.c - several rounds of a loop at once, where each lane goes along a row.
 *
 * in     a loop that analysis/rows.c has found, all lanes active
 * out    a loop in front of it that takes STRIP_ROUNDS rounds in one: the first loads
 *        what each lane reads in all of them, as vectors that are turned in registers;
 *        the last stores what all have written
 * knows  that these rounds all come, so that nothing is read that they would not read
 * not    what a round does (flow.c)
 */
#include "emit/llvm/place_priv.h"

#define HALF 4u                     /* rounds that are turned at a time           */

typedef struct Row {
    const Inst *access;
    LlvmValue   v[MAX_JAM][STRIP_ROUNDS];
    LlvmValue  *pointers[MAX_JAM];  /* [lanes] of the first round                 */
} Row;

typedef struct Strip {
    const Inst *loop, *counter;
    uint32_t    round;
    VEC(Row)    rows;
} Strip;

bool strip_suits(const Emit *e, const Inst *loop)
{
    return e->lanes >= HALF && !e->strip && analysis_has_rows(e->facts, loop);
}

static const Inst *test_place(const Inst *loop)
{
    const Inst *inst = loop->flow.regions[0]->first;
    while (inst->op != IR_IF)
        inst = inst->next;
    return inst;
}

/* i1: at least STRIP_ROUNDS rounds are left. */
static LlvmValue are_left(Emit *e, const Inst *test)
{
    LLVMBuilderRef b = e->builder;
    LlvmValue p = as_scalar(e, test->args[0], 0), limit = as_scalar(e, test->args[1], 0);
    bool is_signed = test->op == IR_SLT;
    p = is_signed ? LLVMBuildSExt(b, p, e->i64, "") : LLVMBuildZExt(b, p, e->i64, "");
    limit = is_signed ? LLVMBuildSExt(b, limit, e->i64, "")
                      : LLVMBuildZExt(b, limit, e->i64, "");
    LlvmValue left = LLVMBuildSub(b, limit, p, "");
    return LLVMBuildICmp(b, LLVMIntSGE, left, const_i64(e, STRIP_ROUNDS), "");
}

/* What the test is made from, without a round. */
static void emit_test(Emit *e, const Inst *loop, const Inst *end)
{
    for (const Inst *inst = loop->flow.regions[0]->first; inst != end; inst = inst->next)
        flow_inst(e, inst);
}

void strip_loop(Emit *e, Target *t, void (*round)(Emit *e, Target *t, const Inst *test))
{
    const Inst *loop = t->construct, *end = test_place(loop);
    const Inst *test = analysis_row_test(e->facts, loop);
    Strip strip = {.loop = loop, .counter = test->args[0]};
    LlvmBlock header = block_new(e, "strip"), rounds = block_new(e, "rounds");
    LlvmBlock after = block_new(e, "rest");
    jump(e, header);
    block_start(e, header);
    loop_params(e, t);
    emit_test(e, loop, end);
    jump_if(e, are_left(e, test), rounds, after);
    block_start(e, rounds);
    e->strip = &strip;
    for (strip.round = 0; strip.round < STRIP_ROUNDS; strip.round++)
        round(e, t, end);
    e->strip = NULL;
    if (!e->facts->of[loop->id].ends_soon)
        loop_stop_check(e);
    jump(e, header);
    block_start(e, after);
}

/* ---- loads and stores ---- */

/* The row of an access; NULL: it has none. */
static Row *row_of(Emit *e, const Inst *access)
{
    Strip *s = e->strip;
    for (uint32_t i = 0; s && i < s->rows.len; i++)
        if (s->rows.data[i].access == access)
            return &s->rows.data[i];
    if (!s || e->mask || !analysis_is_row(e->facts, s->loop, s->counter, access))
        return NULL;
    Row row = {.access = access};
    VEC_PUSH(e->arena, &s->rows, row);
    return &s->rows.data[s->rows.len - 1];
}

/* Where the first round's is, in each lane. */
static void row_start(Emit *e, Row *row, const Address *a)
{
    if (e->strip->round == 0)
        row->pointers[e->side] = address_pointers(e, a);
}

/* The lanes' pointers, `words` further. */
static LlvmValue *row_pointers(Emit *e, const Row *row, uint32_t words)
{
    LlvmValue *pointers = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
    LlvmValue by = const_i64(e, 4ull * words);
    for (uint32_t i = 0; i < e->lanes; i++)
        pointers[i] = LLVMBuildGEP2(e->builder, e->i8, row->pointers[e->side][i], &by, 1, "");
    return pointers;
}

/* All rounds of f16, which are so many words of two. */
static void load_halves(Emit *e, const Row *row, const Address *a, LlvmValue *v)
{
    LlvmValue words[STRIP_ROUNDS / 2];
    LlvmType  half = lane_type(e, e->f16), bits = lane_type(e, e->i16);
    for (uint32_t at = 0; at < STRIP_ROUNDS / 2; at += HALF)
        rows_load(e, a, e->i32, HALF, row_pointers(e, row, at), &words[at]);
    for (uint32_t i = 0; i < STRIP_ROUNDS; i++) {
        LlvmValue word = words[i / 2];
        if (i % 2)
            word = LLVMBuildLShr(e->builder, word, int_like(e, word, 16), "");
        v[i] = LLVMBuildBitCast(e->builder, LLVMBuildTrunc(e->builder, word, bits, ""), half, "");
    }
}

bool strip_access(Emit *e, const Inst *access)
{
    Row *row = row_of(e, access);
    if (!row)
        return false;
    bool stores = access->op == IR_STORE;
    uint32_t round = e->strip->round;
    LlvmValue *v = row->v[e->side];
    Address a = address_of(e, access->args[0], false);
    row_start(e, row, &a);
    if (stores)
        v[round] = as_lanes(e, access->args[1], 0);
    bool now = round == (stores ? STRIP_ROUNDS - 1 : 0);
    if (now && !stores && access->type.kind == SCALAR_F16) {
        load_halves(e, row, &a, v);
        now = false;
    }
    for (uint32_t at = 0; now && at < STRIP_ROUNDS; at += HALF) {
        LlvmValue *pointers = row_pointers(e, row, at);
        if (stores)
            rows_store(e, &a, &v[at], HALF, pointers);
        else
            rows_load(e, &a, scalar_type(e, (ScalarKind)access->type.kind), HALF, pointers,
                      &v[at]);
    }
    if (!stores)
        set_value(e, access, 0, v[round]);
    return true;
}
