// SPDX-License-Identifier: Apache-2.0
/*
 * bug.c - the end of the road when Weft itself is wrong.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/macro.h"

void bug_at(const char *file, int line, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fprintf(stderr, "weft: bug at %s:%d: ", file, line);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    abort();
}
