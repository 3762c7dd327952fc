// SPDX-License-Identifier: Apache-2.0
/*
 * fault.h - why a text from outside was rejected: the first reason, as one sentence.
 *
 * The readers of grammars, schemas and templates work without a context; the public
 * functions of weft/model.h pass the sentence on to theirs.
 */
#ifndef WEFT_MODEL_FAULT_H
#define WEFT_MODEL_FAULT_H

#include <stdarg.h>
#include <stdbool.h>

#include "base/macro.h"

typedef enum FaultKind {
    FAULT_NONE,
    FAULT_FORMAT,                   /* the text is malformed                               */
    FAULT_UNSUPPORTED,              /* well-formed, but outside the supported subset       */
    FAULT_LIMIT,                    /* a limit on size, depth or work was reached          */
    FAULT_RAISED,                   /* the template itself called raise_exception()        */
} FaultKind;

typedef struct Fault {
    FaultKind kind;
    char      text[512];
} Fault;

/* Keeps the first fault; always returns false. */
bool fault_set(Fault *f, FaultKind kind, const char *fmt, ...) PRINTF_LIKE(3, 4);
bool fault_vset(Fault *f, FaultKind kind, const char *fmt, va_list args) PRINTF_LIKE(3, 0);

#endif
