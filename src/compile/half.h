// SPDX-License-Identifier: Apache-2.0
/*
 * half.h - conversions of f16 that generated code calls where a machine has no
 * instruction for them.
 *
 * The names in generated code are those of the compiler's run-time library, which has them
 * only from some version on. A half is passed in the lowest 16 bits of the register of a
 * float, so a float stands for it here; the bits above are arbitrary.
 */
#ifndef WEFT_COMPILE_HALF_H
#define WEFT_COMPILE_HALF_H

float half_extend(float half);
float half_truncate(float x);           /* rounded once, to nearest, ties to even */
float half_truncate_double(double x);

#endif
