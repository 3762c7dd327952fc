// SPDX-License-Identifier: Apache-2.0
/*
 * type.c - the type table: makes every type once, with its layout.
 *
 * in     the parts of a type, already checked: this file rejects nothing
 * out    the one Type with these parts
 * knows  when two types are the same (WGSL 6), alignment and size (WGSL 14.4.1)
 * not    how types are written; offsets in the user's structures (layout.c)
 */
#include "check/type_priv.h"

#include "check/module.h"

/* ---- identity ---- */

/* All that distinguishes a type from others. */
typedef struct Key {
    uint64_t words[4];
} Key;

static uint64_t id_of(const Type *t)
{
    return t ? (uint64_t)t->id + 1 : 0;
}

/* What tells one override-expression from another: the override, if it is just
 * its name; parentheses already make an expression of its own. */
static const void *count_identity(const Expr *e)
{
    if (e->kind == EXPR_NAME && !e->parenthesized && e->name.decl)
        return e->name.decl;
    return e;
}

static uint64_t pack(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return a | b << 8 | c << 16 | d << 24;
}

static Key key_of(const Type *t)
{
    Key k = {{(uint64_t)t->kind}};
    switch (t->kind) {
    case TYPE_VECTOR:
        k.words[1] = id_of(t->vector.of);
        k.words[2] = t->vector.width;
        break;
    case TYPE_MATRIX:
        k.words[1] = id_of(t->matrix.of);
        k.words[2] = pack(t->matrix.columns, t->matrix.rows, 0, 0);
        break;
    case TYPE_ARRAY:
    case TYPE_BUFFER:
        k.words[0] |= pack(0, t->array.count_kind, 0, 0);
        k.words[1] = id_of(t->array.of);
        k.words[2] = t->array.count;
        if (t->array.count_kind == COUNT_OVERRIDE)
            k.words[3] = (uintptr_t)count_identity(t->array.count_expr);
        break;
    case TYPE_STRUCT:
        k.words[0] |= pack(0, t->structure.result, 0, 0);
        k.words[1] = id_of(t->structure.of);
        if (t->structure.result == RESULT_NONE)
            k.words[2] = (uintptr_t)t->structure.decl;
        break;
    case TYPE_ATOMIC:
        k.words[1] = id_of(t->atomic.of);
        break;
    case TYPE_POINTER:
    case TYPE_REFERENCE:
        k.words[1] = id_of(t->pointer.of);
        k.words[2] = pack(t->pointer.space, t->pointer.access, 0, 0);
        break;
    case TYPE_SAMPLER:
        k.words[1] = t->sampler.comparison;
        break;
    case TYPE_TEXTURE:
        k.words[1] = id_of(t->texture.of);
        k.words[2] = pack(t->texture.kind, t->texture.dim, t->texture.format,
                          t->texture.access);
        break;
    default:
        break;
    }
    return k;
}

static bool key_eq(const Key *a, const Key *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static uint32_t key_hash(const Key *k)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < COUNTOF(k->words); i++) {
        h = (h ^ k->words[i]) * 0xbf58476d1ce4e5b9u;
        h ^= h >> 29;
    }
    return (uint32_t)(h ^ h >> 32);
}

/* ---- layout, WGSL 14.4.1 ---- */

static uint64_t round_up(uint64_t align, uint64_t n)
{
    return align ? (n + align - 1) / align * align : n;
}

static void layout_vector(Type *t)
{
    uint64_t part = t->vector.of->size;
    t->align = (uint32_t)part * (t->vector.width == 2 ? 2 : 4);
    t->size = part * t->vector.width;
}

static void layout_matrix(Type *t)
{
    Type column = {.kind = TYPE_VECTOR};
    column.vector.of = t->matrix.of;
    column.vector.width = t->matrix.rows;
    layout_vector(&column);
    t->align = column.align;
    t->size = round_up(column.align, column.size) * t->matrix.columns;
}

static void layout_array(Type *t)
{
    const Type *of = t->array.of;
    t->align = of->align;
    t->array.stride = round_up(of->align, of->size);
    if (t->array.count_kind == COUNT_FIXED)
        t->size = t->array.stride * t->array.count;
}

