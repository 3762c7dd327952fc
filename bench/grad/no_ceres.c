/* SPDX-License-Identifier: Apache-2.0 */
/*
 * no_ceres.c - stands for ceres.cc where Ceres is not installed.
 */
#include <stddef.h>

#include "problems.h"

bool ceres_available(void)
{
    return false;
}

CeresProblem *ceres_make(const Problem *p)
{
    (void)p;
    return NULL;
}

void ceres_free(CeresProblem *c)
{
    (void)c;
}

void ceres_run(CeresProblem *c, const double *x, uint32_t threads)
{
    (void)c, (void)x, (void)threads;
}

double ceres_cost(const CeresProblem *c)
{
    (void)c;
    return 0;
}

const double *ceres_jacobian(const CeresProblem *c)
{
    (void)c;
    return NULL;
}

const double *ceres_normal(const CeresProblem *c)
{
    (void)c;
    return NULL;
}
