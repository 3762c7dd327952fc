// SPDX-License-Identifier: Apache-2.0
/*
 * weft/wgsl.h - understand WGSL: check a module, read its diagnostics, reflect
 * on what it declares. Needs no device.
 *
 *     weft_wgsl *m = weft_wgsl_create(&(weft_wgsl_desc){ .source = text });
 *     for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(m); i++)
 *         puts(weft_wgsl_diagnostic_get(m, i)->message);
 *     weft_wgsl_release(m);
 *
 * Ownership  weft_wgsl_create() gives the caller the only reference. Every
 *            pointer that a module hands out lives as long as the module.
 * Threads    a module does not change once made: any thread may read it.
 * Errors     a module with errors is still a module: ask weft_wgsl_ok(). NULL is
 *            returned only if there is no memory for the module itself.
 * Not here   running kernels (webgpu/webgpu.h).
 */
#ifndef WEFT_WGSL_H
#define WEFT_WGSL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_wgsl weft_wgsl;

/* How to check. Every field but `source` may be left zero. */
typedef struct weft_wgsl_desc {
    const char *source;             /* UTF-8 text; copied                          */
    size_t      source_size;        /* bytes       0: up to the terminating NUL    */
    const char *const *enables;     /* extensions that may be enabled, a NULL-
                                       terminated list         NULL: all; names
                                       that Weft does not know change nothing      */
    const char *const *language;    /* language features that are available, the
                                       same way                NULL: all           */
    size_t      memory_limit;       /* bytes       0: 1 GiB                        */
    uint32_t    diagnostic_limit;   /* most that are kept, up to 10,000
                                                               0: 100              */
} weft_wgsl_desc;

WEFT_API weft_wgsl *weft_wgsl_create(const weft_wgsl_desc *desc);
WEFT_API void       weft_wgsl_release(weft_wgsl *module);         /* NULL is allowed        */
WEFT_API bool       weft_wgsl_ok(const weft_wgsl *module);        /* no error               */

/* The names that weft_wgsl_desc.enables and .language may list, as in `enable` and
 * `requires` directives. NULL when `index` is past the last. */
WEFT_API const char *weft_wgsl_enable_name(uint32_t index);
WEFT_API const char *weft_wgsl_language_name(uint32_t index);
/* Whether a declaration should not have this name: a keyword, a reserved word, or the name
 * of a predeclared type, function or enumerant, which it would hide. */
WEFT_API bool        weft_wgsl_is_reserved(const char *name);

/* ---- diagnostics ---- */

typedef enum weft_severity {
    WEFT_SEVERITY_INFO = 1,
    WEFT_SEVERITY_WARNING,
    WEFT_SEVERITY_ERROR,
} weft_severity;

/* A place in the source. Lines and columns count from 1, columns in UTF-16 code
 * units; offset and length are in UTF-16 code units from the start of the text,
 * as the WebGPU API reports them. byte_offset and byte_length count bytes. A
 * line of 0 means the text as a whole. */
typedef struct weft_place {
    uint32_t line, column, end_line, end_column;
    uint32_t offset, length;
    uint32_t byte_offset, byte_length;
} weft_place;

typedef struct weft_note {
    weft_place  place;
    const char *message;
} weft_note;

typedef struct weft_diagnostic {
    weft_severity severity;
    const char   *id;               /* stable: "redeclared"                        */
    const char   *message;          /* one sentence                                */
    weft_place    place;
    const weft_note *notes;
    uint32_t      note_count;
} weft_diagnostic;

WEFT_API uint32_t weft_wgsl_diagnostic_count(const weft_wgsl *module);
/* In the order of the text. NULL if `index` is out of range. */
WEFT_API const weft_diagnostic *weft_wgsl_diagnostic_get(const weft_wgsl *module, uint32_t index);

/* One line of the source (from 1) without its line break, not NUL-terminated; sets
 * *size. NULL if there is no such line. All lines point into one copy of the text. */
WEFT_API const char *weft_wgsl_line(const weft_wgsl *module, uint32_t line, size_t *size);

/* The sentence that explains a diagnostic id in general; NULL: no such id. */
WEFT_API const char *weft_diagnostic_explain(const char *id);
/* All ids, for listing: NULL when `index` is past the last. */
WEFT_API const char *weft_diagnostic_id(uint32_t index);

/* ---- reflection: only for modules that are ok ---- */

typedef enum weft_stage {
    WEFT_STAGE_VERTEX = 1,
    WEFT_STAGE_FRAGMENT,
    WEFT_STAGE_COMPUTE,
} weft_stage;

typedef enum weft_scalar {
    WEFT_SCALAR_BOOL = 1,
    WEFT_SCALAR_I32,
    WEFT_SCALAR_U32,
    WEFT_SCALAR_F32,
    WEFT_SCALAR_F16,
    WEFT_SCALAR_F64,                /* enable weft_f64                             */
} weft_scalar;

/* ---- types that memory can hold ---- */

