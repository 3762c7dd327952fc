/* SPDX-License-Identifier: Apache-2.0 */
/*
 * headers_test.c - all public headers together, as C and as C++: no name is used twice, and
 * each header is complete. CMake lists them in all_headers.h.
 */
#include "all_headers.h"

int main(void)
{
    return weft_error_kind_name(WEFT_ERROR_INVALID) ? 0 : 1;
}
