// SPDX-License-Identifier: Apache-2.0
/*
 * rows.c - vectors that lie in memory one a lane, and lanes one at a time.
 *
 * in     a pointer for each lane; or one address a lane (place.c) and the lanes meant
 * out    components, each for all lanes, and back
 * knows  that machines turn squares of four numbers quickly, and that code for what
 *        seldom happens should be short
 * not    bounds
 *
 * A row is the vector of one lane. Rows are loaded and stored whole, and turned in
 * registers. In turn means: in a loop over lanes, whose operands wait on the stack.
 */
#include "emit/llvm/place_priv.h"

#define SQUARE 4u                   /* rows that are turned at a time             */
#define MAX_LANES 32u

/* ---- shuffles ---- */

static LlvmValue shuffle(Emit *e, LlvmValue x, LlvmValue y, const uint32_t *at, uint32_t n)
{
    LlvmValue *mask = ARENA_ARRAY(e->arena, LlvmValue, n);
    for (uint32_t i = 0; i < n; i++)
        mask[i] = const_i32(e, at[i]);
    return LLVMBuildShuffleVector(e->builder, x, y, LLVMConstVector(mask, n), "");
}

/* Both, one after the other. */
static LlvmValue join(Emit *e, LlvmValue x, LlvmValue y)
{
    uint32_t at[4 * MAX_LANES], n = 2 * LLVMGetVectorSize(LLVMTypeOf(x));
    for (uint32_t i = 0; i < n; i++)
        at[i] = i;
    return shuffle(e, x, y, at, n);
}

/* `n` elements from `first` on; those that are not there are not asked for. */
static LlvmValue part(Emit *e, LlvmValue x, uint32_t first, uint32_t n)
{
    uint32_t at[2 * MAX_LANES], have = LLVMGetVectorSize(LLVMTypeOf(x));
    for (uint32_t i = 0; i < n; i++)
        at[i] = MIN_OF(first + i, have);
    return shuffle(e, x, LLVMGetPoison(LLVMTypeOf(x)), at, n);
}

/* In each four elements of x and y: x[i] y[i] x[i+1] y[i+1]. */
static LlvmValue zip(Emit *e, LlvmValue x, LlvmValue y, uint32_t i)
{
    uint32_t at[8], n = LLVMGetVectorSize(LLVMTypeOf(x));
    for (uint32_t k = 0; k < n; k++)
        at[k] = (k & ~3u) + i + (k & 3u) / 2 + (k & 1u) * n;
    return shuffle(e, x, y, at, n);
}

/* In each four elements of x and y: x[i] x[i+1] y[i] y[i+1]. */
static LlvmValue pair(Emit *e, LlvmValue x, LlvmValue y, uint32_t i)
{
    uint32_t at[8], n = LLVMGetVectorSize(LLVMTypeOf(x));
    for (uint32_t k = 0; k < n; k++)
        at[k] = (k & ~3u) + i + (k & 1u) + (k & 2u) / 2 * n;
    return shuffle(e, x, y, at, n);
}

/* The square, or two side by side, with rows for columns. */
static void turn(Emit *e, LlvmValue *v, uint32_t width)
{
    LlvmValue low[2] = {zip(e, v[0], v[1], 0), zip(e, v[2], v[3], 0)};
    LlvmValue high[2] = {NULL, NULL};
    for (uint32_t i = 0; i < 2 && width > 2; i++)
        high[i] = zip(e, v[2 * i], v[2 * i + 1], 2);
    v[0] = pair(e, low[0], low[1], 0);
    v[1] = pair(e, low[0], low[1], 2);
    if (width > 2)
        v[2] = pair(e, high[0], high[1], 0);
    if (width > 3)
        v[3] = pair(e, high[0], high[1], 2);
}

/* ---- rows ---- */

/* There is a fourth after it wherever an array holds it. */
bool rows_have_room(const Address *a)
{
    return !a->viewed && a->var->space != IRSPACE_CONSTANT;
}

