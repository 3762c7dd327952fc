// SPDX-License-Identifier: Apache-2.0
/*
 * gen_sync.c - workgroup memory, barriers, atomics, subgroups.
 *
 * A workgroup array has two modes. Either each invocation reads and writes its own
 * element, or all read all; a barrier lies between. Workgroup atomics are either
 * added to by all, or read by all.
 */
#include "gen_priv.h"

#define MAX_SHARED 3u

/* ---- modes ---- */

static void show(Gen *g, Shared *s)
{
    Var *v = &g->vars.data[s->var];
    if (g->closed)
        *v = (Var){.text = "me", .type = ty_vector(g, KIND_U32, 1)};
    else if (s->reading)
        *v = (Var){.text = s->name, .type = s->array};
    else
        *v = (Var){.text = put(g, "%s[li]", s->name), .type = s->array->of, .write = true};
}

Modes sync_modes(const Gen *g)
{
    Modes m = {.atomics_reading = g->atomics_reading};
    for (uint32_t i = 0; i < g->shared.len; i++)
        m.reading[i] = g->shared.data[i].reading;
    return m;
}

void sync_set(Gen *g, Modes m)
{
    g->atomics_reading = m.atomics_reading;
    for (uint32_t i = 0; i < g->shared.len; i++) {
        g->shared.data[i].reading = m.reading[i];
        if (g->shows)
            show(g, &g->shared.data[i]);
    }
}

static bool same_modes(const Gen *g, Modes x, Modes y)
{
    bool same = x.atomics_reading == y.atomics_reading;
    for (uint32_t i = 0; i < g->shared.len; i++)
        same &= x.reading[i] == y.reading[i];
    return same;
}

void sync_restore(Gen *g, Modes m)
{
    if (g->closed || same_modes(g, sync_modes(g), m))
        return;
    line(g, "workgroupBarrier();");
    sync_set(g, m);
}

void sync_end(Gen *g, Modes found)
{
    if (sync_possible(g) && !g->ended)
        sync_restore(g, found);
    else if (!g->ended && !same_modes(g, sync_modes(g), found))
        g->closed = true;
    sync_set(g, found);
}

bool flow_after(const Gen *g, bool before)
{
    bool together = before && !g->returned;
    for (uint32_t i = 0; i < g->nloops; i++)
        together &= !g->loops[i].parted;
    return together;
}

/* ---- declarations ---- */

/* Such an array is a type of its own. */
static const Ty *sized_by_override(Gen *g, const Ty *array)
{
    Ty *t = arena_copy(g->arena, array, sizeof *array);
    t->name = put(g, "array<%s, %s>", array->of->name, g->size_name);
    return t;
}

void sync_declare(Gen *g)
{
    uint32_t n = pick(g, MAX_SHARED + 1);
    for (uint32_t i = 0; i < n; i++) {
        const Ty *of = ty_any(g, false, 1);
        Shared s = {.name = name_new(g, "w"),
                    .array = ty_array(g, of, g->invocations + pick(g, 3))};
        if (g->size_name && s.array->count == g->size[0])
            s.array = sized_by_override(g, s.array);
        line(g, "var<workgroup> %s : %s;", s.name, s.array->name);
        VEC_PUSH(g->arena, &g->shared, s);
    }
    g->has_atomics = chance(g, 40);
    if (g->has_atomics)
        line(g, "var<workgroup> wa : array<atomic<u32>, %u>;", (unsigned)CLASS_COUNT);
}

void sync_show(Gen *g)
{
    for (uint32_t i = 0; i < g->shared.len; i++) {
        g->shared.data[i].var = g->vars.len;
        var_add(g, (Var){0});
    }
    g->shows = true;
    g->closed = false;
    sync_set(g, (Modes){0});
}

bool sync_possible(const Gen *g)
{
    return g->uniform_flow && !g->returned && (!g->fn || g->fn->syncs) && !g->in_continuing;
}

bool sync_outdates(const Gen *g, const char *path)
{
    for (uint32_t i = 0; i < g->shared.len && sync_possible(g); i++) {
        const char *name = g->shared.data[i].name;
        size_t length = strlen(name);
        if (strncmp(path, name, length) == 0 && path[length] == '[')
            return true;
    }
    return false;
}

/* ---- statements ---- */

