// SPDX-License-Identifier: Apache-2.0
/*
 * npy_at.c - the numbers of a .npy file.
 *
 * in     an opened file and the position of a number
 * out    the number
 */
#include "cli/npy_at.h"

#include <string.h>

#include "cli/number.h"

double npy_at(const Npy *npy, uint64_t index)
{
    uint8_t  bytes[8] = {0};
    const uint8_t *at = npy->data + index * npy->item;
    for (uint32_t i = 0; i < npy->item; i++)
        bytes[i] = at[npy->swapped ? npy->item - 1 - i : i];
    union { uint8_t u1; int8_t i1; uint16_t u2; int16_t i2; uint32_t u4; int32_t i4;
            uint64_t u8; int64_t i8; float f4; double f8; } as;
    memcpy(&as, bytes, sizeof bytes);
    if (npy->kind == 'f')
        return npy->item == 2 ? half_to_double(as.u2) : npy->item == 4 ? (double)as.f4 : as.f8;
    bool is_signed = npy->kind == 'i';
    switch (npy->item) {
    case 1:  return is_signed ? as.i1 : as.u1;
    case 2:  return is_signed ? as.i2 : as.u2;
    case 4:  return is_signed ? (double)as.i4 : (double)as.u4;
    default: return is_signed ? (double)as.i8 : (double)as.u8;
    }
}