static uint32_t row_width(const Address *a, uint32_t width)
{
    return width == 3 && rows_have_room(a) ? SQUARE : width;
}

static LlvmValue row_load(Emit *e, const Address *a, LlvmType type, uint32_t width,
                          LlvmValue pointer)
{
    uint32_t n = row_width(a, width);
    LlvmValue row = memory_load_at(e, a, LLVMVectorType(type, n), pointer);
    return n == SQUARE ? row : part(e, row, 0, SQUARE);
}

void rows_load(Emit *e, const Address *a, LlvmType type, uint32_t width,
               const LlvmValue *pointers, LlvmValue *out)
{
    uint32_t n = MIN_OF(e->lanes, 2 * SQUARE), blocks = e->lanes / n;
    LlvmValue v[8][SQUARE];                     /* [block] */
    for (uint32_t b = 0; b < blocks; b++) {
        const LlvmValue *p = &pointers[b * n];
        for (uint32_t i = 0; i < SQUARE; i++) {
            v[b][i] = row_load(e, a, type, width, p[i]);
            if (n > SQUARE)
                v[b][i] = join(e, v[b][i], row_load(e, a, type, width, p[SQUARE + i]));
        }
        turn(e, v[b], width);
    }
    for (uint32_t step = 1; step < blocks; step *= 2)
        for (uint32_t b = 0; b < blocks; b += 2 * step)
            for (uint32_t c = 0; c < width; c++)
                v[b][c] = join(e, v[b][c], v[b + step][c]);
    for (uint32_t c = 0; c < width; c++)
        out[c] = v[0][c];
}

void rows_store(Emit *e, const Address *a, const LlvmValue *v, uint32_t width,
                const LlvmValue *pointers)
{
    uint32_t n = MIN_OF(e->lanes, 2 * SQUARE);
    for (uint32_t first = 0; first < e->lanes; first += n) {
        LlvmValue rows[SQUARE];
        for (uint32_t c = 0; c < SQUARE; c++)
            rows[c] = part(e, v[MIN_OF(c, width - 1)], first, n);
        turn(e, rows, SQUARE);
        for (uint32_t i = 0; i < n; i++)
            memory_store_at(e, a, part(e, rows[i % SQUARE], i / SQUARE * SQUARE, width),
                            pointers[first + i]);
    }
}

void rows_store_dense(Emit *e, const Address *a, const LlvmValue *v, LlvmValue pointer)
{
    uint32_t n = MIN_OF(e->lanes, 2 * SQUARE);
    for (uint32_t first = 0; first < e->lanes; first += n) {
        LlvmValue rows[SQUARE];
        for (uint32_t c = 0; c < SQUARE; c++)
            rows[c] = part(e, v[c], first, n);
        turn(e, rows, SQUARE);
        for (uint32_t i = 0; i < n; i += 2) {
            LlvmValue by = const_i64(e, (uint64_t)(first + i) * 16);
            LlvmValue two = join(e, part(e, rows[i % SQUARE], i / SQUARE * SQUARE, SQUARE),
                                 part(e, rows[i % SQUARE + 1], i / SQUARE * SQUARE, SQUARE));
            memory_store_at(e, a, two, LLVMBuildGEP2(e->builder, e->i8, pointer, &by, 1, ""));
        }
    }
}

/* ---- pieces: whole.c ---- */

/* Vectors, one after the other. */
static LlvmValue join_all(Emit *e, LlvmValue *v, uint32_t n)
{
    for (; n > 1; n /= 2)
        for (uint32_t i = 0; i < n / 2; i++)
            v[i] = join(e, v[2 * i], v[2 * i + 1]);
    return v[0];
}

/* The row of a lane in pieces. */
static LlvmValue row_of(Emit *e, const LlvmValue *pieces, uint32_t lane)
{
    uint32_t rows = e->lanes / SQUARE;
    return part(e, pieces[lane / rows], lane % rows * SQUARE, SQUARE);
}

