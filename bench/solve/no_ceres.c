/* SPDX-License-Identifier: Apache-2.0 */
/*
 * no_ceres.c - stands for ceres.cc where Ceres is not installed.
 */
#include "bench_solve.h"

bool rival_available(void)
{
    return false;
}

RivalResult rival_bundle(double *x, const Problem *p, const Options *o)
{
    (void)x, (void)p, (void)o;
    return (RivalResult){0};
}

RivalResult rival_many(double *x, const double *y, uint32_t fits, uint32_t threads)
{
    (void)x, (void)y, (void)fits, (void)threads;
    return (RivalResult){0};
}