/* Who takes part after the barrier: those below a number that all share. */
static const char *early_condition(Gen *g)
{
    const char *name = name_new(g, "c");
    bool before = g->want_uniform;
    g->want_uniform = true;
    const char *bound = expr_text(g, ty_vector(g, KIND_U32, 1), 2);
    g->want_uniform = before;
    line(g, "let %s = li < u32(%s) %% %uu;", name, bound, g->invocations + 2);
    var_add(g, (Var){.text = name, .type = ty_vector(g, KIND_BOOL, 1)});
    return name;
}

static void flip(Gen *g)
{
    Modes m = sync_modes(g);
    const char *early = g->depth < 5 && chance(g, 30) ? early_condition(g) : NULL;
    for (uint32_t i = 0; i < g->shared.len; i++)
        m.reading[i] ^= chance(g, 60);
    m.atomics_reading ^= chance(g, 50);
    line(g, chance(g, 80) ? "workgroupBarrier();" : "storageBarrier(); workgroupBarrier();");
    sync_set(g, m);
    if (!early)
        return;
    g->early = early;
    g->depth++;
    stmt_if(g);
    g->depth--;
    g->early = NULL;
}

static void uniform_load_atomic(Gen *g)
{
    const char *name = name_new(g, "u");
    line(g, "let %s = workgroupUniformLoad(&wa[%u]);", name, pick(g, CLASS_COUNT));
    var_add(g, (Var){.text = name, .type = ty_vector(g, KIND_U32, 1), .uniform = true});
}

static void uniform_load(Gen *g)
{
    const Shared *s = &g->shared.data[pick(g, g->shared.len)];
    bool before = g->want_uniform;
    g->want_uniform = true;
    const char *index = index_below(g, s->array->count, false);
    g->want_uniform = before;
    const char *name = name_new(g, "u");
    line(g, "let %s = workgroupUniformLoad(&%s[%s]);", name, s->name, index);
    var_add(g, (Var){.text = name, .type = s->array->of, .uniform = true});
}

void stmt_sync(Gen *g)
{
    if (g->has_atomics && g->atomics_reading && chance(g, 25))
        uniform_load_atomic(g);
    else if (g->shared.len && chance(g, 25))
        uniform_load(g);
    else
        flip(g);
}

static const char *class_op(Gen *g, AtomicClass class)
{
    static const char *const ops[CLASS_COUNT] = {
        "atomicAdd", "atomicMax", "atomicMin", "atomicAnd", "atomicOr", "atomicXor",
    };
    return class == CLASS_ADD && chance(g, 30) ? "atomicSub" : ops[class];
}

/* Of memory that all share: the result is not looked at. */
static void shared_atomic(Gen *g, const char *array, Kind kind)
{
    AtomicClass class = (AtomicClass)pick(g, CLASS_COUNT);
    line(g, "%s(&%s[%u], %s);", class_op(g, class), array, (unsigned)class,
         expr_text(g, ty_vector(g, kind, 1), 3));
}

static void own_exchange(Gen *g, const char *value)
{
    const char *name = name_new(g, "x");
    const Ty *i = ty_vector(g, KIND_I32, 1), *b = ty_vector(g, KIND_BOOL, 1);
    line(g, "let %s = atomicCompareExchangeWeak(&own_a[me], %s, %s);", name,
         chance(g, 50) ? "atomicLoad(&own_a[me])" : expr_text(g, i, 2), value);
    var_add(g, (Var){.text = put(g, "%s.old_value", name), .type = i});
    var_add(g, (Var){.text = put(g, "%s.exchanged", name), .type = b});
}

/* Of the invocation's own: all operations, and results that are used. */
static void own_atomic(Gen *g)
{
    static const char *const ops[] = {
        "atomicAdd", "atomicSub", "atomicMax", "atomicMin", "atomicAnd", "atomicOr",
        "atomicXor", "atomicExchange",
    };
    const Ty *i = ty_vector(g, KIND_I32, 1);
    const char *value = expr_text(g, i, 3), *name = name_new(g, "x");
    uint32_t what = pick(g, COUNTOF(ops) + 3);
    if (what == COUNTOF(ops)) {
        own_exchange(g, value);
        return;
    }
    if (what == COUNTOF(ops) + 1) {
        line(g, "atomicStore(&own_a[me], %s);", value);
        return;
    }
    if (what == COUNTOF(ops) + 2)
        line(g, "let %s = atomicLoad(&own_a[me]);", name);
    else
        line(g, "let %s = %s(&own_a[me], %s);", name, ops[what], value);
    var_add(g, (Var){.text = name, .type = i});
}

