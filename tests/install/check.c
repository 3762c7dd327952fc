// SPDX-License-Identifier: Apache-2.0
/*
 * check.c - a user's program: C and C++ at once, built outside the tree against
 * the installed library.
 *
 * in     nothing
 * out    exit status 0 if the library accepts a kernel and rejects another
 */
#include <stdio.h>
#include <string.h>

#include <weft/wgsl.h>

/* Names that Weft uses inside. A library that showed them would not link with
 * this program, or would call these. */
void arena_init(void);
void bug_at(void);
void arena_init(void) {}
void bug_at(void) {}

static weft_wgsl *check(const char *source)
{
    weft_wgsl_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.source = source;
    return weft_wgsl_create(&desc);
}

int main(void)
{
    int wrong = 0;
    weft_wgsl *good = check("@compute @workgroup_size(4) fn kernel() {}");
    weft_wgsl *bad = check("fn f() -> u32 { return nothing; }");

    if (!weft_wgsl_ok(good) || weft_wgsl_entry_point_count(good) != 1
        || strcmp(weft_wgsl_entry_point_get(good, 0)->name, "kernel") != 0) {
        puts("a good kernel is not understood");
        wrong = 1;
    }
    if (weft_wgsl_ok(bad) || weft_wgsl_diagnostic_count(bad) == 0) {
        puts("a bad kernel is accepted");
        wrong = 1;
    }
    weft_wgsl_release(good);
    weft_wgsl_release(bad);
    return wrong;
}
