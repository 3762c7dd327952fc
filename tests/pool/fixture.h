/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixture.h - pools for the tests of this folder, and kernels to run on them.
 */
#ifndef WEFT_TESTS_POOL_FIXTURE_H
#define WEFT_TESTS_POOL_FIXTURE_H

#include <weft/pool.h>

#include "standin.h"

/* y[i] = x[i] * params.scale for i < params.n */
extern const char fixture_scale[];
/* y[i] = x[i] + 1, over a loop of params.n rounds that changes nothing else */
extern const char fixture_loop[];

/* The CPU device alone (WEFT_TEST_BACKEND: another one), without measuring; fields that are
 * set in desc stay. */
weft_pool         *fixture_pool(const weft_pool_desc *desc);
weft_pool_context *fixture_context(weft_pool *pool);
/* A pool of the libraries at `paths`, NULL-terminated and with one device each, whose cached
 * profiles are `profiles`: estimates do not depend on the machine. */
weft_pool         *fixture_profiled_pool(const char *const *paths, const weft_profile *profiles);

/* A stand-in of the tests: its path; configured. */
typedef struct Standin {
    const char   *path;
    void         *handle;
    StandinState *state;
} Standin;

Standin standin_open(uint32_t index, const StandinSettings *settings);

/* A scale execution of n elements: x[i] = i, and its check. */
typedef struct ScaleJob {
    weft_execute_input  inputs[3];
    weft_execute_output output;
    weft_execute_desc   desc;
    float              *x, *y, scale;
    uint32_t            n;
} ScaleJob;

void scale_init(ScaleJob *j, uint32_t n, float scale);
void scale_check(const ScaleJob *j);
void scale_fini(ScaleJob *j);

/* Fails with the report's message unless the kind is as expected. */
void expect_error(const weft_execute_report *r, weft_error_kind kind, const char *part);
void expect_ok(const weft_execute_report *r);
/* Context, pool: nothing is left in their accounts. */
void fixture_release(weft_pool *pool, weft_pool_context *ctx);

#endif
