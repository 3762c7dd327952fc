// SPDX-License-Identifier: Apache-2.0
/*
 * check.h - from a syntax tree to a typed module: the meaning of WGSL.
 *
 * in     a Module from syntax_parse()
 * out    the same Module with everything marked [check] filled, and diagnostics
 * knows  the WGSL specification
 * not    IR, devices. What a later stage needs to know of the text it finds in
 *        the typed module; no later stage looks at text again.
 */
#ifndef WEFT_CHECK_CHECK_H
#define WEFT_CHECK_CHECK_H

#include "check/module.h"

typedef struct CheckOptions {
    uint32_t enables;               /* 1 << ENABLE_* that may be enabled
                                       0: all                                   */
    uint32_t language;              /* 1 << LANGUAGE_* that are available
                                       0: all                                   */
    bool     none_enabled;          /* no extension may be enabled at all       */
    bool     no_language;           /* no language feature is available         */
} CheckOptions;

/* Checks the whole module; true if there is no error. Runs under the caller's
 * arena_try(). Call it also after syntax errors: it then reports what is wrong
 * in the rest. */
bool check_module(Module *m, const CheckOptions *options, Diag *diag);

/* ---- at pipeline creation ---- */

/* A value for an override, from outside. */
typedef struct OverrideSetting {
    Str    key;                     /* name, or decimal @id                     */
    double value;
} OverrideSetting;

/* Values of the overrides for one pipeline. */
typedef struct Specialization {
    const Value **values;           /* [info->overrides.len]; NULL: not used by the
                                       entry point and without a value           */
    uint32_t  workgroup_size[3];
    uint32_t  subgroup_size;        /* 0: none asked for                        */
    uint64_t  workgroup_bytes;      /* of the workgroup variables used, each
                                       rounded up to 16, as WebGPU's limit counts */
    Arena    *arena;
    TypeTable *types;               /* the module's and more: modules do not change */
    const Module *module;
} Specialization;

/*
 * Gives every override that `entry` uses its value, evaluates every override-
 * expression it depends on, and finds pipeline-creation errors: a setting for no
 * override, a value out of range, a missing value, array sizes, workgroup sizes
 * that are zero, and everything a const-expression would have been rejected for.
 * False after a diagnostic.
 */
bool check_specialize(Specialization *out, Arena *arena, const Module *m,
                      const Decl *entry, const OverrideSetting *settings,
                      uint32_t nsettings, Diag *diag);

/* The value of an override-expression under a specialization. Never NULL for
 * expressions that check_specialize() accepted. */
const Value *specialize_value(const Specialization *s, const Expr *e);
/* Elements of an array type (or bytes of a buffer) under a specialization; not
 * for runtime-sized ones. */
uint64_t specialize_count(const Specialization *s, const Type *array);

/* ---- reflection ---- */

/* Least bytes a binding of this store type must have (WGSL 13.3.5: one element
 * of a runtime-sized array). 0 for a buffer without a size, whose views decide:
 * FnInfo.min_sizes. */
uint64_t type_min_binding_size(const Type *store_type);

/* The typed module behind one of the public weft/wgsl.h; NULL: it has errors. */
struct weft_wgsl;
const Module *wgsl_module(const struct weft_wgsl *wgsl);

/* ---- dumps ---- */

/* The typed tree: WGSL with the type and the value of each expression. */
void check_dump_module(Text *out, const Module *m);

#endif
