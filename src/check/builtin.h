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
};

const char *builtin_name(BuiltinId id);
uint32_t    builtin_flags(BuiltinId id);

#endif
