// SPDX-License-Identifier: Apache-2.0
/*
 * gen_module.c - the whole module: types, buffers, functions, the entry point.
 */
#include "gen_priv.h"

#define MAX_TOTAL 300u              /* invocations; more take longer, not more ways */

/* ---- sizes ---- */

static void choose_sizes(Gen *g)
{
    static const uint8_t sizes[][3] = {
        {64, 1, 1}, {32, 1, 1}, {16, 1, 1}, {8, 1, 1}, {1, 1, 1}, {5, 1, 1}, {17, 1, 1},
        {33, 1, 1}, {8, 8, 1}, {4, 4, 4}, {16, 4, 1}, {3, 5, 2}, {1, 16, 1}, {1, 1, 9},
        {2, 16, 1}, {48, 1, 1}, {7, 3, 1}, {128, 1, 1},
    };
    const uint8_t *size = sizes[pick(g, COUNTOF(sizes))];
    g->invocations = g->total = 1;
    for (int i = 0; i < 3; i++) {
        g->size[i] = size[i];
        g->groups[i] = 1 + pick(g, i == 0 ? 3 : 2);
        g->invocations *= size[i];
        g->total *= size[i] * g->groups[i];
    }
    for (int i = 2; i >= 0 && g->total > MAX_TOTAL; i--) {
        g->total /= g->groups[i];
        g->groups[i] = 1;
    }
}

/* ---- declarations ---- */

static void declare_structs(Gen *g)
{
    for (uint32_t n = pick(g, 4); n > 0; n--) {
        const Ty *fields[MAX_FIELDS];
        uint32_t count = 1 + pick(g, MAX_FIELDS);
        for (uint32_t i = 0; i < count; i++)
            fields[i] = ty_any(g, n > 1, 1);
        ty_struct(g, fields, count);
    }
}

/* A structure that the uniform address space takes: no arrays. */
static const Ty *uniform_struct(Gen *g)
{
    const Ty *fields[MAX_FIELDS] = {ty_vector(g, KIND_U32, 1), ty_vector(g, KIND_U32, 4)};
    g->no_doubles = true;
    for (uint32_t i = 2; i < MAX_FIELDS; i++)
        fields[i] = chance(g, 30) ? ty_matrix(g, KIND_F32, 2 + pick(g, 3), 2 + pick(g, 3))
                                  : ty_any_vector(g, true);
    g->no_doubles = false;
    const Ty *t = ty_struct(g, fields, MAX_FIELDS);
    g->structs.len--;                       /* not for others */
    return t;
}

static void input_buffers(Gen *g, GenProgram *out)
{
    const Ty *u = ty_vector(g, KIND_U32, 1), *any = ty_any(g, true, 1), *cfg = uniform_struct(g);
    uint32_t count = 4 * g->total + 64;
    GenBuffer *b = gen_buffer(g, out, "cfg", cfg);
    line(g, "@group(0) @binding(%u) var<uniform> cfg : %s;", b->binding, cfg->name);
    var_add(g, (Var){.text = "cfg", .type = cfg, .uniform = true, .space = SPACE_UNIFORM});
    g->uniform = cfg->fields[1];
    array_buffer(g, out, "in_u", "read", u, count);
    var_add(g, (Var){.text = "in_u", .type = ty_array(g, u, count), .uniform = true,
                     .large = true});
    array_buffer(g, out, "in_x", "read", any, count);
    var_add(g, (Var){.text = "in_x", .type = ty_array(g, any, count), .uniform = true,
                     .large = true, .space = SPACE_READ});
    g->readable = any;
}

/* Elements that belong to an invocation: side by side, or one in each plane. */
static void slots(Gen *g, GenProgram *out, const char *name, const Ty *of)
{
    uint32_t each = 1 + pick(g, 4);
    array_buffer(g, out, name, "read_write", of, g->total * each);
    const char *slot = chance(g, 50) ? put(g, "%s[me * %uu + u32(%%s)]", name, each)
                                     : put(g, "%s[u32(%%s) * %uu + me]", name, g->total);
    var_add(g, (Var){.text = name, .slot = slot, .type = ty_array(g, of, each), .write = true});
}

