// SPDX-License-Identifier: Apache-2.0
/*
 * gen_type.c - types, where their parts are in buffers, and first contents.
 *
 * knows  WGSL 14.4 (memory layout)
 */
#include "gen_priv.h"

static const char *const kind_names[] = {"bool", "i32", "u32", "f32", "f16", "f64"};

uint32_t round_up(uint32_t n, uint32_t to)
{
    return (n + to - 1) / to * to;
}

static uint32_t kind_size(Kind kind)
{
    return kind == KIND_F16 ? 2 : kind == KIND_F64 ? 8 : 4;
}

/* ---- making, each once ---- */

static Ty *ty_new(Gen *g, Ty t)
{
    return arena_copy(g->arena, &t, sizeof t);
}

const Ty *ty_vector(Gen *g, Kind kind, uint32_t width)
{
    const Ty **at = &g->vectors[kind][width];
    uint32_t size = kind_size(kind);
    if (!*at)
        *at = ty_new(g, (Ty){
            .form = FORM_VECTOR, .kind = kind, .width = width,
            .name = width == 1 ? kind_names[kind]
                               : put(g, "vec%u<%s>", width, kind_names[kind]),
            .size = width * size, .align = (width == 3 ? 4 : width) * size,
            .has_bool = kind == KIND_BOOL, .has_double = kind == KIND_F64,
        });
    return *at;
}

const Ty *ty_matrix(Gen *g, Kind kind, uint32_t cols, uint32_t rows)
{
    const Ty **at = &g->matrices[kind][cols][rows];
    const Ty *column = ty_vector(g, kind, rows);
    if (!*at)
        *at = ty_new(g, (Ty){
            .form = FORM_MATRIX, .kind = kind, .width = rows, .cols = cols,
            .name = put(g, "mat%ux%u<%s>", cols, rows, kind_names[kind]),
            .size = cols * column->align, .align = column->align,
            .has_double = kind == KIND_F64,
        });
    return *at;
}

const Ty *ty_array(Gen *g, const Ty *of, uint32_t count)
{
    for (uint32_t i = 0; i < g->arrays.len; i++)
        if (g->arrays.data[i]->of == of && g->arrays.data[i]->count == count)
            return g->arrays.data[i];
    const Ty *made = ty_new(g, (Ty){
        .form = FORM_ARRAY, .of = of, .count = count,
        .name = put(g, "array<%s, %u>", of->name, count),
        .size = count * round_up(of->size, of->align), .align = of->align,
        .has_bool = of->has_bool, .has_double = of->has_double,
    });
    VEC_PUSH(g->arena, &g->arrays, made);
    return made;
}

/* What a field takes, sometimes more than it needs. */
typedef struct Room {
    uint32_t size, align;
    const char *text;               /* attributes                                 */
} Room;

static Room room_of(Gen *g, const Ty *t)
{
    Room r = {t->size, t->align, ""};
    if (t->has_bool || !chance(g, 15))
        return r;
    if (chance(g, 50)) {
        r.size += 4 * pick(g, 4) + (t->size % 4 ? 2 : 0);
        r.text = put(g, "@size(%u) ", r.size);
    } else {
        r.align = t->align << pick(g, 3);
        r.text = put(g, "@align(%u) ", r.align);
    }
    return r;
}

const Ty *ty_struct(Gen *g, const Ty *const *fields, uint32_t n)
{
    Ty t = {.form = FORM_STRUCT, .name = name_new(g, "S"), .nfields = n, .align = 1};
    open_block(g, "struct %s {", t.name);
    for (uint32_t i = 0; i < n; i++) {
        t.fields[i] = fields[i];
        Room r = room_of(g, fields[i]);
        t.offsets[i] = round_up(t.size, r.align);
        t.size = t.offsets[i] + r.size;
        t.align = MAX_OF(t.align, r.align);
        t.has_bool |= fields[i]->has_bool;
        t.has_double |= fields[i]->has_double;
        line(g, "%sf%u : %s,", r.text, i, fields[i]->name);
    }
    close_block(g);
    t.size = round_up(t.size, t.align);
    const Ty *made = ty_new(g, t);
    VEC_PUSH(g->arena, &g->structs, made);
    return made;
}

