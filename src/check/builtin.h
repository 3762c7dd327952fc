// SPDX-License-Identifier: Apache-2.0
/*
 * builtin.h - the builtin functions of WGSL and the resolution of overloads.
 *
 * One table, builtins.def, is the whole truth: names, overloads, what each
 * requires. Constructors (vec3f, array, mat2x2 ...) are types, not here.
 */
#ifndef WEFT_CHECK_BUILTIN_H
#define WEFT_CHECK_BUILTIN_H

#include "check/type.h"

typedef enum BuiltinId {
#define BUILTIN(name, flags) BUILTIN_##name,
#define OVERLOAD(template, params, result, where)
#include "check/builtins.def"
#undef OVERLOAD
#undef BUILTIN
    BUILTIN_ID_COUNT
} BuiltinId;

/* What a row of builtins.def says of a function, as bits. */
enum {
    BUILTIN_CONST            = 1 << 0, /* may be a const-expression               */
    BUILTIN_MUST_USE         = 1 << 1,
    BUILTIN_COMPUTE_ONLY     = 1 << 2, /* barriers, workgroupUniformLoad          */
    BUILTIN_FRAGMENT_ONLY    = 1 << 3, /* derivatives, implicit-lod sampling      */
    BUILTIN_NO_VERTEX        = 1 << 4, /* subgroups and quads                     */
    BUILTIN_SUBGROUPS        = 1 << 5, /* needs enable subgroups                  */
    BUILTIN_SYNC             = 1 << 6, /* must be called in uniform control flow,
                                          whole workgroup                         */
    BUILTIN_DERIVATIVE       = 1 << 7, /* uniform control flow or a filterable
                                          derivative_uniformity diagnostic        */
    BUILTIN_SUBGROUP_OP      = 1 << 8, /* the same with subgroup_uniformity       */
    BUILTIN_NONUNIFORM       = 1 << 9, /* the result may differ between
                                          invocations whatever the arguments      */
    BUILTIN_UNIFORM_RESULT   = 1 << 10,/* workgroupUniformLoad                    */
    BUILTIN_ATOMIC           = 1 << 11,
    BUILTIN_TEXTURE          = 1 << 12,
    BUILTIN_UNIFORM_ARG      = 1 << 13,/* the last argument must be uniform, under
                                          the rule that the call is under         */
    BUILTIN_SUBGROUP_UNIFORM = 1 << 14,/* the result is the same in the subgroup  */
    BUILTIN_PACKED           = 1 << 15,/* needs packed_4x8_integer_dot_product    */
    BUILTIN_READ_WRITE_TEXTURES = 1 << 16, /* needs readonly_and_readwrite_...    */
    BUILTIN_BUFFER_VIEW      = 1 << 17,/* needs buffer_view                       */
};

const char *builtin_name(BuiltinId id);
uint32_t    builtin_flags(BuiltinId id);
/* The shader stages that may call it, as 1 << Stage (module.h). */
uint32_t    builtin_stages(BuiltinId id);

#endif
