// SPDX-License-Identifier: Apache-2.0
/*
 * error.c - the kinds of error in words.
 *
 * in     a kind
 * out    its name, its HTTP status, its meaning
 * knows  weft/error.h
 */
#include <weft/error.h>

#include <stdbool.h>
#include <stddef.h>

static const struct {
    const char *name;
    uint32_t    http;
    const char *meaning;
} kinds[WEFT_ERROR_KIND_COUNT] = {
    [WEFT_ERROR_NONE] = {"none", 200, "no error"},
#define X(kind, name, http, meaning) [WEFT_ERROR_##kind] = {name, http, meaning},
    WEFT_ERROR_KINDS(X)
#undef X
};

static bool known(weft_error_kind kind)
{
    return (uint32_t)kind < WEFT_ERROR_KIND_COUNT;
}

const char *weft_error_kind_name(weft_error_kind kind)
{
    return known(kind) ? kinds[kind].name : NULL;
}

uint32_t weft_error_kind_http(weft_error_kind kind)
{
    return known(kind) ? kinds[kind].http : 0;
}

const char *weft_error_kind_meaning(weft_error_kind kind)
{
    return known(kind) ? kinds[kind].meaning : NULL;
}
