// SPDX-License-Identifier: Apache-2.0
/*
 * gen_space.c - overrides, variables of all address spaces, and what pointers that are
 * passed lead to.
 *
 * A pointer and a variable's name must not lead to the same memory in one function. So
 * what functions write through pointers is declared after them: only the entry point,
 * which comes last, knows it by name.
 */
#include "gen_priv.h"

/* ---- buffers ---- */

static GenBuffer *buffer_of_size(Gen *g, GenProgram *out, const char *name, uint32_t size)
{
    GenBuffer *b = &out->buffers[out->nbuffers];
    BUG_IF(out->nbuffers == GEN_MAX_BUFFERS, "too many buffers");
    *b = (GenBuffer){.name = name, .binding = out->nbuffers++, .size = round_up(size, 4)};
    b->data = arena_alloc(g->arena, b->size);
    memset(b->data, 0, b->size);
    return b;
}

GenBuffer *gen_buffer(Gen *g, GenProgram *out, const char *name, const Ty *t)
{
    GenBuffer *b = buffer_of_size(g, out, name, t->size);
    b->floats = ty_has_float(t);
    ty_fill(g, t, b->data);
    return b;
}

GenBuffer *array_buffer(Gen *g, GenProgram *out, const char *name, const char *access,
                        const Ty *of, uint32_t count)
{
    GenBuffer *b = gen_buffer(g, out, name, ty_array(g, of, count));
    line(g, "@group(0) @binding(%u) var<storage, %s> %s : array<%s>;", b->binding, access, name,
         of->name);
    return b;
}

/* ---- overrides ---- */

static GenOverride *setting(GenProgram *out, const char *name, double value)
{
    GenOverride *o = &out->overrides[out->noverrides++];
    *o = (GenOverride){name, value};
    return o;
}

/* A scalar as text, and the number that says the same from outside. */
static const char *any_scalar(Gen *g, Kind kind, double *value)
{
    uint32_t n = number(g);
    switch (kind) {
    case KIND_BOOL: *value = n & 1;         return n & 1 ? "true" : "false";
    case KIND_U32:  *value = n;             return put(g, "%uu", n);
    case KIND_I32:  *value = (int32_t)n;    return put(g, "i32(%d)", (int32_t)n);
    default:        *value = (int)pick(g, 17) - 8;
                    return put(g, "%s(%d)", ty_vector(g, kind, 1)->name, (int)*value);
    }
}

static void override_new(Gen *g, GenProgram *out)
{
    Kind kind = kind_any(g, false);
    const Ty *t = ty_vector(g, kind, 1);
    const char *name = name_new(g, "o"), *key = name, *id = "";
    double value = 0;
    const char *initial = any_scalar(g, kind, &value);
    if (chance(g, 30)) {
        key = put(g, "%u", g->names);
        id = put(g, "@id(%s) ", key);
    }
    if (chance(g, 60)) {
        setting(out, key, value);
        initial = chance(g, 50) ? any_scalar(g, kind, &value) : NULL;
    }
    line(g, initial ? "%soverride %s : %s = %s;" : "%soverride %s : %s;", id, name, t->name,
         initial);
    VEC_PUSH(g->arena, &g->overrides, ((Override){name, kind}));
    if (kind == KIND_U32 && chance(g, 50)) {
        const char *from = name;
        name = name_new(g, "o");
        line(g, "override %s = (%s & 15u) * 3u + 1u;", name, from);
        VEC_PUSH(g->arena, &g->overrides, ((Override){name, kind}));
    }
}

void overrides_declare(Gen *g, GenProgram *out)
{
    if (chance(g, 25)) {
        g->size_name = name_new(g, "o");
        line(g, "override %s : u32 = %u;", g->size_name, 1 + pick(g, 9));
        setting(out, g->size_name, g->size[0]);
    }
    for (uint32_t n = pick(g, GEN_MAX_OVERRIDES - 1); n > 0; n--)
        override_new(g, out);
}

/* ---- address spaces ---- */

static void declare_uniform(Gen *g, GenProgram *out)
{
    g->no_doubles = true;
    const Ty *t = ty_any(g, true, 2);
    g->no_doubles = false;
    GenBuffer *b = gen_buffer(g, out, "uni", t);
    line(g, "@group(0) @binding(%u) var<uniform> uni : %s;", b->binding, t->name);
    var_add(g, (Var){.text = "uni", .type = t, .uniform = true, .space = SPACE_UNIFORM});
    g->uniform = t;
}

