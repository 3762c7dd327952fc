/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_test.c - every run test, lowered and interpreted.
 *
 * in     the .wgsl files below tests/run (support/runfile.h)
 * out    a failure for each that does not parse, check, lower or verify, or whose
 *        buffers are not as expected: invocations forwards, and backwards
 * knows  the stages up to the IR; the interpreter
 *
 *     test_run [FILE...]      default: all of them
 */
#include "support/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "lower/lower.h"
#include "support/interp.h"
#include "support/runfile.h"
#include "syntax/syntax.h"

static unsigned failures, runs;

static void complain(const char *path, uint32_t line, const char *what, const char *why)
{
    fprintf(stderr, "%s:%u: %s: %s\n", path, line, what, why);
    failures++;
}

static void complain_diag(const char *path, const Module *m, Arena *a, const Diag *diag)
{
    LineTable lines;
    line_table_init(&lines, a, m->source);
    for (uint32_t i = 0; i < diag->list.len; i++) {
        const Diagnostic *d = &diag->list.data[i];
        if (d->severity == SEVERITY_ERROR)
            complain(path, line_table_place(&lines, d->span).line, diag_id_name(d->id),
                     d->message);
    }
}

/* ---- one run ---- */

static const char *interpret(Arena *a, RunCase *c, const Ir *ir, bool backwards)
{
    InterpDesc desc = {
        .ir = ir,
        .buffers = ARENA_ARRAY(a, InterpBuffer, c->buffers.len),
        .num_workgroups = {c->groups[0], c->groups[1], c->groups[2]},
        .subgroup_size = c->subgroup_size,
        .backwards = backwards,
    };
    runfile_fill(a, c);
    for (uint32_t i = 0; i < c->buffers.len; i++) {
        const RunBuffer *b = &c->buffers.data[i];
        if (b->var->var.space == SPACE_IMMEDIATE) {
            desc.immediates = b->data;
            desc.immediate_size = b->size;
            continue;
        }
        desc.buffers[desc.nbuffers++] = (InterpBuffer){
            b->var->var.group, b->var->var.binding, b->data, b->size,
        };
    }
    const char *wrong = interp_run(a, &desc);
    return wrong ? wrong : runfile_difference(a, c);
}

static void run_case(const char *path, Arena *a, const Module *m, RunCase *c)
{
    Diag diag = {.arena = a};
    Specialization s;
    Ir *ir = NULL;
    runs++;
    if (check_specialize(&s, a, m, c->entry, c->overrides.data, c->overrides.len, &diag))
        ir = lower_entry_point(a, m, c->entry, &s, &diag);
    if (!ir) {
        complain_diag(path, m, a, &diag);
        return;
    }
    for (int backwards = 0; backwards < 2; backwards++) {
        const char *wrong = interpret(a, c, ir, backwards);
        if (wrong)
            complain(path, c->line, backwards ? "backwards" : "forwards", wrong);
    }
}

/* ---- one file ---- */

typedef struct File {
    const char *path;
    Str         text;
    Arena       arena;
} File;

static void run_text(void *context)
{
    File *f = context;
    Diag diag = {.arena = &f->arena};
    Module *m = syntax_parse(&f->arena, f->text, &diag);
    if (!check_module(m, &(CheckOptions){0}, &diag) || diag.errors) {
        complain_diag(f->path, m, &f->arena, &diag);
        return;
    }
    RunFile file = runfile_parse(&f->arena, m);
    if (file.error || !file.cases.len)
        complain(f->path, 1, "comments", file.error ? file.error : "no run is described");
    for (uint32_t i = 0; !file.error && i < file.cases.len; i++)
        run_case(f->path, &f->arena, m, &file.cases.data[i]);
}

static void run_file(const char *path)
{
    File f = {.path = path};
    FILE *in = fopen(path, "rb");
    if (!in) {
        complain(path, 0, "cannot be read", "");
        return;
    }
    char *text = calloc(1, 1 << 20);
    f.text = (Str){text, (uint32_t)fread(text, 1, 1 << 20, in)};
    fclose(in);
    arena_init(&f.arena, (size_t)1 << 30);
    if (!arena_try(&f.arena, run_text, &f))
        complain(path, 1, "memory", "more than a test may use");
    arena_fini(&f.arena);
    free(text);
}

static int by_name(const struct dirent **x, const struct dirent **y)
{
    return strcmp((*x)->d_name, (*y)->d_name);
}

static void run_folder(const char *folder)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, by_name);
    for (int i = 0; i < n; i++) {
        char path[4096];
        const char *name = entries[i]->d_name;
        size_t len = strlen(name);
        struct stat info;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (name[0] != '.' && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
            run_folder(path);
        else if (len > 5 && strcmp(name + len - 5, ".wgsl") == 0)
            run_file(path);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

static void test_every_file_runs_as_it_says(void **state)
{
    (void)state;
    run_folder(WEFT_TEST_DIR "/../run");
    assert_true(runs > 0);
    assert_int_equal(failures, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_file_runs_as_it_says),
    };
    for (int i = 1; i < argc; i++)
        run_file(argv[i]);
    if (argc > 1) {
        printf("%u runs, %u failures\n", runs, failures);
        return failures != 0;
    }
    return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
