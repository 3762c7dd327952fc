/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixture.h - contexts for the tests of this folder, on the device that the environment
 * asks for (WEFT_TEST_BACKEND=vulkan: the Vulkan driver; WEFT_WEBGPU: another library).
 */
#ifndef WEFT_TESTS_CONTEXT_FIXTURE_H
#define WEFT_TESTS_CONTEXT_FIXTURE_H

#include <weft/context.h>

/* A context on the device under test; fails the test without one. */
weft_context *fixture_context(const weft_context_desc *desc);
/* Releases it; fails the test if it has an error. */
void fixture_release(weft_context *ctx);

/* Fails unless the context has an error of this kind whose message contains `part`; clears
 * it. */
void fixture_expect_error(weft_context *ctx, weft_error_kind kind, const char *part);
/* Fails if the context has an error. */
void fixture_no_error(weft_context *ctx);

/* out[i] = a[i] + b[i] * scale, over n elements: bindings a, b, out, params {scale, n}. */
extern const char fixture_axpy[];

#endif