/* Pieces from a row for each lane. */
static void pieces_of(Emit *e, LlvmValue *rows, LlvmValue *out)
{
    uint32_t n = e->lanes / SQUARE;
    for (uint32_t k = 0; k < SQUARE; k++)
        out[k] = join_all(e, rows + k * n, n);
}

void rows_apart(Emit *e, const LlvmValue *pieces, LlvmValue *out)
{
    uint32_t n = MIN_OF(e->lanes, 2 * SQUARE), blocks = e->lanes / n;
    LlvmValue v[SQUARE][8];                     /* [component][block] */
    for (uint32_t b = 0; b < blocks; b++) {
        LlvmValue rows[SQUARE];
        for (uint32_t i = 0; i < SQUARE; i++) {
            rows[i] = row_of(e, pieces, b * n + i);
            if (n > SQUARE)
                rows[i] = join(e, rows[i], row_of(e, pieces, b * n + SQUARE + i));
        }
        turn(e, rows, SQUARE);
        for (uint32_t c = 0; c < SQUARE; c++)
            v[c][b] = rows[c];
    }
    for (uint32_t c = 0; c < SQUARE; c++)
        out[c] = join_all(e, v[c], blocks);
}

void rows_together(Emit *e, const LlvmValue *v, LlvmValue *out)
{
    uint32_t n = MIN_OF(e->lanes, 2 * SQUARE);
    LlvmValue *all = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
    for (uint32_t first = 0; first < e->lanes; first += n) {
        LlvmValue rows[SQUARE];
        for (uint32_t c = 0; c < SQUARE; c++)
            rows[c] = part(e, v[c], first, n);
        turn(e, rows, SQUARE);
        for (uint32_t i = 0; i < n; i++)
            all[first + i] = part(e, rows[i % SQUARE], i / SQUARE * SQUARE, SQUARE);
    }
    pieces_of(e, all, out);
}

void rows_load_whole(Emit *e, const Address *a, LlvmType type, const LlvmValue *pointers,
                     LlvmValue *out)
{
    LlvmValue *rows = ARENA_ARRAY(e->arena, LlvmValue, e->lanes);
    for (uint32_t i = 0; i < e->lanes; i++)
        rows[i] = memory_load_at(e, a, LLVMVectorType(type, SQUARE), pointers[i]);
    pieces_of(e, rows, out);
}

void rows_store_whole(Emit *e, const Address *a, const LlvmValue *pieces,
                      const LlvmValue *pointers)
{
    for (uint32_t i = 0; i < e->lanes; i++)
        memory_store_at(e, a, row_of(e, pieces, i), pointers[i]);
}

LlvmValue rows_joined(Emit *e, const LlvmValue *pieces)
{
    LlvmValue v[SQUARE] = {pieces[0], pieces[1], pieces[2], pieces[3]};
    return join_all(e, v, SQUARE);
}

/* ---- in turn ---- */

/* Memory of the emitter for all lanes of one component; the same for all loops. */
static LlvmValue waiting(Emit *e, uint32_t which)
{
    if (!e->waiting[which])
        e->waiting[which] = LLVMBuildAlloca(e->entry, lane_type(e, e->i64), "waiting");
    return e->waiting[which];
}

static void put(Emit *e, uint32_t which, LlvmValue v)
{
    LLVMBuildStore(e->builder, v, waiting(e, which));
}

static LlvmValue in_lane(Emit *e, uint32_t which, LlvmType type, LlvmValue lane)
{
    return LLVMBuildGEP2(e->builder, type, waiting(e, which), &lane, 1, "");
}

/* The address of component c in a lane. The load is volatile so that it stays one: LLVM 19
 * for x86 would take the first lane out of the vector that was stored, with its neighbour,
 * and forget to clear that. */
