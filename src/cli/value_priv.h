// SPDX-License-Identifier: Apache-2.0
/*
 * value_priv.h - what value.c and value_list.c share.
 */
#ifndef WEFT_CLI_VALUE_PRIV_H
#define WEFT_CLI_VALUE_PRIV_H

#include "cli/value.h"

/* Sets v->why and returns false. */
bool value_fail(Value *v, const char *fmt, ...) PRINTF_LIKE(2, 3);

bool list_count(Value *v, uint64_t *count);
bool list_next(Value *v, weft_scalar scalar, double *out);

/* A number of no particular type. */
bool double_parse(Str text, double *out);

#endif