static void layout(Type *t)
{
    switch (t->kind) {
    case TYPE_BOOL:
    case TYPE_I32:
    case TYPE_U32:
    case TYPE_F32:
    case TYPE_ATOMIC:
        t->align = 4;
        t->size = 4;
        break;
    case TYPE_F16:
        t->align = 2;
        t->size = 2;
        break;
    case TYPE_F64:
        t->align = 8;
        t->size = 8;
        break;
    case TYPE_VECTOR: layout_vector(t); break;
    case TYPE_MATRIX: layout_matrix(t); break;
    case TYPE_ARRAY:  layout_array(t); break;
    case TYPE_BUFFER:
        if (t->array.count_kind == COUNT_FIXED)
            t->size = t->array.count;
        break;
    default:
        break;
    }
}

/* NestDepth, WGSL 6.2.10. */
static uint32_t depth_of(const Type *t)
{
    switch (t->kind) {
    case TYPE_VECTOR:    return 1;
    case TYPE_MATRIX:    return 2;
    case TYPE_ARRAY:     return 1 + t->array.of->depth;
    case TYPE_POINTER:
    case TYPE_REFERENCE: return t->pointer.of->depth;
    case TYPE_STRUCT:    return 1;      /* until it is complete */
    default:             return 0;
    }
}

static uint32_t struct_depth(const Decl *d)
{
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < d->structure.nmembers; i++) {
        const Type *type = d->structure.members[i].type;
        if (type)
            deepest = MAX_OF(deepest, type->depth);
    }
    return 1 + deepest;
}

/* ---- the table ---- */

#ifdef WEFT_STRESS
#define FIRST_BUCKETS 2u
#else
#define FIRST_BUCKETS 64u
#endif

/* The bucket that holds the type with this key, or the free one it would take. */
static uint32_t *bucket_of(const TypeTable *t, const Key *key)
{
    uint32_t i = key_hash(key) & t->mask;
    while (t->buckets[i]) {
        Key other = key_of(t->all.data[t->buckets[i] - 1]);
        if (key_eq(&other, key))
            break;
        i = (i + 1) & t->mask;
    }
    return &t->buckets[i];
}

static void grow_buckets(TypeTable *t)
{
    uint32_t count = t->buckets ? (t->mask + 1) * 2 : FIRST_BUCKETS;
    t->buckets = ARENA_ARRAY(t->arena, uint32_t, count);
    t->mask = count - 1;
    for (uint32_t i = 0; i < t->all.len; i++) {
        Key key = key_of(t->all.data[i]);
        *bucket_of(t, &key) = i + 1;
    }
}

static Type *find(const TypeTable *t, const Type *like)
{
    Key key = key_of(like);
    uint32_t id = *bucket_of(t, &key);
    return id ? t->all.data[id - 1] : NULL;
}

static Type *add(TypeTable *t, const Type *like)
{
    if ((t->all.len + 1) * 2 > t->mask)
        grow_buckets(t);
    Type *made = arena_copy(t->arena, like, sizeof *like);
    made->id = t->all.len;
    layout(made);
    made->depth = depth_of(made);
    made->facts = type_facts(made);
    Key key = key_of(made);
    uint32_t *bucket = bucket_of(t, &key);
    VEC_PUSH(t->arena, &t->all, made);
    *bucket = t->all.len;
    return made;
}

static const Type *intern(TypeTable *t, const Type *like)
{
    const Type *known = find(t, like);
    return known ? known : add(t, like);
}

void type_table_init(TypeTable *t, Arena *arena)
{
    *t = (TypeTable){.arena = arena};
    grow_buckets(t);
    t->error = intern(t, &(Type){.kind = TYPE_ERROR});
    t->void_ = intern(t, &(Type){.kind = TYPE_VOID});
    t->boolean = intern(t, &(Type){.kind = TYPE_BOOL});
    t->abstract_int = intern(t, &(Type){.kind = TYPE_ABSTRACT_INT});
    t->abstract_float = intern(t, &(Type){.kind = TYPE_ABSTRACT_FLOAT});
    t->i32 = intern(t, &(Type){.kind = TYPE_I32});
    t->u32 = intern(t, &(Type){.kind = TYPE_U32});
    t->f32 = intern(t, &(Type){.kind = TYPE_F32});
    t->f16 = intern(t, &(Type){.kind = TYPE_F16});
    t->f64 = intern(t, &(Type){.kind = TYPE_F64});
}

/* ---- composites ---- */

const Type *type_vector(TypeTable *t, const Type *of, uint32_t width)
{
    BUG_IF(width < 2 || width > 4, "a vector of %u components", width);
    Type like = {.kind = TYPE_VECTOR};
    like.vector.of = of;
    like.vector.width = width;
    return intern(t, &like);
}

