// SPDX-License-Identifier: Apache-2.0
/*
 * fault.c - keeps the first fault.
 *
 * in     a kind and a formatted sentence
 * out    Fault
 * not    contexts, public error kinds
 */
#include "model/fault.h"

#include <stdio.h>

bool fault_vset(Fault *f, FaultKind kind, const char *fmt, va_list args)
{
    if (f->kind == FAULT_NONE) {
        f->kind = kind;
        vsnprintf(f->text, sizeof f->text, fmt, args);
    }
    return false;
}

bool fault_set(Fault *f, FaultKind kind, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fault_vset(f, kind, fmt, args);
    va_end(args);
    return false;
}