static void output_buffers(Gen *g, GenProgram *out)
{
    const Ty *u = ty_vector(g, KIND_U32, 1), *i = ty_vector(g, KIND_I32, 1);
    const Ty *f3 = ty_vector(g, KIND_F32, 3), *any = ty_any(g, true, 2);
    array_buffer(g, out, "out_h", "read_write", u, g->total);
    slots(g, out, "out_u", u);
    slots(g, out, "out_v", ty_any_vector(g, true));
    array_buffer(g, out, "out_x", "read_write", any, g->total);
    var_add(g, (Var){.text = "out_x[me]", .type = any, .write = true});
    GenBuffer *b = gen_buffer(g, out, "acc_u", ty_array(g, u, CLASS_COUNT));
    line(g, "@group(0) @binding(%u) var<storage, read_write> acc_u : array<atomic<u32>, %u>;",
         b->binding, (unsigned)CLASS_COUNT);
    line(g, "struct Acc { before : vec2<u32>, all : array<atomic<i32>, %u> }",
         (unsigned)CLASS_COUNT);
    b = gen_buffer(g, out, "acc_i", ty_array(g, u, CLASS_COUNT + 2));
    line(g, "@group(0) @binding(%u) var<storage, read_write> acc_i : Acc;", b->binding);
    b = gen_buffer(g, out, "own_a", ty_array(g, i, g->total));
    line(g, "@group(0) @binding(%u) var<storage, read_write> own_a : array<atomic<i32>>;",
         b->binding);
    array_buffer(g, out, "junk", "read_write", u, 16 + pick(g, 40))->ignored = true;
    array_buffer(g, out, "junk_3", "read_write", f3, 4 + pick(g, 9))->ignored = true;
}

static void declare_variables(Gen *g)
{
    const Ty *u = ty_vector(g, KIND_U32, 1);
    line(g, "var<private> me : u32;");
    line(g, "var<private> li : u32;");
    var_add(g, (Var){.text = "me", .type = u});
    line(g, "var<private> junk_p : array<u32, 7>;");
    line(g, "var<private> junk_m : mat3x2<f32>;");
    line(g, "var<workgroup> junk_w : array<u32, 9>;");
    line(g, "const table = array<u32, 6>(%uu, %uu, %uu, 4u, 5u, 6u);", number(g), number(g),
         number(g));
    var_add(g, (Var){.text = "table", .slot = "table[(u32(%s) + cfg.f0) % 6u]", .uniform = true,
                     .type = ty_array(g, u, 6)});
    for (uint32_t n = pick(g, 3); n > 0; n--) {
        const Ty *t = ty_any(g, false, 2);
        const char *name = name_new(g, "g");
        line(g, "var<private> %s : %s;", name, t->name);
        var_add(g, (Var){.text = name, .type = t, .write = true});
    }
}

/* ---- functions ---- */

static void start_flow(Gen *g, bool uniform)
{
    g->uniform_flow = uniform;
    g->returned = false;
    g->nloops = 0;
    g->repeats = 1;
    g->depth = 0;
}

static void function(Gen *g)
{
    Fn fn = {.name = name_new(g, "f"), .nparams = pick(g, MAX_PARAMS), .syncs = chance(g, 20)};
    uint32_t mark = g->vars.len;
    uint64_t cost = g->cost;
    uint32_t size = g->statements;
    fn.result = chance(g, 70) ? ty_any(g, false, 1) : NULL;
    char *list = put(g, "fn %s(", fn.name);
    for (uint32_t i = 0; i < fn.nparams; i++) {
        const char *name = name_new(g, "a");
        bool pointer = chance(g, 40);
        Space *space = &fn.spaces[i];
        fn.params[i] = pointer ? pointer_choose(g, space) : ty_any(g, false, 1);
        list = put(g, "%s%s%s : %s", list, i ? ", " : "", name,
                   pointer ? pointer_name(g, fn.params[i], *space) : fn.params[i]->name);
        var_add(g, (Var){.text = pointer ? put(g, "(*%s)", name) : name, .space = *space,
                         .type = fn.params[i],
                         .write = pointer && *space != SPACE_READ && *space != SPACE_UNIFORM});
    }
    if (fn.syncs)
        sync_show(g);
    start_flow(g, fn.syncs);
    g->fn = &fn;
    g->cost = 0;
    g->statements = 0;
    open_block(g, fn.result ? "%s) -> %s {" : "%s) {", list,
               fn.result ? fn.result->name : "");
    block(g, 6);
    g->fuel = 12;
    if (sync_possible(g) && !g->ended)
        sync_restore(g, (Modes){0});
    fn.parts = fn.syncs && g->returned;
    if (fn.result && !g->ended)
        line(g, "return %s;", expr_text(g, fn.result, 3));
    close_block(g);
    fn.cost = g->cost + 1;
    fn.size = g->statements + 1;
    g->cost = cost;
    g->statements = size;
    g->fn = NULL;
    g->vars.len = mark;
    g->shows = false;
    VEC_PUSH(g->arena, &g->fns, fn);
}

/* ---- the entry point ---- */

static void show_inputs(Gen *g)
{
    const Ty *u3 = ty_vector(g, KIND_U32, 3), *u = ty_vector(g, KIND_U32, 1);
    var_add(g, (Var){.text = "gid", .type = u3});
    var_add(g, (Var){.text = "lid", .type = u3});
    var_add(g, (Var){.text = "li", .type = u});
    var_add(g, (Var){.text = "wid", .type = u3, .uniform = true});
    var_add(g, (Var){.text = "nwg", .type = u3, .uniform = true});
    if (g->subgroups)
        var_add(g, (Var){.text = "sg", .type = u});
}

