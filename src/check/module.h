// SPDX-License-Identifier: Apache-2.0
/*
 * module.h - what checking adds to a syntax tree: the typed module.
 *
 * made by   check/, in the arena of the Module
 * read by   lower/, compile/, gpu/ (reflection), the public weft/wgsl.h
 */
#ifndef WEFT_CHECK_MODULE_H
#define WEFT_CHECK_MODULE_H

#include "check/builtin.h"
#include "check/type.h"
#include "check/value.h"

/* ---- extensions and features ---- */

enum {                                  /* bit numbers of Features.enabled      */
#define ENABLE(name) ENABLE_##name,
#include "check/features.def"
#undef ENABLE
    ENABLE_COUNT
};

enum {                                  /* bit numbers of Features.language     */
#define LANGUAGE(name) LANGUAGE_##name,
#include "check/features.def"
#undef LANGUAGE
    LANGUAGE_COUNT
};

typedef struct Features {
    uint32_t enabled;                   /* 1 << ENABLE_*                         */
    uint32_t language;                  /* 1 << LANGUAGE_*                       */
} Features;

/* ---- inputs and outputs of entry points ---- */

typedef enum Stage {
    STAGE_NONE,
    STAGE_VERTEX,
    STAGE_FRAGMENT,
    STAGE_COMPUTE,
} Stage;

typedef enum IoBuiltin {
    IO_NO_BUILTIN,
#define IOBUILTIN(name, where, type, enable, language) IO_##name,
#include "check/iobuiltin.def"
#undef IOBUILTIN
    IO_BUILTIN_COUNT
} IoBuiltin;

typedef enum Interpolate {
    INTERPOLATE_PERSPECTIVE, INTERPOLATE_LINEAR, INTERPOLATE_FLAT,
} Interpolate;

typedef enum Sampling {
    SAMPLING_CENTER, SAMPLING_CENTROID, SAMPLING_SAMPLE, SAMPLING_FIRST,
    SAMPLING_EITHER,
} Sampling;

typedef enum DepthMode { DEPTH_ANY, DEPTH_GREATER, DEPTH_LESS } DepthMode;

typedef struct IoAttrs {
    IoBuiltin builtin;                  /* @builtin                              */
    bool      has_location, has_blend_src, has_interpolate, invariant;
    uint32_t  location, blend_src;
    Interpolate interpolate;
    Sampling    sampling;
    DepthMode   depth;                  /* @builtin(frag_depth, ...)             */
    bool      failed;                   /* one of them is wrong, and reported    */
    Span      span;                     /* of the attributes                     */
} IoAttrs;

/* ---- functions ---- */

typedef struct CallSite {
    Expr *call;                         /* CALL_FUNCTION                         */
    Decl *callee;
} CallSite;

/* Something in a function that only some stages may do. */
typedef struct StageUse {
    Span        span;
    const char *what;                   /* "'discard'", "the builtin function 'dpdx'" */
    uint32_t    stages;                 /* 1 << Stage: where it is allowed       */
} StageUse;

typedef struct AliasInfo AliasInfo;     /* check/alias.c */

struct FnInfo {
    Stage     stage;                    /* STAGE_NONE: not an entry point        */
    bool      recursive;                /* reported; the body is not checked     */
    bool      must_use;
    /* @workgroup_size: an expression each, NULL for 1. Constant ones have a
     * value; the others are known after override_specialize(). */
    Expr     *workgroup_size[3];
    Expr     *subgroup_size;            /* NULL: none                            */
    const IoAttrs *result_io;           /* never NULL                            */
    VEC(CallSite) calls;                /* of user functions, in text order      */
    VEC(Expr *)   views;                /* calls of bufferView, bufferArrayView  */
    VEC(Decl *)   locals;               /* VAR and LET and PARAM, by Decl.index  */
    VEC(Decl *)   globals;              /* entry points: module-scope VAR and
                                           OVERRIDE that it, its callees, or the
                                           types, initializers and attributes of
                                           those need; what is used first        */
    VEC(Decl *)   reached;              /* entry points: the functions they call,
                                           directly or not, callees first; the
                                           entry point is the last               */
    uint64_t     *min_sizes;            /* entry points of valid modules: [globals]
                                           least bytes of a buffer binding, 0 for
                                           others                                */
    VEC(Expr *)   override_exprs;       /* outermost override-expressions of the
                                           body: evaluated, and so checked, at
                                           pipeline creation                     */
    VEC(Expr *)   override_uses;        /* runtime operations with an operand that
                                           is an override-expression: rules about
                                           that operand alone (a divisor, a shift,
                                           an index) hold at pipeline creation.
                                           For `x /= N` a BINARY is made up; an
                                           early index into an override-sized array
                                           is one, too                           */
    VEC(StageUse) stage_uses;           /* what only some stages may do          */
    uint32_t  stages_called_from;       /* 1 << Stage; its own and its callers'  */
    uint32_t  behavior;                 /* of the body                           */
    AliasInfo *alias;                   /* filled by alias.c for its callers     */
    /* Uniformity, filled by uniformity.c for its callers. */
    struct Uniformity *uniformity;
};

/* ---- the module ---- */

struct ModuleInfo {
    TypeTable types;
    Features  features;                 /* enabled by directives; language: all
                                           that the options allow                */
    VEC(Decl *) ordered;                /* module scope, what is used first      */
    VEC(Decl *) entry_points;           /* DECL_FN in text order                 */
    VEC(Decl *) overrides;              /* in text order                         */
    VEC(Decl *) functions;              /* callees before callers                */
    VEC(Decl *) globals;                /* module-scope VAR in text order        */
    VEC(Decl *) structs;                /* in dependency order                   */
};

/* The entry point of this name, NULL if there is none. */
Decl *module_find_entry_point(const Module *m, Str name);

#endif