bool ty_is_float(const Ty *t)
{
    return t->form == FORM_VECTOR && (t->kind == KIND_F32 || t->kind == KIND_F16 ||
                                       t->kind == KIND_F64);
}

bool ty_is_int(const Ty *t)
{
    return t->form == FORM_VECTOR && (t->kind == KIND_I32 || t->kind == KIND_U32);
}

bool ty_has_float(const Ty *t)
{
    bool any = t->form == FORM_MATRIX || ty_is_float(t);
    for (uint32_t i = 0; i < t->nfields; i++)
        any |= ty_has_float(t->fields[i]);
    return any || (t->form == FORM_ARRAY && ty_has_float(t->of));
}

/* ---- any ---- */

Kind kind_float(Gen *g)
{
    if (g->doubles && !g->no_doubles && chance(g, 50))
        return KIND_F64;
    return g->halves && chance(g, 40) ? KIND_F16 : KIND_F32;
}

Kind kind_any(Gen *g, bool buffer)
{
    static const Kind kinds[] = {KIND_U32, KIND_I32, KIND_F32, KIND_BOOL};
    Kind kind = kinds[pick(g, buffer ? 3 : 4)];
    return kind == KIND_F32 ? kind_float(g) : kind;
}

const Ty *ty_any_vector(Gen *g, bool buffer)
{
    return ty_vector(g, kind_any(g, buffer), chance(g, 50) ? 2 + pick(g, 3) : 1);
}

static const Ty *ty_any_struct(Gen *g, bool buffer)
{
    for (int tries = 0; tries < 4 && g->structs.len; tries++) {
        const Ty *t = g->structs.data[pick(g, g->structs.len)];
        if ((!buffer || !t->has_bool) && !(g->no_doubles && t->has_double))
            return t;
    }
    return NULL;
}

const Ty *ty_any(Gen *g, bool buffer, uint32_t depth)
{
    uint32_t form = pick(g, 10);
    if (form == 7)
        return ty_matrix(g, kind_float(g), 2 + pick(g, 3), 2 + pick(g, 3));
    if (form == 8 && depth)
        return ty_array(g, ty_any(g, buffer, depth - 1), 1 + pick(g, 5));
    if (form == 9) {
        const Ty *t = ty_any_struct(g, buffer);
        if (t)
            return t;
    }
    return ty_any_vector(g, buffer);
}

/* ---- first contents ---- */

static void fill_scalar(Gen *g, Kind kind, uint8_t *at)
{
    float    f = (float)((int)pick(g, 256) - 128) / (chance(g, 50) ? 8 : 1);
    uint32_t n = kind == KIND_F32 ? 0 : number(g);
    if (kind == KIND_F32) {
        memcpy(at, &f, 4);
    } else if (kind == KIND_F64) {
        double d = (double)f;
        memcpy(at, &d, 8);
    } else if (kind == KIND_F16) {
        /* 0, and 1 to 16 in steps of a half, of either sign. */
        static const uint16_t halves[] = {
            0x0000, 0x3c00, 0x3e00, 0x4000, 0x4100, 0x4200, 0x4400, 0x4480, 0x4600, 0x4780,
            0x4800, 0x4840, 0x4980, 0x4bc0, 0x4c00,
        };
        uint16_t h = halves[pick(g, COUNTOF(halves))];
        h = h && chance(g, 50) ? h | 0x8000 : h;
        memcpy(at, &h, 2);
    } else {
        memcpy(at, &n, 4);
    }
}

void ty_fill(Gen *g, const Ty *t, uint8_t *at)
{
    uint32_t n = t->form == FORM_ARRAY ? t->count : t->cols;
    switch (t->form) {
    case FORM_VECTOR:
        for (uint32_t i = 0; i < t->width; i++)
            fill_scalar(g, t->kind, at + i * kind_size(t->kind));
        break;
    case FORM_MATRIX:
        for (uint32_t i = 0; i < n; i++)
            ty_fill(g, ty_vector(g, t->kind, t->width), at + i * t->align);
        break;
    case FORM_ARRAY:
        for (uint32_t i = 0; i < n; i++)
            ty_fill(g, t->of, at + i * round_up(t->of->size, t->of->align));
        break;
    case FORM_STRUCT:
        for (uint32_t i = 0; i < t->nfields; i++)
            ty_fill(g, t->fields[i], at + t->offsets[i]);
        break;
    }
}
