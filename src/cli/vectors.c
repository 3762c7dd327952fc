// SPDX-License-Identifier: Apache-2.0
/*
 * vectors.c - `weft vectors`: its parts, and the files of vectors that they open.
 *
 * in     .npy, .npz and .safetensors files, files of labels
 * out    rows on a device
 * knows  weft/store.h, weft/context.h
 * not    index, map, projection
 */
#include "cli/vectors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/npy.h"

enum { MAX_LABELS = 1 << 30 };

int vectors_complain(const VectorsFile *f)
{
    cli_complain(f->cli, "%s", weft_context_error(f->ctx)->message);
    return CLI_TROUBLE;
}

/* ---- opening ---- */

bool vectors_open_device(VectorsFile *f, Cli *cli)
{
    const char *adapter = NULL;
    uint32_t    threads = 0;
    *f = (VectorsFile){.cli = cli};
    options_find(cli, "adapter", &adapter);
    if (!options_uint(cli, "threads", &threads))
        return false;
    f->ctx = weft_context_create(&(weft_context_desc){.adapter = adapter, .threads = threads});
    if (weft_context_error(f->ctx)->kind == WEFT_ERROR_NONE)
        return true;
    vectors_complain(f);
    return false;
}

/* The matrix that --tensor names, or the only one. */
static bool choose_tensor(VectorsFile *f, weft_store_entry *out)
{
    const char *name = NULL;
    uint32_t    count = weft_store_count(f->store), found = 0;
    if (options_find(f->cli, "tensor", &name) && count > 1) {
        if (weft_store_find(out, f->store, name) && out->rank == 2)
            return true;
        cli_complain(f->cli, "%s: there is no matrix '%s'", f->path, name);
        return false;
    }
    if (weft_store_metadata(f->store, "weft.vectors"))
        return weft_store_find(out, f->store, "vectors") && out->rank == 2;
    for (uint32_t i = 0; i < count; i++) {
        weft_store_entry e;
        if (weft_store_entry_get(&e, f->store, i) && e.rank == 2 && e.dtype && found++ == 0)
            *out = e;
    }
    if (found == 1)
        return true;
    cli_complain(f->cli, found ? "%s: there are several matrices; --tensor=NAME chooses one"
                               : "%s: there is no matrix of numbers, one row a vector", f->path);
    return false;
}

static bool open_rows(VectorsFile *f, const char *path)
{
    weft_store_entry e;
    f->path = path;
    f->store = weft_store_open(f->ctx, &(weft_store_desc){.path = path});
    if (!f->store) {
        vectors_complain(f);
        return false;
    }
    if (!choose_tensor(f, &e))
        return false;
    if (e.shape[1] == 0 || e.shape[1] > WEFT_VECTORS_MAX_DIMENSION) {
        cli_complain(f->cli, "%s: vectors of %llu numbers: 1 to %u are possible", path,
                     (unsigned long long)e.shape[1], WEFT_VECTORS_MAX_DIMENSION);
        return false;
    }
    f->count = e.shape[0];
    f->dimension = (uint32_t)e.shape[1];
    f->tensor = weft_store_get(f->store, e.name);
    f->rows = (weft_vectors_rows){.tensor = f->tensor};
    if (!f->tensor)
        vectors_complain(f);
    return f->tensor != NULL;
}

/* Lines without their ends, in the arena. */
static bool read_labels(VectorsFile *f)
{
    const char       *path = NULL;
    VEC(const char *) lines = {0};
    if (!options_find(f->cli, "labels", &path))
        return true;
    Source s = input_read_limited(&f->cli->arena, path, MAX_LABELS);
    if (s.why) {
        cli_complain(f->cli, "%s: %s", path, s.why);
        return false;
    }
    for (size_t at = 0; at < s.size;) {
        const char *end = memchr(s.text + at, '\n', s.size - at);
        size_t      len = end ? (size_t)(end - s.text) - at : s.size - at;
        const char *line = arena_printf(&f->cli->arena, "%.*s", (int)len, s.text + at);
        VEC_PUSH(&f->cli->arena, &lines, line);
        at += len + 1;
    }
    input_release(&s);
    f->labels = lines.data;
    f->label_count = lines.len;
    if (f->label_count >= f->count)
        return true;
    cli_complain(f->cli, "%s: %llu lines for %llu vectors", path,
                 (unsigned long long)f->label_count, (unsigned long long)f->count);
    return false;
}

bool vectors_open(VectorsFile *f, Cli *cli)
{
    if (cli->operands.len == 0) {
        cli_complain(cli, "no file; see 'weft help %s'", cli->command->name);
        *f = (VectorsFile){.cli = cli};
        return false;
    }
    return vectors_open_device(f, cli) && open_rows(f, cli->operands.data[0]) && read_labels(f);
}

bool vectors_open_more(VectorsFile *f, const VectorsFile *first, const char *path)
{
    *f = (VectorsFile){.cli = first->cli, .ctx = weft_context_retain(first->ctx)};
    return open_rows(f, path);
}

void vectors_close(VectorsFile *f)
{
    weft_tensor_release(f->tensor);
    weft_store_release(f->store);
    weft_context_release(f->ctx);
}

/* ---- out ---- */

const char *vectors_label(const VectorsFile *f, uint64_t row)
{
    if (row < f->label_count)
        return f->labels[row];
    return arena_printf(&f->cli->arena, "%llu", (unsigned long long)row);
}

bool vectors_write_npy(Cli *cli, const char *path, const float *rows, uint64_t count,
                       uint32_t columns)
{
    Text     head = {.arena = &cli->arena};
    uint64_t dims[2] = {count, columns};
    npy_write_head(&head, "<f4", dims, 2);
    FILE *file = fopen(path, "wbe");
    bool  ok = file && fwrite(head.data, 1, head.len, file) == head.len
            && fwrite(rows, sizeof *rows * columns, count, file) == count;
    ok = (!file || fclose(file) == 0) && ok;
    if (!ok)
        cli_complain(cli, "%s: it cannot be written", path);
    return ok;
}

static const Command *const parts[] = {
    &cli_vectors_train, &cli_vectors_search, &cli_vectors_project, NULL,
};

const Command cli_vectors = {
    .name = "vectors", .operands = "PART FILE",
    .purpose = "Search, map and project vectors.",
    .more = "", .parts = parts,
};
