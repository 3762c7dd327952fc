// SPDX-License-Identifier: Apache-2.0
/*
 * data.h - numbers into the bytes of a buffer, as the layout of its type says.
 *
 * A buffer of WGSL has a fixed part, and may end in an array that is as long as
 * the buffer is large: its tail. Numbers fill it in the order of the members, and
 * the gaps between them are left zero.
 */
#ifndef WEFT_CLI_DATA_H
#define WEFT_CLI_DATA_H

#include "cli/value.h"

typedef struct Shape {
    const weft_type *type;
    const weft_type *tail;              /* NULL: none                                */
    uint64_t tail_offset;               /* bytes                                     */
    uint64_t fixed;                     /* scalars before the tail                   */
    uint64_t each;                      /* scalars in an element of the tail         */
} Shape;

/* Buffers without a type count as arrays of u32. What is made up is in the arena. */
Shape data_shape(Arena *arena, const weft_type *type);
/* Bytes with `count` elements in the tail; UINT64_MAX: more than can be counted. */
uint64_t shape_size(const Shape *s, uint64_t count);
/* Elements of the tail, or of the array that the type is, in so many bytes; 1 for
 * what is no array. */
uint64_t data_shape_count(const Shape *s, uint64_t size);
/* Scalars of a type of fixed size. */
uint64_t type_scalars(const weft_type *type);

/* Called for each scalar of a type, in order, with its offset. False ends the walk. */
typedef bool ScalarVisit(void *context, uint64_t offset, weft_scalar scalar);
/* `count`: elements of the tail. */
bool type_walk(const weft_type *type, uint64_t offset, uint64_t count, ScalarVisit *visit,
               void *context);

/* How many elements the value gives the tail; 0 without a tail. False if it does
 * not fit the shape, with *why in the arena. */
bool data_measure(const Shape *s, Value *v, Arena *arena, uint64_t *count, const char **why);
/* Writes the value to `bytes`, which are zero: a shape with `count` elements. */
bool data_fill(const Shape *s, Value *v, uint64_t count, uint8_t *bytes, const char **why);

#endif
