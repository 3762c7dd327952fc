// SPDX-License-Identifier: Apache-2.0
/*
 * no_memory_test.c - operator new fails inside LLVM, at many places: each time the compilation
 * ends with a diagnostic, and the next one succeeds.
 *
 * The program's own operator new stands before the C++ library's, and fails when told to.
 */
#include "support/test.h"

#include <stdlib.h>

#include "compile/compile.h"

static _Thread_local uint64_t calls, fails_at;      /* fails_at 0: never          */

typedef void NewHandler(void);
extern NewHandler *get_new_handler(void) __asm__("_ZSt15get_new_handlerv") __attribute__((weak));
__attribute__((visibility("default"))) void *operator_new(size_t size) __asm__("_Znwm");

/* As the C++ library's: asks the handler, which does not come back. */
void *operator_new(size_t size)
{
    calls++;
    if (fails_at && calls >= fails_at && get_new_handler) {
        fails_at = 0;
        NewHandler *handler = get_new_handler();
        if (handler)
            handler();
        abort();
    }
    void *p = malloc(size ? size : 1);
    if (!p)
        abort();
    return p;
}

static const char source[] =
    "@group(0) @binding(0) var<storage, read_write> b : array<f32>;\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
    "  for (var i = 0u; i < 9u; i++) { if (b[id.x] > 1.0) { b[id.x + i] = sin(b[i]); } }\n"
    "}\n";

/* True: there is a kernel. The count of calls is of this compilation alone. */
static bool compiles(uint64_t fail, DiagId *why)
{
    Arena arena;
    arena_init(&arena, 0);
    Diag diag = {.arena = &arena};
    const Module *m = compile_front(&arena, str_of(source), &diag);
    KernelCache  *cache = kernel_cache_create(&(KernelCacheDesc){.off = true});
    assert_non_null(m);
    calls = 0;
    fails_at = fail;
    const Kernel *k = kernel_get(cache, m, m->info->entry_points.data[0], NULL, 0,
                                 &(CompileOptions){.assume = ASSUME_INNER}, &diag);
    fails_at = 0;
    *why = diag.errors ? diag.list.data[0].id : (DiagId)0;
    bool ok = k != NULL;
    assert_int_equal(ok, diag.errors == 0);
    kernel_release(cache, k);
    kernel_cache_release(cache);
    arena_fini(&arena);
    return ok;
}

static void test_each_failure_is_a_diagnostic(void **state)
{
    DiagId why;
    (void)state;
    assert_true(compiles(0, &why));
    assert_true(compiles(0, &why));
    uint64_t all = calls;
    if (!all || !get_new_handler) {
        print_message("LLVM does not use the program's operator new here\n");
        skip();
    }
    uint32_t failures = 0;
    for (uint64_t at = 1; at <= all; at += 1 + at / 32) {
        if (compiles(at, &why))
            continue;               /* it needed fewer this time */
        assert_int_equal(why, DIAG_out_of_memory);
        failures++;
        if (failures % 8 == 0)
            assert_true(compiles(0, &why));
    }
    assert_true(failures > 10);
    assert_true(compiles(0, &why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_failure_is_a_diagnostic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
