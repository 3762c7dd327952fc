/* SPDX-License-Identifier: Apache-2.0 */
/*
 * front.h - modules of any size for the benchmark of the front end.
 */
#ifndef WEFT_BENCH_FRONT_H
#define WEFT_BENCH_FRONT_H

#include <stdint.h>

#include "base/text.h"

/* What grows with a module. */
typedef struct Shape {
    const char *name, *what;
    uint32_t    count;          /* of what grows, at size 1                       */
    void      (*write)(Text *out, uint32_t count);
} Shape;

extern const Shape shapes[];    /* ends with a NULL name; the first is the realistic one */

#endif