static LlvmValue component(Emit *e, const LaneAddress *l, LlvmValue lane, LlvmType type,
                           uint32_t c)
{
    LlvmValue units = LLVMBuildLoad2(e->builder, e->i32, in_lane(e, 0, e->i32, lane), "");
    LLVMSetVolatile(units, true);
    LlvmValue at = address_unit(e, l, LLVMBuildZExt(e->builder, units, e->i64, ""));
    LlvmValue by = const_i64(e, c);
    return LLVMBuildGEP2(e->builder, type, at, &by, 1, "");
}

typedef struct Turns {
    LlvmBlock loop, after;
    LlvmValue lane, bits;
} Turns;

/* A loop over the lanes in `bits`, of which there is at least one. */
static Turns turns_open(Emit *e, LlvmValue bits)
{
    Turns t = {block_new(e, "turn"), block_new(e, "turns.end"), NULL, NULL};
    LlvmBlock before = LLVMGetInsertBlock(e->builder);
    LlvmType type = LLVMTypeOf(bits);
    jump(e, t.loop);
    block_start(e, t.loop);
    t.bits = LLVMBuildPhi(e->builder, type, "");
    LLVMAddIncoming(t.bits, &bits, &before, 1);
    LlvmValue lane = intrinsic(e, "llvm.cttz", &type, 1, 2,
                               (LlvmValue[]){t.bits, LLVMConstInt(e->i1, 1, false)});
    t.lane = LLVMBuildZExt(e->builder, lane, e->i64, "");
    return t;
}

static void turns_close(Emit *e, const Turns *t)
{
    LlvmType type = LLVMTypeOf(t->bits);
    LlvmValue less = LLVMBuildSub(e->builder, t->bits, LLVMConstInt(type, 1, false), "");
    LlvmValue left = LLVMBuildAnd(e->builder, t->bits, less, "");
    LlvmBlock now = LLVMGetInsertBlock(e->builder);
    LLVMAddIncoming(t->bits, &left, &now, 1);
    LlvmValue any = LLVMBuildICmp(e->builder, LLVMIntNE, left, LLVMConstNull(type), "");
    jump_if(e, any, t->loop, t->after);
    block_start(e, t->after);
}

void lanes_load_in_turn(Emit *e, const Address *a, const LaneAddress *l, LlvmType type,
                        uint32_t width, LlvmValue *out)
{
    put(e, 0, l->units);
    LlvmType bits = LLVMIntTypeInContext(e->context, e->lanes);
    Turns t = turns_open(e, LLVMConstAllOnes(bits));
    for (uint32_t c = 0; c < width; c++) {
        LlvmValue from = component(e, l, t.lane, type, c);
        LLVMBuildStore(e->builder, memory_load_at(e, a, type, from),
                       in_lane(e, 1 + c, type, t.lane));
    }
    turns_close(e, &t);
    for (uint32_t c = 0; c < width; c++)
        out[c] = LLVMBuildLoad2(e->builder, lane_type(e, type), waiting(e, 1 + c), "");
}

void lanes_store_in_turn(Emit *e, const Address *a, const LaneAddress *l, const LlvmValue *v,
                         uint32_t width, LlvmValue mask)
{
    LlvmBlock some = block_new(e, "some"), done = block_new(e, "scattered");
    LlvmType type = LLVMGetElementType(LLVMTypeOf(v[0]));
    jump_if(e, mask_any(e, mask), some, done);
    block_start(e, some);
    put(e, 0, l->units);
    for (uint32_t c = 0; c < width; c++)
        put(e, 1 + c, v[c]);
    Turns t = turns_open(e, mask_bits(e, mask));
    for (uint32_t c = 0; c < width; c++) {
        LlvmValue x = LLVMBuildLoad2(e->builder, type, in_lane(e, 1 + c, type, t.lane), "");
        memory_store_at(e, a, x, component(e, l, t.lane, type, c));
    }
    turns_close(e, &t);
    jump(e, done);
    block_start(e, done);
}
