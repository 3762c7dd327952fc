/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fixture.c - contexts for the tests of this folder.
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "fixture.h"

const char fixture_axpy[] =
    "struct Params { scale : f32, n : u32 }\n"
    "@group(0) @binding(0) var<storage, read> a : array<f32>;\n"
    "@group(0) @binding(1) var<storage, read> b : array<f32>;\n"
    "@group(0) @binding(2) var<storage, read_write> out : array<f32>;\n"
    "@group(0) @binding(3) var<uniform> params : Params;\n"
    "@compute @workgroup_size(64)\n"
    "fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "    if id.x < params.n {\n"
    "        out[id.x] = a[id.x] + b[id.x] * params.scale;\n"
    "    }\n"
    "}\n";

weft_context *fixture_context(const weft_context_desc *desc)
{
    const char       *backend = getenv("WEFT_TEST_BACKEND");
    weft_context_desc d = desc ? *desc : (weft_context_desc){0};
    if (backend && !d.adapter && !d.share)
        d.adapter = backend;
    weft_context *ctx = weft_context_create(&d);
    assert_non_null(ctx);
    fixture_no_error(ctx);
    return ctx;
}

void fixture_no_error(weft_context *ctx)
{
    if (weft_context_error(ctx)->kind)
        fail_msg("%s", weft_context_error(ctx)->message);
}

void fixture_release(weft_context *ctx)
{
    fixture_no_error(ctx);
    weft_context_release(ctx);
}

void fixture_expect_error(weft_context *ctx, weft_error_kind kind, const char *part)
{
    const weft_error *e = weft_context_error(ctx);
    if (e->kind != kind || !strstr(e->message, part))
        fail_msg("expected a %s error with '%s', got %s: %s", weft_error_kind_name(kind), part,
                 e->kind ? weft_error_kind_name(e->kind) : "none", e->message);
    weft_context_error_clear(ctx);
}
