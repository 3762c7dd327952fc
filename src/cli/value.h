// SPDX-License-Identifier: Apache-2.0
/*
 * value.h - the numbers that a command line gives a buffer.
 *
 *     1,2.5,0xff    0..1023    0*64      a list of numbers, ranges, repetitions
 *     zeros:N   ones:N   size:N   random:N[:SEED[:LOW:HIGH]]
 *     @numbers.txt   @array.npy   @raw.bin
 *
 * in     the text behind NAME=, and the file it names
 * out    one number after another, or bytes as they are
 * not    what they are for, and how many are needed (data.h)
 *
 * Ownership  value_open() reads the file, if there is one; value_close() gives
 *            that memory back. Messages are in the arena.
 */
#ifndef WEFT_CLI_VALUE_H
#define WEFT_CLI_VALUE_H

#include "cli/cli.h"
#include "cli/npy_at.h"
#include "cli/number.h"

typedef enum ValueKind {
    VALUE_LIST,                         /* written on the command line               */
    VALUE_TEXT,                         /* a file of numbers as text                 */
    VALUE_NPY,
    VALUE_RAW,                          /* a file of bytes                           */
    VALUE_CONSTANT,
    VALUE_RANDOM,
} ValueKind;

/* An item of a list that stands for several numbers. */
typedef struct ValueItem {
    Str      word;                      /* its number; for a range its text          */
    bool     is_range;
    double   first;                     /* ranges                                    */
    double   step;
    uint64_t count, taken;
} ValueItem;

typedef struct Value {
    ValueKind   kind;
    Arena      *arena;
    const char *text;                   /* as given                                  */
    const char *path;                   /* of the file; NULL: none                   */
    bool        has_count;
    uint64_t    count;                  /* CONSTANT, RANDOM: elements                */
    double      constant;
    uint64_t    seed;
    bool        has_range;
    double      low, high;              /* RANDOM                                    */
    /* from value_open() on */
    Source      file;
    Npy         npy;
    Str         list;                   /* LIST, TEXT                                */
    /* the next number */
    uint64_t    index;
    uint32_t    at;                     /* in `list`                                 */
    ValueItem   item;
    const char *why;                    /* what is wrong with it                     */
} Value;

/* Understands the text. False: it is wrong, see v->why. */
bool value_parse(Value *v, Arena *arena, const char *text);
/* Reads a file of at most `limit` bytes. False: see v->why. */
bool value_open(Value *v, uint64_t limit);
void value_close(Value *v);

/* How many numbers there are, for LIST, TEXT and NPY. False: see v->why. */
bool value_count(Value *v, uint64_t *count);
/* The next number, as the scalar has it. False: none, or it is wrong: see v->why. */
bool value_next(Value *v, weft_scalar scalar, double *out);

/* "1024", "64x64", "1e6"; false: no count. */
bool count_parse(Str text, uint64_t *out);

#endif
