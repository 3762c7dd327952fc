// SPDX-License-Identifier: Apache-2.0
/*
 * check_fuzz.c - the parser and the checker on any bytes.
 */
#include "front.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    front_check((Str){(const char *)data, (uint32_t)size}, NULL);
    return 0;
}