const Type *type_matrix(TypeTable *t, const Type *of, uint32_t columns, uint32_t rows)
{
    BUG_IF(columns < 2 || columns > 4 || rows < 2 || rows > 4,
           "a matrix of %u columns, %u rows", columns, rows);
    Type like = {.kind = TYPE_MATRIX};
    like.matrix.of = of;
    like.matrix.columns = columns;
    like.matrix.rows = rows;
    return intern(t, &like);
}

/*
 * Bytes from element to element in an array of `of`. For abstract types, which
 * have no layout, at least what their concretization needs: so an array that
 * could be made can be made concrete as well.
 */
static uint64_t stride_bound(const Type *of)
{
    if (!type_is_abstract(of))
        return round_up(of->align, of->size);
    switch (of->kind) {
    case TYPE_VECTOR: return of->vector.width == 2 ? 8 : 16;
    case TYPE_MATRIX: return (uint64_t)(of->matrix.rows == 2 ? 8 : 16) * of->matrix.columns;
    case TYPE_ARRAY:  return stride_bound(of->array.of) * of->array.count;
    case TYPE_STRUCT: return 32;        /* two vec4 */
    default:          return 4;
    }
}

bool type_array_size_ok(const Type *of, uint64_t count)
{
    uint64_t stride = stride_bound(of);
    return stride == 0 || count <= TYPE_MAX_SIZE / stride;
}

/* An array, or with of = NULL a buffer. */
static const Type *counted(TypeTable *t, const Type *of, CountKind kind,
                           uint64_t count, Expr *expr)
{
    Type like = {.kind = of ? TYPE_ARRAY : TYPE_BUFFER};
    like.array.of = of;
    like.array.count_kind = kind;
    like.array.count = count;
    like.array.count_expr = expr;
    return intern(t, &like);
}

const Type *type_array_fixed(TypeTable *t, const Type *of, uint64_t count)
{
    BUG_IF(count == 0 || !type_array_size_ok(of, count),
           "an array of %llu elements", (unsigned long long)count);
    return counted(t, of, COUNT_FIXED, count, NULL);
}

const Type *type_array_runtime(TypeTable *t, const Type *of)
{
    return counted(t, of, COUNT_RUNTIME, 0, NULL);
}

const Type *type_array_override(TypeTable *t, const Type *of, Expr *count)
{
    return counted(t, of, COUNT_OVERRIDE, 0, count);
}

const Type *type_buffer_fixed(TypeTable *t, uint64_t bytes)
{
    BUG_IF(bytes == 0 || bytes > TYPE_MAX_SIZE, "a buffer of %llu bytes",
           (unsigned long long)bytes);
    return counted(t, NULL, COUNT_FIXED, bytes, NULL);
}

const Type *type_buffer_override(TypeTable *t, Expr *bytes)
{
    return counted(t, NULL, COUNT_OVERRIDE, 0, bytes);
}

const Type *type_buffer_runtime(TypeTable *t)
{
    return counted(t, NULL, COUNT_RUNTIME, 0, NULL);
}

const Type *type_atomic(TypeTable *t, const Type *of)
{
    Type like = {.kind = TYPE_ATOMIC};
    like.atomic.of = of;
    return intern(t, &like);
}

/* ---- memory views and handles ---- */

static const Type *view(TypeTable *t, TypeKind kind, const Type *of, AddressSpace s,
                        Access a)
{
    Type like = {.kind = kind};
    like.pointer.of = of;
    like.pointer.space = s;
    like.pointer.access = a;
    return intern(t, &like);
}

const Type *type_pointer(TypeTable *t, const Type *of, AddressSpace s, Access a)
{
    return view(t, TYPE_POINTER, of, s, a);
}

const Type *type_reference(TypeTable *t, const Type *of, AddressSpace s, Access a)
{
    return view(t, TYPE_REFERENCE, of, s, a);
}

const Type *type_sampler(TypeTable *t, bool comparison)
{
    Type like = {.kind = TYPE_SAMPLER};
    like.sampler.comparison = comparison;
    return intern(t, &like);
}

const Type *type_texture(TypeTable *t, TextureKind kind, TextureDim dim,
                         const Type *of, TexelFormat format, Access access)
{
    bool typed = kind == TEXTURE_SAMPLED || kind == TEXTURE_MULTISAMPLED;
    bool storage = kind == TEXTURE_STORAGE;
    Type like = {.kind = TYPE_TEXTURE};
    like.texture.kind = kind;
    like.texture.dim = dim;
    like.texture.of = typed ? of : NULL;
    like.texture.format = storage ? (uint8_t)format : 0;
    like.texture.access = storage ? access : ACCESS_NONE;
    return intern(t, &like);
}