static void declare_immediate(Gen *g, GenProgram *out)
{
    const Ty *fields[MAX_FIELDS];
    uint32_t n = 1 + pick(g, MAX_FIELDS);
    g->no_doubles = true;
    for (uint32_t i = 0; i < n; i++)
        fields[i] = chance(g, 20) ? ty_matrix(g, KIND_F32, 2 + pick(g, 3), 2 + pick(g, 3))
                                  : ty_any_vector(g, true);
    g->no_doubles = false;
    const Ty *t = ty_struct(g, fields, n);
    line(g, "var<immediate> imm : %s;", t->name);
    var_add(g, (Var){.text = "imm", .type = t, .uniform = true});
    out->immediate_size = (t->size + 3) / 4 * 4;
    out->immediates = arena_alloc(g->arena, out->immediate_size);
    memset(out->immediates, 0, out->immediate_size);
    ty_fill(g, t, out->immediates);
}

/* A runtime-sized array at the end of a structure. */
static void declare_tail(Gen *g, GenProgram *out)
{
    const Ty *head = ty_any(g, true, 1), *of = ty_any(g, true, 1);
    uint32_t count = 4 * g->total + 64, start = round_up(head->size, of->align);
    const Ty *tail = ty_array(g, of, count);
    line(g, "struct Tail { head : %s, rest : array<%s> }", head->name, of->name);
    GenBuffer *b = buffer_of_size(g, out, "tail", start + tail->size);
    line(g, "@group(0) @binding(%u) var<storage> tail : Tail;", b->binding);
    ty_fill(g, head, b->data);
    ty_fill(g, tail, b->data + start);
    var_add(g, (Var){.text = "tail.head", .type = head, .uniform = true});
    var_add(g, (Var){.text = "tail.rest", .type = tail, .uniform = true, .large = true});
    var_add(g, (Var){.text = "arrayLength(&tail.rest)", .type = ty_vector(g, KIND_U32, 1),
                     .uniform = true});
}

void spaces_declare(Gen *g, GenProgram *out)
{
    if (chance(g, 50))
        declare_uniform(g, out);
    if (chance(g, 40))
        declare_immediate(g, out);
    if (chance(g, 40))
        declare_tail(g, out);
}

/* ---- pointers ---- */

const Ty *pointer_choose(Gen *g, Space *space)
{
    switch (pick(g, 8)) {
    case 0:  *space = SPACE_READ;       return g->readable;
    case 1:  *space = SPACE_UNIFORM;    return g->uniform;
    case 2:  *space = SPACE_PRIVATE;    return ty_any(g, false, 1);
    case 3:  *space = SPACE_WORKGROUP;  return ty_any(g, false, 1);
    case 4:  *space = SPACE_STORAGE;    return ty_any(g, true, 1);
    default: *space = SPACE_FUNCTION;   return ty_any(g, false, 1);
    }
}

const char *pointer_name(Gen *g, const Ty *t, Space space)
{
    static const char *const names[] = {
        [SPACE_FUNCTION] = "function", [SPACE_PRIVATE] = "private",
        [SPACE_WORKGROUP] = "workgroup", [SPACE_STORAGE] = "storage",
        [SPACE_READ] = "storage", [SPACE_UNIFORM] = "uniform",
    };
    return put(g, space == SPACE_STORAGE ? "ptr<%s, %s, read_write>" : "ptr<%s, %s>",
               names[space], t->name);
}

/* One more is made for each pointer of each function: two of them may be passed. */
static void pointee_new(Gen *g, GenProgram *out, const Ty *t, Space space)
{
    const char *name = name_new(g, "q");
    if (space == SPACE_PRIVATE) {
        line(g, "var<private> %s : %s;", name, t->name);
    } else if (space == SPACE_WORKGROUP) {
        line(g, "var<workgroup> %s : array<%s, %u>;", name, t->name, g->invocations);
        name = put(g, "%s[li]", name);
    } else if (space == SPACE_STORAGE && out->nbuffers < GEN_MAX_BUFFERS) {
        array_buffer(g, out, name, "read_write", t, g->total);
        name = put(g, "%s[me]", name);
    } else {
        return;
    }
    var_add(g, (Var){.text = name, .type = t, .write = true, .space = space});
}

void pointees_declare(Gen *g, GenProgram *out)
{
    for (uint32_t i = 0; i < g->fns.len; i++)
        for (uint32_t k = 0; k < g->fns.data[i].nparams; k++)
            pointee_new(g, out, g->fns.data[i].params[k], g->fns.data[i].spaces[k]);
}
