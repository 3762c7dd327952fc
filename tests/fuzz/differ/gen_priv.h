// SPDX-License-Identifier: Apache-2.0
/*
 * gen_priv.h - the generator's state, and who does what.
 *
 *   gen_choice.c   choices and text
 *   gen_type.c     types, their layout, the first contents of buffers
 *   gen_path.c     variables: ways to a part of them, indices
 *   gen_int.c      integers and truth values
 *   gen_float.c    floats and matrices, exact ones
 *   gen_expr.c     values of any type; calls
 *   gen_stmt.c     statements        gen_loop.c   loops and switches
 *   gen_sync.c     workgroup memory, barriers, atomics, subgroups
 *   gen_space.c    overrides; variables of all address spaces; what pointers reach
 *   gen_module.c   the whole
 */
#ifndef WEFT_FUZZ_DIFFER_GEN_PRIV_H
#define WEFT_FUZZ_DIFFER_GEN_PRIV_H

#include "base/text.h"
#include "gen.h"

/* ---- types ---- */

typedef enum Kind { KIND_BOOL, KIND_I32, KIND_U32, KIND_F32, KIND_F16, KIND_F64,
               KIND_COUNT } Kind;
typedef enum Form { FORM_VECTOR, FORM_MATRIX, FORM_ARRAY, FORM_STRUCT } Form;

#define MAX_FIELDS 5u

typedef struct Ty Ty;
struct Ty {
    Form        form;
    Kind        kind;               /* VECTOR, MATRIX                             */
    uint32_t    width;              /* VECTOR: 1 is a scalar; MATRIX: rows        */
    uint32_t    cols;
    uint32_t    count;              /* ARRAY                                      */
    const Ty   *of;                 /* ARRAY                                      */
    const char *name;               /* as it is written                           */
    const Ty   *fields[MAX_FIELDS]; /* STRUCT: f0, f1, ...                        */
    uint32_t    nfields;
    uint32_t    offsets[MAX_FIELDS];
    uint32_t    size, align;        /* bytes, in buffers                          */
    bool        has_bool;           /* cannot be in a buffer                      */
    bool        has_double;         /* cannot be in a uniform buffer              */
};

/* ---- values and variables ---- */

/* An expression. Floats are multiples of 2^-frac, at most `max` in size. */
typedef struct Ex {
    const char *text;
    double      max;
    int         frac;
    bool        literal;            /* known when the module or pipeline is made  */
} Ex;

/* Where pointers that are passed lead. */
typedef enum Space {
    SPACE_NONE,                     /* nobody may take the address                */
    SPACE_FUNCTION, SPACE_PRIVATE, SPACE_WORKGROUP, SPACE_STORAGE, SPACE_READ, SPACE_UNIFORM,
} Space;

typedef struct Var {
    const char *text;               /* names the variable, or the invocation's own
                                       part of one                                */
    const char *slot;               /* own elements: text with one %s, its index  */
    const Ty   *type;
    bool        write;
    bool        uniform;
    Space       space;              /* its address may be passed                  */
    bool        large;              /* an array with room for affine indices      */
    uint32_t    below;              /* a counter that stays below this; 0: none   */
} Var;

#define MAX_PARAMS 4u

typedef struct Fn {
    const char *name;
    const Ty   *params[MAX_PARAMS];
    Space       spaces[MAX_PARAMS]; /* of pointers; NONE: it is a value           */
    uint32_t    nparams;
    const Ty   *result;             /* NULL: none                                 */
    uint64_t    cost;               /* steps of one call                          */
    uint32_t    size;               /* statements, calls inlined                  */
    bool        syncs;              /* has barriers: only in uniform flow         */
    bool        parts;              /* invocations leave it at different times    */
} Fn;

/* Workgroup arrays with an element an invocation. */
typedef struct Shared {
    const char *name;
    const Ty   *array;
    uint32_t    var;                /* in Gen.vars: what may be reached of it now */
    bool        reading;            /* all read all; else: each its own           */
} Shared;

typedef struct Override {
    const char *name;
    Kind        kind;               /* floats: whole numbers of at most 8         */
} Override;

typedef enum AtomicClass { CLASS_ADD, CLASS_MAX, CLASS_MIN, CLASS_AND, CLASS_OR, CLASS_XOR,
                           CLASS_COUNT } AtomicClass;

