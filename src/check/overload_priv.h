// SPDX-License-Identifier: Apache-2.0
/*
 * overload_priv.h - rows of overloads, and which of them fits a call.
 *
 * in     rows of builtins.def or operators.def; the types of the arguments
 * out    the preferred row with its variables settled (WGSL 6.1.3); or, for
 *        messages, what is wrong with each row
 * knows  the language of the rows (the head of builtins.def), conversion ranks
 * not    trees, diagnostics: call.c and operator.c have those
 *
 * The work for a call is bounded by rows times arguments: a row stands for all
 * its overloads at once, since conversion prefers the same scalar for every
 * argument that a variable stands in.
 */
#ifndef WEFT_CHECK_OVERLOAD_PRIV_H
#define WEFT_CHECK_OVERLOAD_PRIV_H

#include "base/text.h"
#include "check/builtin.h"

#define OVERLOAD_MAX_PARAMS 7

/* Sets of scalars. The bits stand in the order of preference: what converts to
 * several of a set becomes the one with the lowest bit. */
enum {
    SCALAR_BOOL           = 1 << 0,
    SCALAR_ABSTRACT_INT   = 1 << 1,
    SCALAR_I32            = 1 << 2,
    SCALAR_U32            = 1 << 3,
    SCALAR_ABSTRACT_FLOAT = 1 << 4,
    SCALAR_F32            = 1 << 5,
    SCALAR_F16            = 1 << 6,
    SCALAR_F64            = 1 << 7,
    SCALAR_ABSTRACT       = SCALAR_ABSTRACT_INT | SCALAR_ABSTRACT_FLOAT,
    SCALAR_ALL            = (1 << 8) - 1,
};

/* The column `where` of a row. */
enum {
    WHERE_NONE            = 0,
    WHERE_BOOL            = SCALAR_BOOL,
    WHERE_F16             = SCALAR_F16,
    WHERE_F32             = SCALAR_F32,
    WHERE_INTEGER         = SCALAR_I32 | SCALAR_U32,
    WHERE_ANY_INTEGER     = SCALAR_ABSTRACT_INT | WHERE_INTEGER,
    WHERE_TEXEL           = WHERE_INTEGER | SCALAR_F32,
    WHERE_WORD            = WHERE_INTEGER | SCALAR_F32,
    WHERE_ABSTRACT_FLOAT  = SCALAR_ABSTRACT_FLOAT,
    WHERE_CONCRETE_FLOAT  = SCALAR_F32 | SCALAR_F16 | SCALAR_F64,
    WHERE_FLOAT           = SCALAR_ABSTRACT_FLOAT | WHERE_CONCRETE_FLOAT,
    WHERE_CONCRETE_NUMBER = WHERE_INTEGER | WHERE_CONCRETE_FLOAT,
    WHERE_NUMBER          = SCALAR_ABSTRACT | WHERE_CONCRETE_NUMBER,
    WHERE_SIGNED          = WHERE_NUMBER & ~SCALAR_U32,
    WHERE_LOGICAL         = SCALAR_BOOL | WHERE_ANY_INTEGER,
    WHERE_SCALAR          = SCALAR_BOOL | WHERE_NUMBER,
    WHERE_CONSTRUCTIBLE   = 1 << 8,     /* of E                                   */
};

typedef struct Overload {
    const char *template_;
    const char *params;
    const char *result;
    uint16_t    where;
} Overload;

typedef struct Overloads {
    const Overload *rows;
    uint32_t        count;
} Overloads;

/* What is called with what. */
typedef struct OverloadQuery {
    TypeTable   *types;
    bool         f16, f64;              /* enabled                                */
    bool         all_const;             /* every argument is a const-expression   */
    const Type  *explicit_;             /* template argument        NULL: none    */
    const Type *const *args;            /* [nargs] loaded, none the error type    */
    uint32_t     nargs;
} OverloadQuery;

typedef struct OverloadMatch {
    const Overload *row;
    const Type *params[OVERLOAD_MAX_PARAMS]; /* to which the arguments convert    */
    const Type *result;                      /* the void type: none               */
} OverloadMatch;

/* False: no row fits, or none is preferred over all others that fit. */
bool overload_resolve(const OverloadQuery *q, Overloads set, OverloadMatch *out);

/* ---- for messages ---- */

typedef enum MissKind {
    MISS_COUNT,                         /* another number of parameters           */
    MISS_TEMPLATE,                      /* the template argument                  */
    MISS_ARGUMENT,                      /* argument number `argument`             */
} MissKind;

typedef struct OverloadMiss {
    const Overload *row;
    MissKind    kind;
    uint32_t    argument;               /* from 0: arguments before it fit        */
    const char *expected;               /* "'vec3<f32>'", "i32 or u32"            */
} OverloadMiss;

/* Why one row does not fit; its texts are in `arena`. */
OverloadMiss overload_miss(const OverloadQuery *q, const Overload *row, Arena *arena);

/* "clamp(e: T, low: T, high: T) -> T", then ", where T is ..." for what is left
 * open. `template_` of the row is printed if it is not empty, f64 only if it is enabled. */
void overload_print(Text *out, const char *name, const Overload *row, bool f64);
/* The same of an operator: "T + T -> T". One parameter: "-T -> T". */
void overload_print_operator(Text *out, const char *op, const Overload *row, bool f64);

/* ---- the parameters of a row ---- */

typedef struct Param {
    Str     name;                       /* "" in operators                        */
    Str     type;
    bool    must_be_const;              /* {low..high}                            */
    bool    has_range;                  /* {low..high} or [low..high]             */
    int64_t low, high;
} Param;

uint32_t overload_param_count(const Overload *row);
/* Parameter `i`, which must exist. */
Param    overload_param(const Overload *row, uint32_t i);

/* ---- scalars ---- */

/* Those that a scalar converts to automatically, itself included. */
uint32_t    scalar_conversions(const Type *scalar);
/* The preferred one of a set; NULL: the set is empty. */
const Type *scalar_preferred(const TypeTable *t, uint32_t set);

/* ---- builtin.c ---- */

Overloads builtin_overloads(BuiltinId id);

#endif
