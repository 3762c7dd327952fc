// SPDX-License-Identifier: Apache-2.0
/*
 * layout_priv.h - types of variables, see layout.c.
 */
#ifndef WEFT_POOL_LAYOUT_PRIV_H
#define WEFT_POOL_LAYOUT_PRIV_H

#include <weft/wgsl.h>

#include "base/macro.h"

#define LAYOUT_MOST_BYTES ((uint64_t)1 << 40)

uint64_t    layout_scalar_bytes(weft_scalar type);      /* 1 for bytes                      */
/* Bytes of an array; false: above LAYOUT_MOST_BYTES. */
bool        layout_shape_bytes(uint64_t *out, weft_scalar type, const uint64_t *shape,
                               uint32_t rank);
const char *layout_scalar_name(weft_scalar type);
/* The scalar that the whole value consists of; 0: several. */
weft_scalar layout_common_scalar(const weft_type *t);
/* The runtime-sized array at the end of a value, and where it starts; NULL: none. */
const weft_type *layout_tail(const weft_type *t, uint64_t *offset);
/* The part at a path such as ".rows[2].x"; NULL: no such part. */
const weft_type *layout_member(const weft_type *t, const char *path, uint64_t *offset);
/* Between the caller's f64 and the kernel's f32, at any alignment; count of numbers. */
void layout_narrow(void *f32, const void *f64, uint64_t count);
void layout_widen(void *f64, const void *f32, uint64_t count);

#endif
