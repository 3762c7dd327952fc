// SPDX-License-Identifier: Apache-2.0
/*
 * names.c - the names and sentences of the enumerations of weft/solve.h.
 *
 * in     values of enumerations
 * out    what they are called, and back
 * knows  the tables of weft/solve.h
 * not    problems
 */
#include <weft/solve.h>

#include <string.h>

#include "base/macro.h"

static const char *const loss_names[] = {
#define X(kind, name, value) name,
    WEFT_SOLVE_LOSSES(X)
#undef X
};

static const char *const method_names[] = {
#define X(kind, name, residuals) name,
    WEFT_SOLVE_METHODS(X)
#undef X
};

static const char *const linear_names[] = {
#define X(kind, name) name,
    WEFT_SOLVE_LINEARS(X)
#undef X
};

static const struct { const char *name, *sentence; bool converged; } terminations[] = {
#define X(reason, name, converged, sentence) {name, sentence, converged},
    WEFT_SOLVE_TERMINATIONS(X)
#undef X
};

const char *weft_solve_loss_name(weft_solve_loss_kind kind)
{
    return (size_t)kind < COUNTOF(loss_names) ? loss_names[kind] : NULL;
}

const char *weft_solve_method_name(weft_solve_method method)
{
    return (size_t)method < COUNTOF(method_names) ? method_names[method] : NULL;
}

const char *weft_solve_linear_name(weft_solve_linear linear)
{
    return (size_t)linear < COUNTOF(linear_names) ? linear_names[linear] : NULL;
}

bool weft_solve_method_find(weft_solve_method *out, const char *name)
{
    for (size_t i = 0; name && i < COUNTOF(method_names); i++)
        if (strcmp(method_names[i], name) == 0) {
            *out = (weft_solve_method)i;
            return true;
        }
    return false;
}

bool weft_solve_linear_find(weft_solve_linear *out, const char *name)
{
    for (size_t i = 0; name && i < COUNTOF(linear_names); i++)
        if (strcmp(linear_names[i], name) == 0) {
            *out = (weft_solve_linear)i;
            return true;
        }
    return false;
}

const char *weft_solve_termination_name(weft_solve_termination reason)
{
    return (size_t)reason < COUNTOF(terminations) ? terminations[reason].name : NULL;
}

const char *weft_solve_termination_sentence(weft_solve_termination reason)
{
    return (size_t)reason < COUNTOF(terminations) ? terminations[reason].sentence : NULL;
}

bool weft_solve_termination_converged(weft_solve_termination reason)
{
    return (size_t)reason < COUNTOF(terminations) && terminations[reason].converged;
}
