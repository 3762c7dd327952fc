// SPDX-License-Identifier: Apache-2.0
/*
 * type.h - the types of WGSL.
 *
 * made by   the TypeTable of a module; types are interned, so the same type is
 *           the same pointer. They live in the module's arena.
 * read by   check/, lower/
 * knows     WGSL chapter 6 (types), 14.4 (memory layout)
 */
#ifndef WEFT_CHECK_TYPE_H
#define WEFT_CHECK_TYPE_H

#include "base/text.h"
#include "syntax/ast.h"

typedef enum TypeKind {
    TYPE_ERROR,                     /* follows a reported error; fits everywhere */
    TYPE_VOID,                      /* the result of a function without one     */
    TYPE_BOOL,
    TYPE_ABSTRACT_INT,
    TYPE_ABSTRACT_FLOAT,
    TYPE_I32,
    TYPE_U32,
    TYPE_F32,
    TYPE_F16,
    TYPE_F64,                       /* enable weft_f64                           */
    TYPE_VECTOR,
    TYPE_MATRIX,
    TYPE_ARRAY,
    TYPE_STRUCT,
    TYPE_ATOMIC,
    TYPE_POINTER,
    TYPE_REFERENCE,
    TYPE_SAMPLER,
    TYPE_TEXTURE,
    TYPE_BUFFER,                    /* buffer and buffer<N>, opaque bytes        */
    TYPE_KIND_COUNT
} TypeKind;

typedef enum TextureKind {
    TEXTURE_SAMPLED,                /* texture_2d<f32>                           */
    TEXTURE_MULTISAMPLED,
    TEXTURE_DEPTH,
    TEXTURE_DEPTH_MULTISAMPLED,
    TEXTURE_STORAGE,                /* texture_storage_2d<rgba8unorm, write>     */
    TEXTURE_EXTERNAL,
} TextureKind;

typedef enum TextureDim {
    DIM_1D,
    DIM_2D,
    DIM_2D_ARRAY,
    DIM_3D,
    DIM_CUBE,
    DIM_CUBE_ARRAY,
} TextureDim;

typedef enum CountKind {
    COUNT_FIXED,                    /* known now: `count`                        */
    COUNT_OVERRIDE,                 /* known at pipeline creation: `count_expr`  */
    COUNT_RUNTIME,                  /* known from the binding's size             */
} CountKind;

/* The builtin functions that return a structure of their own. */
typedef enum ResultKind {
    RESULT_NONE,                    /* a structure that the user declared        */
    RESULT_FREXP,                   /* fract, exp                                */
    RESULT_MODF,                    /* fract, whole                              */
    RESULT_ATOMIC_COMPARE_EXCHANGE, /* old_value, exchanged                      */
} ResultKind;

struct Type {
    TypeKind kind;
    uint32_t id;                    /* place in the table, from 0                */
    uint32_t depth;                 /* nesting of composites; scalars are 0      */
    uint32_t facts;                 /* type_query.c's answers; not for others    */
    /* Layout, WGSL 14.4: zero for types that have none (abstract, void,
     * textures, pointers). bool is 4 bytes, for workgroup memory. `size` is
     * zero where it is not fixed at shader creation. */
    uint32_t align;
    uint64_t size;
    union {
        struct { const Type *of; uint32_t width; }          vector;
        struct { const Type *of; uint32_t columns, rows; }  matrix; /* of: scalar */
        struct {
            const Type *of;
            CountKind   count_kind;
            uint64_t    count;      /* elements; for BUFFER bytes                */
            Expr       *count_expr; /* COUNT_OVERRIDE                            */
            uint64_t    stride;     /* bytes from element to element; 0: no layout */
        } array;                    /* also BUFFER, with of = NULL               */
        struct {
            Decl       *decl;
            ResultKind  result;     /* not RESULT_NONE: type_result_struct()     */
            const Type *of;         /* then its argument; otherwise NULL         */
        } structure;
        struct { const Type *of; }                          atomic;
        struct {
            const Type  *of;
            AddressSpace space;
            Access       access;
        } pointer;                  /* also REFERENCE                            */
        struct { bool comparison; }                         sampler;
        struct {
            TextureKind kind;
            TextureDim  dim;
            const Type *of;         /* SAMPLED, MULTISAMPLED: f32, i32, u32      */
            uint8_t     format;     /* STORAGE: TexelFormat, check/texel.def     */
            Access      access;     /* STORAGE                                   */
        } texture;
    };
};

typedef enum TexelFormat {
#define TEXEL(name, channel, tier) TEXEL_##name,
#include "check/texel.def"
#undef TEXEL
    TEXEL_COUNT
} TexelFormat;

/* The types of a module. Scalars and the like are direct members. */
typedef struct TypeTable {
    Arena *arena;
    const Type *error, *void_, *boolean, *abstract_int, *abstract_float;
    const Type *i32, *u32, *f32, *f16, *f64;
    VEC(Type *) all;
    uint32_t   *buckets;            /* hash of structure -> id + 1               */
    uint32_t    mask;
} TypeTable;

void type_table_init(TypeTable *t, Arena *arena);