static void set_me(Gen *g)
{
    const uint32_t *s = g->size;
    line(g, "li = index;");
    if (g->total == s[0] * g->groups[0] && chance(g, 60))
        line(g, "me = gid.x;");
    else if (chance(g, 50))
        line(g, "me = ((wid.z * nwg.y + wid.y) * nwg.x + wid.x) * %uu + index;", g->invocations);
    else
        line(g, "me = (gid.z * nwg.y * %uu + gid.y) * (nwg.x * %uu) + gid.x;", s[1], s[0]);
}

/* One number of a variable goes into the sum of all. */
static void digest(Gen *g, const Var *v)
{
    const Ty *type = NULL;
    uint32_t len = g->vars.len;
    VEC(Var) all = {g->vars.data, g->vars.len, g->vars.cap};
    Var *one = arena_copy(g->arena, v, sizeof *v);
    g->vars.data = one;
    g->vars.len = 1;
    g->fuel = 0;
    const char *path = NULL;
    for (int tries = 0; tries < 8; tries++) {
        path = path_any(g, false, &type);
        if (path && type->form == FORM_VECTOR && type->width == 1)
            break;
        path = NULL;
    }
    g->vars.data = all.data;
    g->vars.len = len;
    g->vars.cap = all.cap;
    if (!path)
        return;
    if (ty_is_float(type))
        line(g, "h = h * 31u + u32(i32(f32(%s) * 8.0f));", path);
    else
        line(g, "h = h * 31u + u32(%s);", path);
}

static void main_function(Gen *g, GenProgram *out)
{
    uint32_t mark = g->vars.len;
    const char *width = g->size_name ? g->size_name : put(g, "%u", g->size[0]);
    pointees_declare(g, out);
    line(g, "@compute @workgroup_size(%s, %u, %u)", width, g->size[1], g->size[2]);
    line(g, "fn main(@builtin(global_invocation_id) gid : vec3<u32>,");
    line(g, "        @builtin(local_invocation_id) lid : vec3<u32>,");
    line(g, "        @builtin(local_invocation_index) index : u32,");
    if (g->subgroups)
        line(g, "        @builtin(subgroup_invocation_id) sg : u32,");
    line(g, "        @builtin(workgroup_id) wid : vec3<u32>,");
    open_block(g, "        @builtin(num_workgroups) nwg : vec3<u32>) {");
    set_me(g);
    show_inputs(g);
    sync_show(g);
    start_flow(g, true);
    for (uint32_t n = 3 + pick(g, 12); n > 0 && may_grow(g); n--)
        statement(g);
    line(g, "var h : u32 = 1u;");
    for (uint32_t i = 0, n = g->vars.len; i < n; i++)
        if (i >= mark || g->vars.data[i].write)
            digest(g, &g->vars.data[i]);
    line(g, "out_h[me] = h;");
    close_block(g);
    g->vars.len = mark;
}

/* ---- the module ---- */

static void module(Gen *g, GenProgram *out)
{
    g->text.arena = g->arena;
    g->halves = chance(g, 40);
    g->doubles = chance(g, 35);
    g->subgroups = chance(g, 25);
    choose_sizes(g);
    if (g->halves)
        line(g, "enable f16;");
    if (g->doubles)
        line(g, "enable weft_f64;");
    if (g->subgroups)
        line(g, "enable subgroups;");
    line(g, "requires uniform_buffer_standard_layout, immediate_address_space;");
    declare_structs(g);
    plain_declare(g);
    overrides_declare(g, out);
    input_buffers(g, out);
    spaces_declare(g, out);
    output_buffers(g, out);
    declare_variables(g);
    sync_declare(g);
    for (uint32_t n = pick(g, 4); n > 0; n--)
        function(g);
    main_function(g, out);
    out->text = (Str){g->text.data, (uint32_t)g->text.len};
    memcpy(out->groups, g->groups, sizeof out->groups);
    out->subgroups = g->subgroups;
}

void gen_from_seed(GenProgram *out, Arena *a, uint64_t seed)
{
    Gen *g = ARENA_NEW(a, Gen);
    g->arena = a;
    g->state = seed * 0xd1342543de82ef95u + 0x632be59bd9b4e019u;
    *out = (GenProgram){0};
    module(g, out);
}

void gen_from_bytes(GenProgram *out, Arena *a, const uint8_t *bytes, size_t size)
{
    Gen *g = ARENA_NEW(a, Gen);
    g->arena = a;
    g->bytes = bytes;
    g->nbytes = size;
    *out = (GenProgram){0};
    module(g, out);
}