typedef enum weft_type_kind {
    WEFT_TYPE_SCALAR = 1,           /* also atomic                                 */
    WEFT_TYPE_VECTOR,               /* element: its scalar                         */
    WEFT_TYPE_MATRIX,               /* element: a column, a vector                 */
    WEFT_TYPE_ARRAY,
    WEFT_TYPE_STRUCT,
    WEFT_TYPE_BYTES,                /* buffer: it has no type until it is viewed   */
} weft_type_kind;

typedef struct weft_struct weft_struct;
typedef struct weft_type   weft_type;

/* How a value lies in a buffer, down to its scalars. */
struct weft_type {
    weft_type_kind     kind;
    const char        *name;        /* as WGSL writes it: "vec3<f32>"              */
    weft_scalar        scalar;      /* SCALAR, VECTOR, MATRIX                      */
    uint32_t           align;       /* BYTES: 0                                    */
    uint64_t           size;        /* bytes; 0: the size of the binding decides   */
    const weft_type   *element;     /* VECTOR, MATRIX, ARRAY                       */
    uint64_t           count;       /* of elements; ARRAY 0: the binding decides   */
    uint64_t           stride;      /* bytes from element to element               */
    const weft_struct *structure;   /* STRUCT                                      */
};

typedef enum weft_binding_kind {
    WEFT_BINDING_UNIFORM = 1,
    WEFT_BINDING_STORAGE,           /* read_write                                  */
    WEFT_BINDING_READ_ONLY_STORAGE,
    WEFT_BINDING_SAMPLER,
    WEFT_BINDING_COMPARISON_SAMPLER,
    WEFT_BINDING_TEXTURE,           /* sampled, depth and multisampled             */
    WEFT_BINDING_STORAGE_TEXTURE,
    WEFT_BINDING_EXTERNAL_TEXTURE,
} weft_binding_kind;

typedef struct weft_wgsl_binding {
    const char *name;
    uint32_t    group, binding;
    weft_binding_kind kind;
    const char *type;               /* as WGSL writes it: "array<vec4<f32>>"       */
    const char *access;             /* "read", "write", "read_write"               */
    uint64_t    min_size;           /* bytes a buffer binding must have; 0: no buffer */
    const weft_type *layout;        /* NULL: no buffer                             */
} weft_wgsl_binding;

typedef struct weft_override {
    const char *name;
    weft_scalar type;
    bool        has_id;
    uint32_t    id;                 /* with has_id                                 */
    bool        has_default;        /* an initialiser is written                   */
    bool        default_known;      /* ... and it is a constant: default_value     */
    double      default_value;
} weft_override;

typedef struct weft_entry_point {
    const char *name;
    weft_stage  stage;
    bool        size_known;         /* compute: no override decides the size       */
    uint32_t    workgroup_size[3];  /* with size_known                             */
    uint64_t    workgroup_memory;   /* bytes of workgroup variables; override-sized
                                       arrays count as empty                       */
    uint32_t    immediate_size;     /* bytes of immediate data used                */
    const char *immediate_name;     /* of the var<immediate>       NULL: none      */
    const weft_type *immediate_layout;
    const weft_wgsl_binding *bindings; /* used by it, by group and binding            */
    uint32_t    binding_count;
    const uint32_t *overrides;      /* used by it: indices of weft_wgsl_override_get */
    uint32_t    override_count;
} weft_entry_point;

typedef struct weft_member {
    const char *name, *type;
    uint64_t    offset, size;
    uint32_t    align;
    const weft_type *layout;        /* NULL: not host-shareable                    */
} weft_member;

struct weft_struct {
    const char *name;
    uint64_t    size;               /* without a runtime-sized array at its end    */
    uint32_t    align;              /* 0: not host-shareable, so without layout    */
    const weft_member *members;
    uint32_t    member_count;
};

WEFT_API uint32_t weft_wgsl_entry_point_count(const weft_wgsl *module);
WEFT_API const weft_entry_point *weft_wgsl_entry_point_get(const weft_wgsl *module, uint32_t index);
WEFT_API uint32_t weft_wgsl_override_count(const weft_wgsl *module);
WEFT_API const weft_override *weft_wgsl_override_get(const weft_wgsl *module, uint32_t index);
WEFT_API uint32_t weft_wgsl_struct_count(const weft_wgsl *module);
WEFT_API const weft_struct *weft_wgsl_struct_get(const weft_wgsl *module, uint32_t index);

/* ---- specialisation: what pipeline creation would say ---- */

typedef struct weft_override_value {
    const char *key;                /* the name, or the decimal @id                */
    double      value;
} weft_override_value;

typedef struct weft_specialized {
    uint32_t workgroup_size[3];
    uint32_t subgroup_size;         /* 0: none asked for                           */
    uint64_t workgroup_memory;      /* bytes                                       */
} weft_specialized;

/*
 * Gives the overrides of an entry point their values. True if a pipeline could
 * be made; then *out (which may be NULL) is filled. Otherwise the reason is
 * written to `message` (at most `message_size` bytes with its NUL), with the line
 * and column before it where there is one. A NULL `entry_point` means the only one.
 */
WEFT_API bool weft_wgsl_specialize(const weft_wgsl *module, const char *entry_point,
                                   const weft_override_value *values, uint32_t value_count,
                                   weft_specialized *out, char *message, size_t message_size);

#ifdef __cplusplus
}
#endif

#endif
