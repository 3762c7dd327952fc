/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rundir.c - finds, reads and checks run tests.
 */
#include "support/test.h"

#include "support/rundir.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lower/lower.h"
#include "syntax/syntax.h"

void rundir_complain(RunDir *d, const char *path, uint32_t line, const char *what, const char *why)
{
    fprintf(stderr, "%s:%u: %s: %s\n", path, line, what, why);
    d->failures++;
}

void rundir_complain_diag(RunDir *d, const char *path, const Module *m, Arena *a,
                          const Diag *diag)
{
    LineTable lines;
    line_table_init(&lines, a, m->source);
    for (uint32_t i = 0; i < diag->list.len; i++) {
        const Diagnostic *x = &diag->list.data[i];
        if (x->severity == SEVERITY_ERROR)
            rundir_complain(d, path, line_table_place(&lines, x->span).line,
                            diag_id_name(x->id), x->message);
    }
}

/* ---- one file ---- */

typedef struct File {
    RunDir     *dir;
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
        rundir_complain_diag(f->dir, f->path, m, &f->arena, &diag);
        return;
    }
    RunFile file = runfile_parse(&f->arena, m);
    if (file.error || !file.cases.len)
        rundir_complain(f->dir, f->path, 1, "comments",
                        file.error ? file.error : "no run is described");
    for (uint32_t i = 0; !file.error && i < file.cases.len; i++) {
        f->dir->runs++;
        f->dir->run(f->dir, f->path, &f->arena, m, &file.cases.data[i]);
    }
}

void rundir_file(RunDir *d, const char *path)
{
    File f = {.dir = d, .path = path};
    FILE *in = fopen(path, "rb");
    if (!in) {
        rundir_complain(d, path, 0, "cannot be read", "");
        return;
    }
    char *text = calloc(1, 1 << 20);
    f.text = (Str){text, (uint32_t)fread(text, 1, 1 << 20, in)};
    fclose(in);
    arena_init(&f.arena, (size_t)1 << 30);
    d->files++;
    if (!arena_try(&f.arena, run_text, &f))
        rundir_complain(d, path, 1, "memory", "more than a test may use");
    arena_fini(&f.arena);
    free(text);
}

static int by_name(const struct dirent **x, const struct dirent **y)
{
    return strcmp((*x)->d_name, (*y)->d_name);
}

void rundir_folder(RunDir *d, const char *folder)
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
            rundir_folder(d, path);
        else if (len > 5 && strcmp(name + len - 5, ".wgsl") == 0)
            rundir_file(d, path);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

Ir *rundir_lower(RunDir *d, const char *path, Arena *a, const Module *m, const RunCase *c)
{
    Diag diag = {.arena = a};
    Specialization *s = ARENA_NEW(a, Specialization);
    Ir *ir = NULL;
    if (check_specialize(s, a, m, c->entry, c->overrides.data, c->overrides.len, &diag))
        ir = lower_entry_point(a, m, c->entry, s, &diag);
    if (!ir)
        rundir_complain_diag(d, path, m, a, &diag);
    return ir;
}

/* ---- main ---- */

typedef struct WholeFolder {
    RunDir      dir;
    const char *folder;
} WholeFolder;

static void test_every_file_runs_as_it_says(void **state)
{
    WholeFolder *w = *state;
    rundir_folder(&w->dir, w->folder);
    assert_true(w->dir.runs > 0);
    assert_int_equal(w->dir.failures, 0);
}

int rundir_main(int argc, char **argv, const char *name, const char *folder,
                void (*run)(RunDir *d, const char *path, Arena *a, const Module *m,
                            RunCase *c))
{
    WholeFolder whole = {.dir = {.run = run}, .folder = folder};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_every_file_runs_as_it_says, &whole),
    };
    for (int i = 1; i < argc; i++)
        rundir_file(&whole.dir, argv[i]);
    if (argc > 1) {
        printf("%u runs, %u failures\n", whole.dir.runs, whole.dir.failures);
        return whole.dir.failures != 0;
    }
    return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}
