// SPDX-License-Identifier: Apache-2.0
/*
 * type_string.c - types as the user writes them.
 *
 * in     types of the table
 * out    their text, and the names of what stands in template lists
 */
#include "check/type.h"

/* ---- enumerants ---- */

const char *address_space_name(AddressSpace space)
{
    static const char *const names[] = {
        [SPACE_NONE] = "none",
        [SPACE_FUNCTION] = "function",
        [SPACE_PRIVATE] = "private",
        [SPACE_WORKGROUP] = "workgroup",
        [SPACE_UNIFORM] = "uniform",
        [SPACE_STORAGE] = "storage",
        [SPACE_HANDLE] = "handle",
        [SPACE_IMMEDIATE] = "immediate",
    };
    BUG_IF((size_t)space >= COUNTOF(names), "address space %d", (int)space);
    return names[space];
}

const char *access_name(Access access)
{
    static const char *const names[] = {
        [ACCESS_NONE] = "none",
        [ACCESS_READ] = "read",
        [ACCESS_WRITE] = "write",
        [ACCESS_READ_WRITE] = "read_write",
    };
    BUG_IF((size_t)access >= COUNTOF(names), "access mode %d", (int)access);
    return names[access];
}

typedef struct TexelRow {
    const char *name;
    TypeKind    channel;
    bool        tier1;
} TexelRow;

static const TexelRow *texel_row(TexelFormat format)
{
    enum { f32 = TYPE_F32, i32 = TYPE_I32, u32 = TYPE_U32 };
    static const TexelRow rows[] = {
#define TEXEL(name, channel, tier1) { #name, (TypeKind)channel, tier1 },
#include "check/texel.def"
#undef TEXEL
    };
    BUG_IF((size_t)format >= COUNTOF(rows), "texel format %d", (int)format);
    return &rows[format];
}

const char *texel_format_name(TexelFormat format)
{
    return texel_row(format)->name;
}

TypeKind texel_format_channel(TexelFormat format)
{
    return texel_row(format)->channel;
}

bool texel_format_is_tier1(TexelFormat format)
{
    return texel_row(format)->tier1;
}

/* ---- types ---- */

static void print_count(Text *out, const Type *t)
{
    const Expr *e = t->array.count_expr;
    if (t->array.count_kind == COUNT_FIXED)
        text_printf(out, "%llu", (unsigned long long)t->array.count);
    else if (e->kind == EXPR_NAME && e->name.ident.name)
        text_add(out, e->name.ident.name->text);
    else
        text_add(out, STR("override-expression"));
}

static void print_array(Text *out, const Type *t)
{
    text_add(out, STR("array<"));
    type_print(out, t->array.of);
    if (t->array.count_kind != COUNT_RUNTIME) {
        text_add(out, STR(", "));
        print_count(out, t);
    }
    text_char(out, '>');
}

static void print_buffer(Text *out, const Type *t)
{
    text_add(out, STR("buffer"));
    if (t->array.count_kind == COUNT_RUNTIME)
        return;
    text_char(out, '<');
    print_count(out, t);
    text_char(out, '>');
}

static void print_struct(Text *out, const Type *t)
{
    const Name *name = t->structure.decl->ident.name;
    text_add(out, name ? name->text : STR("struct"));
}

static void print_view(Text *out, const Type *t)
{
    text_printf(out, "%s<%s, ", t->kind == TYPE_POINTER ? "ptr" : "ref",
                address_space_name(t->pointer.space));
    type_print(out, t->pointer.of);
    if (t->pointer.space == SPACE_STORAGE)
        text_printf(out, ", %s", access_name(t->pointer.access));
    text_char(out, '>');
}

static void print_texture(Text *out, const Type *t)
{
    static const char *const kinds[] = {
        [TEXTURE_SAMPLED] = "texture",
        [TEXTURE_MULTISAMPLED] = "texture_multisampled",
        [TEXTURE_DEPTH] = "texture_depth",
        [TEXTURE_DEPTH_MULTISAMPLED] = "texture_depth_multisampled",
        [TEXTURE_STORAGE] = "texture_storage",
        [TEXTURE_EXTERNAL] = "texture_external",
    };
    static const char *const dims[] = {
        [DIM_1D] = "1d",
        [DIM_2D] = "2d",
        [DIM_2D_ARRAY] = "2d_array",
        [DIM_3D] = "3d",
        [DIM_CUBE] = "cube",
        [DIM_CUBE_ARRAY] = "cube_array",
    };
    text_printf(out, "%s", kinds[t->texture.kind]);
    if (t->texture.kind == TEXTURE_EXTERNAL)
        return;
    text_printf(out, "_%s", dims[t->texture.dim]);
    if (t->texture.of) {
        text_char(out, '<');
        type_print(out, t->texture.of);
        text_char(out, '>');
    }
    if (t->texture.kind == TEXTURE_STORAGE)
        text_printf(out, "<%s, %s>", texel_format_name((TexelFormat)t->texture.format),
                    access_name(t->texture.access));
}

void type_print(Text *out, const Type *t)
{
    switch (t->kind) {
    case TYPE_ERROR:          text_add(out, STR("error")); break;
    case TYPE_VOID:           text_add(out, STR("void")); break;
    case TYPE_BOOL:           text_add(out, STR("bool")); break;
    case TYPE_ABSTRACT_INT:   text_add(out, STR("abstract-int")); break;
    case TYPE_ABSTRACT_FLOAT: text_add(out, STR("abstract-float")); break;
    case TYPE_I32:            text_add(out, STR("i32")); break;
    case TYPE_U32:            text_add(out, STR("u32")); break;
    case TYPE_F32:            text_add(out, STR("f32")); break;
    case TYPE_F16:            text_add(out, STR("f16")); break;
    case TYPE_F64:            text_add(out, STR("f64")); break;
    case TYPE_VECTOR:
        text_printf(out, "vec%u<", t->vector.width);
        type_print(out, t->vector.of);
        text_char(out, '>');
        break;
    case TYPE_MATRIX:
        text_printf(out, "mat%ux%u<", t->matrix.columns, t->matrix.rows);
        type_print(out, t->matrix.of);
        text_char(out, '>');
        break;
    case TYPE_ARRAY:  print_array(out, t); break;
    case TYPE_STRUCT: print_struct(out, t); break;
    case TYPE_ATOMIC:
        text_add(out, STR("atomic<"));
        type_print(out, t->atomic.of);
        text_char(out, '>');
        break;
    case TYPE_POINTER:
    case TYPE_REFERENCE: print_view(out, t); break;
    case TYPE_SAMPLER:
        text_add(out, t->sampler.comparison ? STR("sampler_comparison") : STR("sampler"));
        break;
    case TYPE_TEXTURE: print_texture(out, t); break;
    case TYPE_BUFFER:  print_buffer(out, t); break;
    case TYPE_KIND_COUNT: BUG("no type is of this kind");
    }
}

const char *type_string(Arena *arena, const Type *type)
{
    Text out = {.arena = arena};
    type_print(&out, type);
    return out.data;
}
