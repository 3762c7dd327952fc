// SPDX-License-Identifier: Apache-2.0
/*
 * wgsl_fuzz.c - any bytes through weft/wgsl.h.
 *
 * The last byte chooses the limits; a line feed, which ends most files, sets none.
 */
#include "front.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    front_wgsl((Str){(const char *)data, (uint32_t)size}, size ? data[size - 1] : 0);
    return 0;
}