void stmt_atomic(Gen *g)
{
    bool here = g->has_atomics && (!g->fn || g->fn->syncs) && !g->closed;
    switch (pick(g, 4)) {
    case 0:
        shared_atomic(g, "acc_u", KIND_U32);
        return;
    case 1:
        shared_atomic(g, "acc_i.all", KIND_I32);
        return;
    case 2:
        if (here && g->atomics_reading) {
            const char *name = name_new(g, "x");
            line(g, "let %s = atomicLoad(&wa[%u]);", name, pick(g, CLASS_COUNT));
            var_add(g, (Var){.text = name, .type = ty_vector(g, KIND_U32, 1)});
            return;
        }
        if (here) {
            shared_atomic(g, "wa", KIND_U32);
            return;
        }
        break;
    default:
        break;
    }
    own_atomic(g);
}

/* ---- subgroups ---- */

/* Lanes of other invocations: all must be there. */
static Ex subgroup_move(Gen *g, const Ty *t, Ex x)
{
    static const char *const quads[] = {"quadSwapX", "quadSwapY", "quadSwapDiagonal"};
    switch (pick(g, 5)) {
    case 0: x.text = put(g, "subgroupShuffleXor(%s, %uu)", x.text, 1 + pick(g, 3));  break;
    case 1: x.text = put(g, "subgroupBroadcast(%s, %uu)", x.text, pick(g, 4));       break;
    case 2: x.text = put(g, "quadBroadcast(%s, %uu)", x.text, pick(g, 4));           break;
    case 3: x.text = put(g, "subgroupShuffle(%s, (sg ^ %uu))", x.text, pick(g, 4));  break;
    default: x.text = put(g, "%s(%s)", quads[pick(g, 3)], x.text);                   break;
    }
    (void)t;
    return x;
}

static Ex subgroup_int(Gen *g, Ex x)
{
    static const char *const names[] = {
        "subgroupAdd", "subgroupMul", "subgroupMin", "subgroupMax", "subgroupAnd",
        "subgroupOr", "subgroupXor", "subgroupExclusiveAdd", "subgroupInclusiveAdd",
        "subgroupExclusiveMul", "subgroupInclusiveMul",
    };
    return ex_of(put(g, "%s(%s)", names[pick(g, COUNTOF(names))], x.text));
}

static Ex subgroup_float(Gen *g, const Ty *t, Ex x)
{
    static const char *const names[] = {
        "subgroupMin", "subgroupMax", "subgroupAdd", "subgroupInclusiveAdd",
        "subgroupExclusiveAdd",
    };
    uint32_t i = pick(g, COUNTOF(names));
    x = ex_within(g, t, x, 8, 0);
    return (Ex){.text = put(g, "%s(%s)", names[i], x.text), .max = i < 2 ? 8 : 256};
}

static Ex subgroup_truth(Gen *g, int depth)
{
    const Ty *b = ty_vector(g, KIND_BOOL, 1);
    if (chance(g, 20))
        return ex_of("subgroupElect()");
    return ex_of(put(g, "%s(%s)", chance(g, 50) ? "subgroupAll" : "subgroupAny",
                     expr_unknown(g, b, depth - 1).text));
}

Ex expr_subgroup(Gen *g, const Ty *t, int depth)
{
    if (!g->subgroups || !g->uniform_flow || g->fn || g->returned || g->want_uniform ||
        g->in_continuing || t->form != FORM_VECTOR)
        return ex_of(NULL);
    if (t->kind == KIND_BOOL)
        return t->width == 1 ? subgroup_truth(g, depth) : ex_of(NULL);
    if (t->kind == KIND_U32 && t->width == 4 && chance(g, 30))
        return ex_of(put(g, "subgroupBallot(%s)",
                         expr_unknown(g, ty_vector(g, KIND_BOOL, 1), depth - 1).text));
    Ex x = expr_unknown(g, t, depth - 1);
    if (g->invocations % 16 == 0 && chance(g, 40))
        return subgroup_move(g, t, x);
    if (chance(g, 20)) {
        x.text = put(g, "subgroupBroadcastFirst(%s)", x.text);
        return x;
    }
    return ty_is_float(t) ? subgroup_float(g, t, x) : subgroup_int(g, x);
}
