// SPDX-License-Identifier: Apache-2.0
/*
 * gguf.c - a GGUF model of one or several files, as one object.
 *
 * in     paths or memory
 * out    weft_gguf: metadata and tensors of all parts, looked up by name
 * knows  how split models name their parts
 * not    the layout of a file (gguf_parse.c), what a model is made of
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "model/gguf.h"
#include "model/gguf_priv.h"

enum { MAX_PARTS = 65535 };

/* ---- looking things up ---- */

static int value_order(const void *a, const void *b)
{
    const weft_gguf_value *const *x = a, *const *y = b;
    return strcmp((*x)->key, (*y)->key);
}

static int tensor_order(const void *a, const void *b)
{
    const weft_gguf_tensor *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

/* Sorts keys and names. False after an error, if one is there twice. */
static bool index_make(weft_gguf *f)
{
    f->by_key = ARENA_ARRAY(&f->arena, const weft_gguf_value *, (size_t)f->all.nvalues);
    f->by_name = ARENA_ARRAY(&f->arena, const weft_gguf_tensor *, (size_t)f->all.ntensors);
    for (uint64_t i = 0; i < f->all.nvalues; i++)
        f->by_key[i] = &f->all.values[i];
    for (uint64_t i = 0; i < f->all.ntensors; i++)
        f->by_name[i] = &f->all.tensors[i];
    if (f->all.nvalues)
        qsort(f->by_key, (size_t)f->all.nvalues, sizeof *f->by_key, value_order);
    if (f->all.ntensors)
        qsort(f->by_name, (size_t)f->all.ntensors, sizeof *f->by_name, tensor_order);
    for (uint64_t i = 1; i < f->all.nvalues; i++)
        if (value_order(&f->by_key[i - 1], &f->by_key[i]) == 0)
            return gguf_fail(f, f->parts, 24, f->by_key[i]->key, "the key is there twice");
    for (uint64_t i = 1; i < f->all.ntensors; i++)
        if (tensor_order(&f->by_name[i - 1], &f->by_name[i]) == 0)
            return gguf_fail(f, &f->parts[f->by_name[i]->part], f->by_name[i]->offset,
                             f->by_name[i]->name, "there are two tensors of this name");
    return true;
}

const weft_gguf_value *weft_gguf_value_find(const weft_gguf *file, const char *key)
{
    if (!file || !key)
        return NULL;
    const weft_gguf_value   wanted = {.key = key}, *at = &wanted;
    const weft_gguf_value **found = !file->all.nvalues ? NULL
        : bsearch(&at, file->by_key, (size_t)file->all.nvalues, sizeof at, value_order);
    return found ? *found : NULL;
}

const weft_gguf_tensor *weft_gguf_tensor_find(const weft_gguf *file, const char *name)
{
    if (!file || !name)
        return NULL;
    const weft_gguf_tensor   wanted = {.name = name}, *at = &wanted;
    const weft_gguf_tensor **found = !file->all.ntensors ? NULL
        : bsearch(&at, file->by_name, (size_t)file->all.ntensors, sizeof at, tensor_order);
    return found ? *found : NULL;
}

uint64_t weft_gguf_value_count(const weft_gguf *file)
{
    return file ? file->all.nvalues : 0;
}

uint64_t weft_gguf_tensor_count(const weft_gguf *file)
{
    return file ? file->all.ntensors : 0;
}

const weft_gguf_value *weft_gguf_value_get(const weft_gguf *file, uint64_t index)
{
    return file && index < file->all.nvalues ? &file->all.values[index] : NULL;
}

const weft_gguf_tensor *weft_gguf_tensor_get(const weft_gguf *file, uint64_t index)
{
    return file && index < file->all.ntensors ? &file->all.tensors[index] : NULL;
}

const void *weft_gguf_data(const weft_gguf *file, const weft_gguf_tensor *tensor)
{
    if (!file || !tensor) {
        context_fail(file ? file->ctx : NULL, WEFT_ERROR_INVALID, "no such tensor");
        return NULL;
    }
    if (file->header_only) {
        context_fail(file->ctx, WEFT_ERROR_INVALID,
                     "tensor '%s': the file was opened for its header only", tensor->name);
        return NULL;
    }
    return file->parts[tensor->part].data + tensor->offset;
}

void gguf_forget(const weft_gguf *file, const weft_gguf_tensor *tensor)
{
    if (!file->header_only)
        gguf_file_forget(&file->parts[tensor->part], tensor->offset, tensor->size);
}

/* ---- what the file is ---- */

static const char *text_of(const weft_gguf *f, const char *key)
{
    const weft_gguf_value *v = weft_gguf_value_find(f, key);
    return v && v->kind == WEFT_GGUF_STRING ? v->text : "";
}

/* The type that most bytes have. */
static const char *most_used_type(const weft_gguf *f)
{
    uint64_t bytes[64] = {0};
    int      best = 0;
    for (uint64_t i = 0; i < f->all.ntensors; i++)
        bytes[f->all.tensors[i].type & 63] += f->all.tensors[i].size;
    for (int i = 1; i < 64; i++)
        if (bytes[i] > bytes[best])
            best = i;
    return f->all.ntensors ? weft_gguf_type_name((weft_gguf_type)best) : "";
}

static void info_make(weft_gguf *f)
{
    weft_gguf_info *info = &f->info;
    info->version = f->all.version;
    info->alignment = f->all.alignment;
    info->parts = f->nparts;
    for (uint32_t i = 0; i < f->nparts; i++)
        info->size += f->parts[i].size;
    for (uint64_t i = 0; i < f->all.ntensors; i++) {
        info->tensor_size += f->all.tensors[i].size;
        info->elements += f->all.tensors[i].elements;
    }
    info->architecture = text_of(f, "general.architecture");
    info->name = text_of(f, "general.name");
    const weft_gguf_value *type = weft_gguf_value_find(f, "general.file_type");
    if (type && type->kind == WEFT_GGUF_U32)
        info->type = gguf_file_type_name(type->u);
    if (!info->type)
        info->type = most_used_type(f);
}

bool weft_gguf_info_get(weft_gguf_info *out, const weft_gguf *file)
{
    if (!file)
        return false;
    *out = file->info;
    return true;
}

/* ---- split models ---- */

/* An integer of the metadata of a part; `fallback` if the key is missing. */
static int64_t split_number(const GgufContents *c, const char *key, int64_t fallback)
{
    for (uint64_t i = 0; i < c->nvalues; i++) {
        const weft_gguf_value *v = &c->values[i];
        if (strcmp(v->key, key) == 0)
            return v->kind == WEFT_GGUF_ARRAY || v->kind == WEFT_GGUF_STRING ? -1 : v->i;
    }
    return fallback;
}

/* The path of part `index` of `count`, in the arena; NULL if `first` is not the path of
 * the first part. */
static const char *part_path(weft_gguf *f, const char *first, uint32_t index, uint32_t count)
{
    char   tail[32];
    size_t size = strlen(first);
    int    tail_size = snprintf(tail, sizeof tail, "-00001-of-%05" PRIu32 ".gguf", count);
    if (size < (size_t)tail_size || strcmp(first + size - (size_t)tail_size, tail) != 0)
        return NULL;
    return arena_printf(&f->arena, "%.*s-%05" PRIu32 "-of-%05" PRIu32 ".gguf",
                        (int)(size - (size_t)tail_size), first, index + 1, count);
}

static void part_from_memory(weft_gguf *f, uint32_t index, const void *data, size_t size)
{
    f->parts[index] = (GgufPart){.name = arena_printf(&f->arena, "part %" PRIu32, index + 1),
                                 .data = data, .size = data ? size : 0};
}

static bool part_open(weft_gguf *f, const weft_gguf_desc *d, uint32_t index, uint32_t count)
{
    if (!d->path) {
        if (count != d->part_count + 1)
            return gguf_fail(f, f->parts, 0, "split.count", "%" PRIu32 " parts; %zu were given",
                             count, d->part_count + 1);
        part_from_memory(f, index, d->parts[index - 1], d->part_sizes[index - 1]);
        return true;
    }
    const char *path = part_path(f, d->path, index, count);
    if (!path)
        return gguf_fail(f, f->parts, 0, "split.count",
                         "this is a part of a split model; open the first, "
                         "NAME-00001-of-%05" PRIu32 ".gguf", count);
    f->parts[index].name = path;
    return gguf_file_open(&f->parts[index], f->ctx, path, d->copy, d->progress, d->user);
}

static bool report(weft_gguf *f, const weft_gguf_desc *d, uint32_t done, uint32_t count)
{
    if (!d->progress || d->progress(d->user, done, count))
        return true;
    return context_fail(f->ctx, WEFT_ERROR_CANCELLED, "%s: opening was cancelled",
                        f->parts[0].name);
}

/* Adds the tensors of one more part. */
static void tensors_join(weft_gguf *f, const GgufContents *more)
{
    uint64_t          n = f->all.ntensors, total = n + more->ntensors;
    weft_gguf_tensor *both = ARENA_ARRAY(&f->arena, weft_gguf_tensor, (size_t)total);
    if (n)
        memcpy(both, f->all.tensors, (size_t)n * sizeof *both);
    if (more->ntensors)
        memcpy(both + n, more->tensors, (size_t)more->ntensors * sizeof *both);
    f->all.tensors = both;
    f->all.ntensors = total;
}

static bool parts_join(weft_gguf *f, const weft_gguf_desc *d, uint32_t count)
{
    GgufPart first = f->parts[0];
    f->parts = ARENA_ARRAY(&f->arena, GgufPart, count);
    f->parts[0] = first;
    f->nparts = count;
    for (uint32_t i = 1; i < count; i++) {
        GgufContents c;
        if (!part_open(f, d, i, count) || !gguf_parse(f, i, &c))
            return false;
        if (split_number(&c, "split.no", -1) != i || split_number(&c, "split.count", -1) != count)
            return gguf_fail(f, &f->parts[i], 0, "split.no", "is not part %" PRIu32 " of %" PRIu32,
                             i + 1, count);
        tensors_join(f, &c);
        if (!report(f, d, i + 1, count))
            return false;
    }
    int64_t total = split_number(&f->all, "split.tensors.count", (int64_t)f->all.ntensors);
    if (total != (int64_t)f->all.ntensors)
        return gguf_fail(f, f->parts, 0, "split.tensors.count", "is %" PRId64 "; the parts have %"
                         PRIu64 " tensors", total, f->all.ntensors);
    return true;
}

/* ---- creation ---- */

typedef struct Opening {
    weft_gguf            *file;
    const weft_gguf_desc *desc;
    bool                  ok;
} Opening;

static bool open_all(weft_gguf *f, const weft_gguf_desc *d)
{
    f->parts = ARENA_NEW(&f->arena, GgufPart);
    f->nparts = 1;
    if (d->path) {
        f->parts[0].name = arena_copy(&f->arena, d->path, strlen(d->path) + 1);
        if (!gguf_file_open(f->parts, f->ctx, d->path, d->copy, d->progress, d->user))
            return false;
    } else {
        f->parts[0] = (GgufPart){.name = "model", .data = d->data, .size = d->size};
    }
    if (!gguf_parse(f, 0, &f->all))
        return false;
    int64_t count = split_number(&f->all, "split.count", 0);
    if (count < 0 || count > MAX_PARTS)
        return gguf_fail(f, f->parts, 0, "split.count", "is not a number of parts");
    if (count > 1 && split_number(&f->all, "split.no", 0) != 0)
        return gguf_fail(f, f->parts, 0, "split.no",
                         "this is not the first part of a split model; open the first, "
                         "NAME-00001-of-%05" PRId64 ".gguf", count);
    if (!report(f, d, 1, count > 1 && !d->header_only ? (uint32_t)count : 1))
        return false;
    if (count > 1 && !d->header_only && !parts_join(f, d, (uint32_t)count))
        return false;
    if (!index_make(f))
        return false;
    info_make(f);
    return true;
}

static void open_under_arena(void *context)
{
    Opening *o = context;
    o->ok = open_all(o->file, o->desc);
}

static const char *desc_fault(const weft_gguf_desc *d)
{
    if (!d)                                        return "no descriptor";
    if (!d->path && !d->data)                      return "neither a path nor data";
    if (d->path && d->data)                        return "both a path and data";
    if (d->part_count && (!d->parts || !d->part_sizes)) return "part_count without parts";
    if (d->part_count >= MAX_PARTS)                return "too many parts";
    return NULL;
}

weft_gguf *weft_gguf_create(weft_context *ctx, const weft_gguf_desc *desc)
{
    const char *fault = desc_fault(desc);
    if (!ctx || fault) {
        context_fail(ctx, WEFT_ERROR_INVALID, "weft_gguf_create: %s", fault ? fault : "no context");
        return NULL;
    }
    weft_gguf *f = calloc(1, sizeof *f);
    if (!f) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a GGUF file");
        return NULL;
    }
    f->refs = 1;
    f->ctx = weft_context_retain(ctx);
    f->header_only = desc->header_only;
    arena_init(&f->arena, 0);
    Opening o = {.file = f, .desc = desc};
    if (!arena_try(&f->arena, open_under_arena, &o))
        context_fail(ctx, WEFT_ERROR_MEMORY, "%s: no memory for its metadata",
                     desc->path ? desc->path : "model");
    if (!o.ok) {
        weft_gguf_release(f);
        return NULL;
    }
    return f;
}

weft_gguf *weft_gguf_retain(weft_gguf *file)
{
    if (file)
        atomic_fetch_add(&file->refs, 1);
    return file;
}

void weft_gguf_release(weft_gguf *file)
{
    if (!file || atomic_fetch_sub(&file->refs, 1) != 1)
        return;
    for (uint32_t i = 0; i < file->nparts; i++)
        gguf_file_close(&file->parts[i]);
    weft_context_release(file->ctx);
    arena_fini(&file->arena);
    free(file);
}
