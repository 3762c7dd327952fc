// SPDX-License-Identifier: Apache-2.0
/*
 * number.h - the scalars of WGSL as text and as bytes.
 *
 * A double holds every value of i32, u32, f32, f16 and f64, so that is what numbers
 * are between text and bytes.
 */
#ifndef WEFT_CLI_NUMBER_H
#define WEFT_CLI_NUMBER_H

#include <weft/wgsl.h>

#include "base/str.h"
#include "base/text.h"

uint32_t    scalar_size(weft_scalar scalar);            /* bytes in a buffer       */
const char *scalar_name(weft_scalar scalar);            /* "f32"                   */
bool        scalar_is_float(weft_scalar scalar);

/* Bytes in a buffer are in no alignment that C knows of. The value must be one
 * that the scalar has (scalar_fit). */
void   scalar_store(uint8_t *to, weft_scalar scalar, double value);
double scalar_load(const uint8_t *from, weft_scalar scalar);

typedef enum NumberFault {
    NUMBER_OK,
    NUMBER_NOT_ONE,                     /* no number at all                        */
    NUMBER_NOT_WHOLE,                   /* an integer is needed                    */
    NUMBER_OUT_OF_RANGE,
} NumberFault;

/* Rounds *value to what the scalar has: floats to the nearest, integers not. */
NumberFault scalar_fit(weft_scalar scalar, double *value);

/* One number: "12", "-1.5e3", "0xff"; for floats also "inf" and "nan". */
NumberFault number_parse(Str text, weft_scalar scalar, double *out);
/* "'1.5' is not a whole number, as i32 needs", in the arena. */
const char *number_fault_text(Arena *arena, NumberFault fault, Str text, weft_scalar scalar);

/* The shortest text that reads back as the same value. */
void number_print(Text *out, weft_scalar scalar, double value);
/* The same as JSON, where what is not a number is a string. */
void number_json(Text *out, weft_scalar scalar, double value);

/* IEEE binary16. */
uint16_t half_from_double(double value);                /* to nearest, ties to even */
double   half_to_double(uint16_t half);

#endif
