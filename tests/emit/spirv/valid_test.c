/* SPDX-License-Identifier: Apache-2.0 */
/*
 * valid_test.c - every kernel of the run tests, the examples and the benchmarks is a
 * module that spirv-val accepts, for drivers with little and with much.
 *
 * in     .wgsl files
 * out    a failure for each module that is refused, with what the validator says, or
 *        that is another one when it is printed and read again
 *
 *     test_spirv_valid [FILE...]      run tests; default: all of the above
 */
#include "support/test.h"

#include <dirent.h>
#include <spirv-tools/libspirv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "compile/spirv.h"
#include "support/rundir.h"
#include "targets.h"

/* What the validator says of a module; NULL: it is valid. In `a`. */
static const char *fault_of(Arena *a, SpirvCode code, const SpirvTarget *t)
{
    bool old = t->version < SPIRV_1_4;
    spv_context context = spvContextCreate(old ? SPV_ENV_VULKAN_1_1 : SPV_ENV_VULKAN_1_2);
    spv_validator_options options = spvValidatorOptionsCreate();
    spv_diagnostic said = NULL;
    spv_const_binary_t binary = {code.words, code.count};
    const char *fault = NULL;
    spvValidatorOptionsSetUniformBufferStandardLayout(options,
                                                      t->has_uniform_standard_layout);
    if (spvValidateWithOptions(context, options, &binary, &said) != SPV_SUCCESS)
        fault = arena_printf(a, "%s (word %zu)", said ? said->error : "refused",
                             said ? said->position.index : 0);
    spvDiagnosticDestroy(said);
    spvValidatorOptionsDestroy(options);
    spvContextDestroy(context);
    return fault;
}

/* What differs when the module is printed and read again; NULL: nothing. In `a`. */
static const char *print_fault(Arena *a, SpirvCode code)
{
    spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_5);
    spv_diagnostic said = NULL;
    spv_binary read = NULL;
    Text text = {.arena = a};
    const char *fault = NULL;
    spirv_print(&text, code);
    if (spvTextToBinaryWithOptions(context, text.data, text.len,
                                   SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS, &read,
                                   &said) != SPV_SUCCESS)
        fault = arena_printf(a, "line %zu: %s", said ? said->position.line + 1 : 0,
                             said ? said->error : "refused");
    else if (read->wordCount != code.count
             || memcmp(read->code + 5, code.words + 5, (code.count - 5) * 4) != 0)
        fault = "what is printed is another module";
    spvBinaryDestroy(read);
    spvDiagnosticDestroy(said);
    spvContextDestroy(context);
    return fault;
}

typedef bool CompileFn(SpirvKernel *out, Arena *arena, const Module *m, const Decl *entry,
                       const OverrideSetting *settings, uint32_t nsettings,
                       const SpirvTarget *target, Diag *diag);

typedef struct Job {
    const char   *path;
    const Module *module;
    const Decl   *entry;
    const OverrideSetting *settings;
    uint32_t      nsettings;
} Job;

static void check_target(RunDir *d, Arena *a, const Job *job, const NamedTarget *t,
                         CompileFn *compile)
{
    Arena arena;
    Diag diag = {.arena = a};
    SpirvKernel k;
    const char *fault = NULL;
    arena_init(&arena, 0);
    if (compile(&k, &arena, job->module, job->entry, job->settings, job->nsettings,
                &t->target, &diag)) {
        fault = fault_of(a, k.code, &t->target);
        if (!fault)
            fault = print_fault(a, k.code);
        if (!fault && !proof_is_sound(&k.proof, k.nbindings))
            fault = "a proof of what is not there";
    } else {
        rundir_complain_diag(d, job->path, job->module, a, &diag);
    }
    if (fault)
        rundir_complain(d, job->path, 1, t->name, fault);
    arena_fini(&arena);
    d->runs++;
}

static void check_entry(RunDir *d, Arena *a, const Job *job)
{
    bool uses_f64 = job->module->info->features.enabled & 1u << ENABLE_weft_f64;
    for (size_t i = 0; i < COUNTOF(targets); i++)
        if (!uses_f64 || targets[i].target.has_f64)
            check_target(d, a, job, &targets[i], spirv_compile);
    if (!uses_f64)
        check_target(d, a, job, &targets[0], spirv_compile_assuming);
}

static void run_case(RunDir *d, const char *path, Arena *a, const Module *m, RunCase *c)
{
    check_entry(d, a, &(Job){path, m, c->entry, c->overrides.data, c->overrides.len});
}

/* ---- kernels without expectations ---- */

static char *read_file(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    assert_non_null(in);
    assert_non_null(text);
    *size = fread(text, 1, 1 << 20, in);
    fclose(in);
    return text;
}

static void check_file(RunDir *d, const char *path)
{
    Arena a;
    Diag diag = {.arena = &a};
    size_t size;
    char *text = read_file(path, &size);
    arena_init(&a, 0);
    const Module *m = compile_front(&a, (Str){text, (uint32_t)size}, &diag);
    assert_non_null(m);
    for (uint32_t i = 0; i < m->info->entry_points.len; i++)
        check_entry(d, &a, &(Job){path, m, m->info->entry_points.data[i], NULL, 0});
    arena_fini(&a);
    free(text);
}

static void check_folder(RunDir *d, const char *folder)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *e; (e = readdir(dir));) {
        char path[4096];
        size_t len = strlen(e->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (len > 5 && strcmp(e->d_name + len - 5, ".wgsl") == 0)
            check_file(d, path);
    }
    closedir(dir);
}

static void check_plain_folder(const char *folder)
{
    RunDir d = {.run = run_case};
    check_folder(&d, folder);
    assert_true(d.runs > 0);
    assert_int_equal(d.failures, 0);
}

static void test_run_tests_are_valid(void **state)
{
    (void)state;
    RunDir d = {.run = run_case};
    rundir_folder(&d, WEFT_TEST_DIR "/../../run");
    assert_true(d.runs > 0);
    assert_int_equal(d.failures, 0);
}

static void test_examples_are_valid(void **state)
{
    (void)state;
    check_plain_folder(WEFT_TEST_DIR "/../../../examples");
}

static void test_benchmarks_are_valid(void **state)
{
    (void)state;
    check_plain_folder(WEFT_TEST_DIR "/../../../bench/kernels");
}

/* Else nothing above could fail. */
static void test_a_wrong_module_is_refused(void **state)
{
    (void)state;
    static const char text[] = "@compute @workgroup_size(1) fn main() {}";
    Arena a;
    Diag diag = {.arena = &a};
    SpirvKernel k;
    arena_init(&a, 0);
    const Module *m = compile_front(&a, STR(text), &diag);
    assert_non_null(m);
    assert_true(spirv_compile(&k, &a, m, m->info->entry_points.data[0], NULL, 0,
                              &targets[0].target, &diag));
    assert_null(fault_of(&a, k.code, &targets[0].target));
    assert_non_null(fault_of(&a, (SpirvCode){k.code.words, k.code.count - 1},
                             &targets[0].target));
    arena_fini(&a);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_wrong_module_is_refused),
        cmocka_unit_test(test_run_tests_are_valid),
        cmocka_unit_test(test_examples_are_valid),
        cmocka_unit_test(test_benchmarks_are_valid),
    };
    RunDir d = {.run = run_case};
    for (int i = 1; i < argc; i++)
        rundir_file(&d, argv[i]);
    if (argc > 1)
        return d.failures != 0;
    return cmocka_run_group_tests_name("spirv_valid", tests, NULL, NULL);
}