const Type *type_vector(TypeTable *t, const Type *of, uint32_t width);
const Type *type_matrix(TypeTable *t, const Type *of, uint32_t columns, uint32_t rows);
/* Most bytes a type may have: sizes and offsets fit an int64_t. */
#define TYPE_MAX_SIZE ((uint64_t)INT64_MAX)
/* Would an array of `count` elements keep to TYPE_MAX_SIZE? */
bool type_array_size_ok(const Type *of, uint64_t count);
/* Count from 1. The caller has checked type_array_size_ok() and that the nesting
 * depth is allowed. */
const Type *type_array_fixed(TypeTable *t, const Type *of, uint64_t count);
const Type *type_array_runtime(TypeTable *t, const Type *of);
/* Two override-sized arrays are the same type if both sizes name the same
 * override declaration; any other expression makes a type of its own. */
const Type *type_array_override(TypeTable *t, const Type *of, Expr *count);
const Type *type_struct(TypeTable *t, Decl *decl);      /* one a declaration     */
/*
 * Completes a structure type, once the types of all its members are known.
 * Until then it has no layout and answers questions as the error type does.
 */
void type_struct_set_layout(TypeTable *t, const Type *structure, uint32_t align,
                            uint64_t size);
/*
 * The structure that frexp and modf (of: a float scalar or vector, abstract too)
 * or atomicCompareExchangeWeak (of: i32, u32) return. Complete, with a
 * declaration made here: its names and its members' names are not from the
 * module's interner, so compare member names by text, not by pointer, if
 * structure.result is not RESULT_NONE.
 */
const Type *type_result_struct(TypeTable *t, ResultKind kind, const Type *of);
const Type *type_atomic(TypeTable *t, const Type *of);
const Type *type_pointer(TypeTable *t, const Type *of, AddressSpace s, Access a);
const Type *type_reference(TypeTable *t, const Type *of, AddressSpace s, Access a);
const Type *type_sampler(TypeTable *t, bool comparison);
const Type *type_texture(TypeTable *t, TextureKind kind, TextureDim dim,
                         const Type *of, TexelFormat format, Access access);
const Type *type_buffer_fixed(TypeTable *t, uint64_t bytes);
const Type *type_buffer_override(TypeTable *t, Expr *bytes);
const Type *type_buffer_runtime(TypeTable *t);

/* How the user would write it: "vec3<f32>", "array<Light, 4>",
 * "ref<storage, f32, read>", "{integer}" style is never used: the abstract
 * types are "abstract-int" and "abstract-float". The access mode of a pointer or
 * reference is given for the storage space only, where WGSL writes it. An array
 * or buffer sized by an override shows its name, or "override-expression". In
 * `arena`. */
const char *type_string(Arena *arena, const Type *type);
void        type_print(Text *out, const Type *type);
const char *address_space_name(AddressSpace space);
const char *access_name(Access access);
const char *texel_format_name(TexelFormat format);
/* The type of a channel when it is read: TYPE_F32, TYPE_I32, TYPE_U32. */
TypeKind    texel_format_channel(TexelFormat format);
bool        texel_format_is_tier1(TexelFormat format);

/* ---- questions ----
 * About the error type: no to "is it a scalar of some kind", yes to "is it
 * allowed" (constructible ... fixed footprint), no to "does it contain". Each
 * costs O(1), however large the type. */

bool type_is_scalar(const Type *t);             /* bool, numbers, abstract too   */
bool type_is_numeric_scalar(const Type *t);
bool type_is_integer_scalar(const Type *t);     /* i32, u32, abstract int        */
bool type_is_float_scalar(const Type *t);       /* f32, f16, f64, abstract float */
bool type_is_abstract(const Type *t);           /* contains an abstract number   */
bool type_is_constructible(const Type *t);
bool type_is_storable(const Type *t);
bool type_is_host_shareable(const Type *t);
bool type_is_plain(const Type *t);
bool type_has_fixed_footprint(const Type *t);   /* override-sized arrays too     */
bool type_has_creation_fixed_footprint(const Type *t);
bool type_contains_atomic(const Type *t);
bool type_contains_runtime_array(const Type *t);
bool type_contains_f16(const Type *t);
bool type_contains_f64(const Type *t);
/* The component type of a vector or matrix, the type itself for a scalar. */
const Type *type_scalar_of(const Type *t);
/* Element type of vector, array; column vector of matrix. NULL: none. */
const Type *type_element(TypeTable *table, const Type *t);

/* ---- conversions, WGSL 6.1.2 ---- */

#define RANK_INFINITE UINT32_MAX
/* ConversionRank(from, to); references rank as in the table (load rule). The
 * error type converts to and from everything with rank 0. */
uint32_t type_conversion_rank(const Type *from, const Type *to);
/* The same for an argument of a function call, where pointers to buffers also
 * convert to pointers to smaller or runtime-sized ones. */
uint32_t type_argument_rank(const Type *from, const Type *to);
/* abstract-int -> i32, abstract-float -> f32, also inside composites;
 * concrete types are their own. */
const Type *type_concretize(TypeTable *t, const Type *type);

#endif
