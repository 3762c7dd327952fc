/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export.c - kernels with their data as files, for other implementations of WebGPU.
 *
 * in     the kernels that were chosen, a folder
 * out    NAME.json, NAME.wgsl and NAME.N.bin for array N, unless that is zero;
 *        whether NAME.out, which another implementation computed from them, is right
 * not    which implementation that is
 */
#include "kernels/main_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_file(const char *folder, const char *name, const char *end, const char *mode)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, end);
    FILE *f = fopen(path, mode);
    if (!f && mode[0] == 'w')
        stop("%s cannot be written", path);
    return f;
}

static void close_written(FILE *f)
{
    bool failed = ferror(f) != 0;
    if (fclose(f) != 0 || failed)
        stop("a file could not be written");
}

/* ---- out ---- */

static void write_step(FILE *f, const Work *w, const Step *s)
{
    static const char *const kinds[] = {"run", "copy", "clear"};
    const char *between = "";
    fprintf(f, "{\"kind\":\"%s\",\"entry\":\"%s\",\"groups\":[%u,%u],\"from\":%u,\"to\":%u,"
               "\"offset\":%u,\"size\":%u,\"bound\":[", kinds[s->kind],
            s->entry ? s->entry : "main", s->groups[0], s->groups[1], s->from, s->to,
            s->offset, s->size);
    for (uint32_t i = 0; i < w->narrays; i++)
        if (!s->bound || s->bound >> i & 1) {
            fprintf(f, "%s%u", between, i);
            between = ",";
        }
    fprintf(f, "]}");
}

static void write_description(const Bench *b, const Work *w, const char *folder)
{
    FILE *f = open_file(folder, b->name, "json", "w");
    fprintf(f, "{\"name\":\"%s\",\"out\":%u,\"arrays\":[", b->name, w->out);
    for (uint32_t i = 0; i < w->narrays; i++)
        fprintf(f, "%s{\"size\":%zu,\"uniform\":%s}", i ? "," : "", w->array[i].size,
                w->array[i].is_uniform ? "true" : "false");
    fprintf(f, "],\"steps\":[\n");
    for (uint32_t i = 0; i < w->nsteps; i++) {
        fprintf(f, "%s", i ? ",\n" : "");
        write_step(f, w, &w->step[i]);
    }
    fprintf(f, "]}\n");
    close_written(f);
}

/* Buffers are zero by themselves. */
static bool is_zero(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (data[i])
            return false;
    return true;
}

static void write_data(const Bench *b, const Work *w, const char *folder)
{
    for (uint32_t i = 0; i < w->narrays; i++) {
        char end[16];
        if (is_zero(w->array[i].data, w->array[i].size))
            continue;
        snprintf(end, sizeof end, "%u.bin", i);
        FILE *f = open_file(folder, b->name, end, "wb");
        fwrite(w->array[i].data, 1, w->array[i].size, f);
        close_written(f);
    }
    char *wgsl = kernel_source(b, w);
    FILE *f = open_file(folder, b->name, "wgsl", "w");
    fputs(wgsl, f);
    close_written(f);
    free(wgsl);
}

/* ---- back ---- */

static bool judge(const Bench *b, const Work *w, const char *folder)
{
    size_t size = w->array[w->out].size;
    FILE *f = open_file(folder, b->name, "out", "rb");
    if (!f)
        return true;
    void *out = memory_new(size);
    const char *what = fread(out, 1, size, f) == size ? b->check(w, out) : "it is too short";
    if (what)
        fprintf(stderr, "%s: the result is wrong: %s\n", b->name, what);
    memory_free(out, size);
    fclose(f);
    return !what;
}

bool files_kernels(const Options *o)
{
    bool ok = true;
    for (uint32_t i = 0; all_benches[i]; i++) {
        const Bench *b = all_benches[i];
        Work w;
        if (!chosen(&o->choice, b->name) && !chosen(&o->choice, b->set))
            continue;
        work_init(&w, b, o->choice.small);
        if (o->judge) {
            ok = judge(b, &w, o->judge) && ok;
        } else {
            write_description(b, &w, o->export);
            write_data(b, &w, o->export);
            printf("%s\n", b->name);
        }
        work_fini(&w);
    }
    return ok;
}