typedef struct Loop {
    bool is_switch;
    bool syncs;                     /* goes round as a whole workgroup            */
    bool parted;                    /* some may have left it                      */
    bool returns;                   /* there is a return in it                    */
} Loop;

#define MAX_LOOPS 8u

typedef struct Gen {
    Arena   *arena;
    const uint8_t *bytes;           /* choices; NULL: random                      */
    size_t   nbytes, at;
    uint64_t state;

    Text     text;
    uint32_t indent;
    uint32_t names;                 /* given out                                  */

    bool     halves;                /* f16 is enabled                             */
    bool     doubles, no_doubles;   /* f64 is enabled; but not here               */
    bool     subgroups;
    uint32_t size[3], groups[3];    /* workgroup, dispatch                        */
    uint32_t invocations;           /* of a workgroup                             */
    uint32_t total;                 /* of the dispatch                            */
    const Ty *vectors[KIND_COUNT][5];
    const Ty *matrices[KIND_COUNT][5][5];
    VEC(const Ty *) arrays, structs;

    VEC(Var)    vars;               /* in scope                                   */
    VEC(Fn)     fns;
    VEC(Shared) shared;
    VEC(Override) overrides;
    bool        has_atomics;        /* of the workgroup, one of each class        */
    bool        atomics_reading;
    bool        closed;             /* nobody knows: left alone until the end     */
    bool        shows;              /* workgroup memory has a place in vars       */
    Loop        loops[MAX_LOOPS];
    uint32_t    nloops;
    const Fn   *fn;                 /* being written; NULL: main                  */
    const char *size_name;          /* an override that is size[0]; NULL: none    */
    const Ty   *readable, *uniform; /* types with a variable in those spaces      */
    const char *early;              /* the next condition, made before a barrier  */

    bool     uniform_flow;          /* all invocations of the workgroup are here  */
    bool     returned;              /* some may have left for good                */
    bool     want_uniform;          /* expressions must be the workgroup's        */
    bool     whole_vectors;         /* paths do not lead to parts of them         */
    bool     no_prelude;            /* no line may be put before this one         */
    bool     in_continuing;
    bool     ended;                 /* nothing after this statement is reached    */
    int      fuel;                  /* for the statement being written            */
    int      depth;                 /* of statements                              */
    uint64_t repeats;               /* rounds of the loops around                 */
    uint64_t cost;                  /* steps of one invocation so far             */
    uint32_t statements;            /* so far                                     */
} Gen;

#define MAX_COST       3000u
#define MAX_STATEMENTS 70u

/* ---- gen_choice.c ---- */

uint32_t pick(Gen *g, uint32_t n);              /* below n                        */
bool     chance(Gen *g, uint32_t percent);
uint32_t number(Gen *g);                        /* any, but likely an odd one     */
char    *put(Gen *g, const char *fmt, ...) PRINTF_LIKE(2, 3);
const char *name_new(Gen *g, const char *prefix);
void line(Gen *g, const char *fmt, ...) PRINTF_LIKE(2, 3);
void open_block(Gen *g, const char *fmt, ...) PRINTF_LIKE(2, 3);
void close_block(Gen *g);

/* ---- gen_type.c ---- */

const Ty *ty_vector(Gen *g, Kind kind, uint32_t width);
const Ty *ty_matrix(Gen *g, Kind kind, uint32_t cols, uint32_t rows);
const Ty *ty_array(Gen *g, const Ty *of, uint32_t count);
const Ty *ty_struct(Gen *g, const Ty *const *fields, uint32_t n);
bool      ty_has_float(const Ty *t);
uint32_t  round_up(uint32_t n, uint32_t to);
bool      ty_is_float(const Ty *t);
bool      ty_is_int(const Ty *t);
Kind      kind_any(Gen *g, bool buffer);
Kind      kind_float(Gen *g);
const char *kind_suffix(Kind kind);                     /* of a literal: "f"      */
const Ty *ty_any_vector(Gen *g, bool buffer);
const Ty *ty_any(Gen *g, bool buffer, uint32_t depth);
void      ty_fill(Gen *g, const Ty *t, uint8_t *at);

/* ---- gen_path.c ---- */

Var  *var_add(Gen *g, Var v);
/* Text of a part of some variable that has this type; NULL: none was found. */
const char *path_to(Gen *g, const Ty *want, bool write);
/* Text of a part of a variable of this space, which is not one of those in `not`; its
 * own name is added to them. NULL: there is none. */