/* ---- structures ---- */

const Type *type_struct(TypeTable *t, Decl *decl)
{
    Type like = {.kind = TYPE_STRUCT};
    like.structure.decl = decl;
    return intern(t, &like);
}

void type_struct_set_layout(TypeTable *t, const Type *structure, uint32_t align,
                            uint64_t size)
{
    BUG_IF(structure->kind != TYPE_STRUCT, "a layout for something else");
    Type *own = t->all.data[structure->id];
    own->align = align;
    own->size = size;
    own->depth = struct_depth(own->structure.decl);
    own->facts = type_struct_facts(own);
}

static const IoAttrs no_io;

static Name *make_name(TypeTable *t, const char *text)
{
    Name *name = ARENA_NEW(t->arena, Name);
    name->text = str_of(text);
    return name;
}

static Member make_member(TypeTable *t, const char *name, const Type *type)
{
    return (Member){
        .ident.name = make_name(t, name), .type = type,
        .align = type->align, .size = (uint32_t)type->size, .io = &no_io,
    };
}

/* "vec3_f32", "f16", "abstract": the end of a result structure's name. */
static const char *result_suffix(TypeTable *t, const Type *of)
{
    const Type *scalar = type_scalar_of(of);
    const char *name = scalar->kind == TYPE_ABSTRACT_FLOAT
                           ? "abstract" : type_string(t->arena, scalar);
    if (of->kind != TYPE_VECTOR)
        return name;
    return arena_printf(t->arena, "vec%u_%s", of->vector.width, name);
}

/* The integers that go with the floats `of`: its exponents. */
static const Type *exponent_type(TypeTable *t, const Type *of)
{
    const Type *scalar = type_scalar_of(of)->kind == TYPE_ABSTRACT_FLOAT
                             ? t->abstract_int : t->i32;
    return of->kind == TYPE_VECTOR ? type_vector(t, scalar, of->vector.width)
                                   : scalar;
}

static void name_result(TypeTable *t, Decl *d, ResultKind kind, const Type *of)
{
    Member *m = d->structure.members;
    const char *name = NULL;
    switch (kind) {
    case RESULT_FREXP:
        name = arena_printf(t->arena, "__frexp_result_%s", result_suffix(t, of));
        m[0] = make_member(t, "fract", of);
        m[1] = make_member(t, "exp", exponent_type(t, of));
        break;
    case RESULT_MODF:
        name = arena_printf(t->arena, "__modf_result_%s", result_suffix(t, of));
        m[0] = make_member(t, "fract", of);
        m[1] = make_member(t, "whole", of);
        break;
    case RESULT_ATOMIC_COMPARE_EXCHANGE:
        name = arena_printf(t->arena, "__atomic_compare_exchange_result<%s>",
                            type_string(t->arena, of));
        m[0] = make_member(t, "old_value", of);
        m[1] = make_member(t, "exchanged", t->boolean);
        break;
    case RESULT_NONE:
        BUG("a result structure of no function");
    }
    d->ident.name = make_name(t, name);
}

static Decl *make_result_decl(TypeTable *t, ResultKind kind, const Type *of)
{
    Decl *d = ARENA_NEW(t->arena, Decl);
    d->kind = DECL_STRUCT;
    d->is_global = true;
    d->structure.nmembers = 2;
    d->structure.members = ARENA_ARRAY(t->arena, Member, 2);
    name_result(t, d, kind, of);
    return d;
}

const Type *type_result_struct(TypeTable *t, ResultKind kind, const Type *of)
{
    Type like = {.kind = TYPE_STRUCT};
    like.structure.result = kind;
    like.structure.of = of;
    const Type *known = find(t, &like);
    if (known)
        return known;

    Decl *d = make_result_decl(t, kind, of);
    like.structure.decl = d;
    const Type *made = add(t, &like);
    d->type = made;
    Member *m = d->structure.members;
    m[1].offset = (uint32_t)round_up(m[1].align, m[0].size);
    uint32_t align = MAX_OF(m[0].align, m[1].align);
    type_struct_set_layout(t, made, align, round_up(align, m[1].offset + m[1].size));
    return made;
}
