// SPDX-License-Identifier: Apache-2.0
/*
 * overload_match_priv.h - the inside of overload.c, for overload_text.c: the
 * types of a row as patterns, and what their variables may still be.
 */
#ifndef WEFT_CHECK_OVERLOAD_MATCH_PRIV_H
#define WEFT_CHECK_OVERLOAD_MATCH_PRIV_H

#include "check/overload_priv.h"

typedef enum PatternKind {
    PATTERN_NONE,                       /* not in the language of rows            */
    PATTERN_SCALAR,                     /* a: SCALAR_*                            */
    PATTERN_SCALAR_VAR,                 /* a: VAR_*                               */
    PATTERN_CHANNEL,                    /* CF                                     */
    PATTERN_SHAPED,                     /* T, TB, ...; inner: its scalar          */
    PATTERN_VECTOR,                     /* a: digit or letter; inner: scalar      */
    PATTERN_MATRIX,                     /* a, b: the same of columns, rows        */
    PATTERN_POINTER,                    /* inner: space, type, access             */
    PATTERN_ATOMIC,                     /* inner: scalar                          */
    PATTERN_ARRAY,                      /* runtime-sized, of anything             */
    PATTERN_BUFFER,
    PATTERN_SAMPLER,                    /* a: comparison                          */
    PATTERN_TEXTURE,                    /* a: TextureKind, b: TextureDim          */
    PATTERN_RESULT,                     /* a: ResultKind; inner: type             */
    PATTERN_ANY,                        /* E                                      */
} PatternKind;

enum { VAR_S, VAR_W, VAR_C, VAR_A, VAR_L, VAR_COUNT };

typedef struct PatternName {
    Str         name;
    PatternKind kind;
    uint8_t     a, b;
} PatternName;

typedef struct Pattern {
    PatternKind kind;
    uint8_t     a, b;
    Str         inner;
} Pattern;

/* What the variables of a row may be, after some of its parameters. */
typedef struct Env {
    TypeTable   *types;
    uint16_t     where;
    uint32_t     mask;                  /* scalars that are allowed at all        */
    uint32_t     set[VAR_COUNT];        /* scalars                                */
    uint32_t     dim[4];                /* N C R K              0: open           */
    const Type  *element;               /* E                                      */
    AddressSpace space;                 /* AS                                     */
    Access       access;                /* AM AR AW                               */
    bool         has_format;
    uint8_t      format;                /* F                                      */
} Env;

/* The next of a list with commas, and the list after it. */
Str         pattern_next(Str *list);
/* "vec2" of "vec2<f32>"; *inner is "f32". */
Str         pattern_head(Str pattern, Str *inner);
Pattern     pattern_of(Str text);
const char *pattern_texture_name(TextureKind kind, TextureDim dim);

void        env_init(Env *env, const OverloadQuery *q, const Overload *row);
uint32_t   *env_dim(Env *env, char letter);
uint32_t    env_scalars(Env *env, Str pattern, uint32_t **set);
/* Narrows the variables so that `t` converts to the pattern; false: it cannot. */
bool        env_match(Env *env, Str pattern, const Type *t);
/* The type of a pattern, open scalar variables taken as preferred. */
const Type *env_build(Env *env, Str pattern);

#endif