const char *path_in_space(Gen *g, const Ty *want, Space space, const char **not, uint32_t nnot);
/* Text of an index below `count`. */
const char *index_below(Gen *g, uint32_t count, bool large);
/* Some variable's part that may be written, of any type. */
const char *path_any(Gen *g, bool write, const Ty **type);

/* ---- expressions ---- */

#define DEEP 4

Ex ex_of(const char *text);
Ex expr(Gen *g, const Ty *t, int depth);
const char *expr_text(Gen *g, const Ty *t, int depth);
Ex expr_runtime(Gen *g, const Ty *t);           /* simple, never a literal        */
Ex expr_unknown(Gen *g, const Ty *t, int depth); /* never a literal               */
Ex expr_leaf(Gen *g, const Ty *t);
Ex expr_literal(Gen *g, const Ty *t);
Ex expr_int(Gen *g, const Ty *t, int depth);
Ex expr_bool(Gen *g, const Ty *t, int depth);
Ex expr_float(Gen *g, const Ty *t, int depth);
Ex expr_matrix(Gen *g, const Ty *t, int depth);
/* Parts of vectors put together or taken out: any scalar kind. */
Ex expr_parts(Gen *g, const Ty *t, int depth);
Ex expr_select(Gen *g, const Ty *t, int depth);
/* A call whose result has this type; no text: there is none. */
Ex expr_call(Gen *g, const Ty *t, int depth);
const char *call_text(Gen *g, const Fn *fn, int depth);
bool call_fits(const Gen *g, const Fn *fn);
/* What a variable of this type may hold: floats within bounds. */
Ex ex_stored(Gen *g, const Ty *t, Ex x);
/* The bounds of what was stored. */
Ex ex_loaded(const Ty *t, const char *text);
/* In smaller bounds; for floats. */
Ex ex_within(Gen *g, const Ty *t, Ex x, double max, int frac);

/* ---- statements ---- */

bool may_grow(const Gen *g);
void block(Gen *g, uint32_t most);
void statement(Gen *g);
void stmt_if(Gen *g);
void stmt_loop(Gen *g);
void stmt_switch(Gen *g);
/* break, continue, return: where they may stand. False: nowhere. */
bool stmt_leave(Gen *g);

/* ---- gen_space.c ---- */

GenBuffer *gen_buffer(Gen *g, GenProgram *out, const char *name, const Ty *t);
/* A runtime-sized array of `count` elements; `access` as in var<storage, access>. */
GenBuffer *array_buffer(Gen *g, GenProgram *out, const char *name, const char *access,
                        const Ty *of, uint32_t count);
void overrides_declare(Gen *g, GenProgram *out);
void plain_declare(Gen *g);
/* Variables of some type in the uniform and immediate address spaces, and behind the
 * head of a structure in storage. */
void spaces_declare(Gen *g, GenProgram *out);
/* A pointer that is a parameter: what it leads to, how its type is written. */
const Ty   *pointer_choose(Gen *g, Space *space);
const char *pointer_name(Gen *g, const Ty *t, Space space);
/* What only the entry point knows by name, and the functions through pointers. */
void pointees_declare(Gen *g, GenProgram *out);

/* ---- gen_sync.c ---- */

/* How workgroup memory is used at one point. */
typedef struct Modes {
    bool reading[4], atomics_reading;
} Modes;

void  sync_declare(Gen *g);
/* Names what invocations have of it, in main and in functions that synchronise. */
void  sync_show(Gen *g);
bool  sync_possible(const Gen *g);
/* Whether a barrier that follows may leave this path to all invocations, to read: a pointer
 * to it would still be written through. */
bool  sync_outdates(const Gen *g, const char *path);
void  stmt_sync(Gen *g);
void  stmt_atomic(Gen *g);
Modes sync_modes(const Gen *g);
void  sync_set(Gen *g, Modes m);                /* without a barrier              */
/* With a barrier, if anything is to be changed. */
void  sync_restore(Gen *g, Modes m);
/* At the end of a part of the text that found them so. */
void  sync_end(Gen *g, Modes found);
/* Whether flow that was uniform before a statement still is. */
bool  flow_after(const Gen *g, bool before);
Ex    expr_subgroup(Gen *g, const Ty *t, int depth); /* no text: not possible     */

#endif
