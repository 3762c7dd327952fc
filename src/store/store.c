// SPDX-License-Identifier: Apache-2.0
/*
 * store.c - weft_store: opening, listing, reading, putting, committing.
 *
 * in     a path; tensors and bytes under names
 * out    tensors; changed files
 * knows  which format a path has
 * not    the formats themselves
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "store/store_priv.h"

#define MAX_NAME 4096u                  /* bytes of a tensor's name                    */

static const struct Format {
    const char *ending;
    bool (*read)(weft_store *s);
    bool (*write)(weft_store *s, const Items *items, Arena *arena);
    bool (*can_write)(weft_store *s, const char *name, weft_dtype dtype);
    bool   metadata;
} formats[] = {
    [WEFT_STORE_SAFETENSORS] = {".safetensors", safetensors_read, safetensors_write,
                                safetensors_can_write, true},
    [WEFT_STORE_SHARDED] = {".safetensors.index.json", sharded_read, sharded_write,
                            safetensors_can_write, true},
    [WEFT_STORE_NPY] = {".npy", npy_read, npy_write, npy_can_write, false},
    [WEFT_STORE_NPZ] = {".npz", npz_read, npz_write, npy_can_write, false},
    [WEFT_STORE_FOLDER] = {"/", models_read, models_write, NULL, true},
};

/* ---- for the formats ---- */

bool store_fail_format(weft_store *s, const char *path, const char *field, const char *fmt, ...)
{
    char        text[600];
    const char *names[] = {field, path, NULL};
    va_list     args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    return context_fail_names(s->ctx, WEFT_ERROR_FORMAT, names, "%s: '%.200s': %s", path, field,
                              text);
}

bool store_add_entry(weft_store *s, const char *path, const Entry *e)
{
    if (strlen(e->name) > MAX_NAME)
        return store_fail_format(s, path, "name", "a tensor's name is longer than %u bytes",
                                 MAX_NAME);
    VEC_PUSH(&s->arena, &s->entries, *e);
    return true;
}

static int compare_entries(const void *left, const void *right)
{
    return strcmp(((const Entry *)left)->name, ((const Entry *)right)->name);
}

bool store_sort(weft_store *s, const char *path)
{
    if (s->entries.len)
        qsort(s->entries.data, s->entries.len, sizeof *s->entries.data, compare_entries);
    for (uint32_t i = 1; i < s->entries.len; i++)
        if (strcmp(s->entries.data[i - 1].name, s->entries.data[i].name) == 0)
            return store_fail_format(s, path, s->entries.data[i].name, "it is there twice");
    return true;
}

const Entry *store_find_entry(const weft_store *s, const char *name)
{
    Entry key = {.name = name};
    return s->entries.len ? bsearch(&key, s->entries.data, s->entries.len,
                                    sizeof *s->entries.data, compare_entries) : NULL;
}

Mapping *store_map(weft_store *s, const char *path)
{
    Mapping *m = mapping_open(s->ctx, path);
    if (m)
        VEC_PUSH(&s->arena, &s->files, m);
    return m;
}

void store_add_metadata(weft_store *s, const char *key, const char *value)
{
    Pair pair = {arena_printf(&s->arena, "%s", key), arena_printf(&s->arena, "%s", value)};
    VEC_PUSH(&s->arena, &s->metadata, pair);
}

/* ---- opening ---- */

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), part = strlen(ending);
    return length >= part && strcmp(text + length - part, ending) == 0;
}

static weft_store_format find_format(const char *path)
{
    if (path_is_folder(path))
        return WEFT_STORE_FOLDER;
    for (int f = WEFT_STORE_SAFETENSORS; f <= WEFT_STORE_FOLDER; f++)
        if (ends_with(path, formats[f].ending))
            return (weft_store_format)f;
    return file_exists(path) ? WEFT_STORE_AUTO : WEFT_STORE_FOLDER;
}

static bool resolve(weft_store *s, const weft_store_desc *desc)
{
    weft_context *ctx = s->ctx;
    if (!desc || !desc->path || !*desc->path)
        return context_fail(ctx, WEFT_ERROR_INVALID, "store: the path is missing");
    if ((unsigned)desc->format > WEFT_STORE_FOLDER)
        return context_fail(ctx, WEFT_ERROR_INVALID, "store: unknown format %u",
                            (unsigned)desc->format);
    s->desc = *desc;
    s->desc.path = strdup(desc->path);
    s->desc.model = desc->model ? strdup(desc->model) : NULL;
    if (!s->desc.path || (desc->model && !s->desc.model))
        return context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a store");
    if (desc->format == WEFT_STORE_AUTO)
        s->desc.format = find_format(desc->path);
    const char *names[] = {desc->path, NULL};
    return s->desc.format != WEFT_STORE_AUTO
        || context_fail_names(ctx, WEFT_ERROR_UNSUPPORTED, names, "%s: no known kind of file: "
                              "its name must end in .safetensors, .safetensors.index.json, .npy "
                              "or .npz", desc->path);
}

/* What is read: gone with the arena. */
static void forget(weft_store *s)
{
    for (uint32_t i = 0; i < s->files.len; i++)
        mapping_release(s->files.data[i]);
    arena_fini(&s->arena);
    arena_init(&s->arena, 0);
    s->entries = (Entries){0};
    s->metadata = (Pairs){0};
    s->files.data = NULL;
    s->files.len = s->files.cap = 0;
    s->created = 0;
}

static void forget_changes(weft_store *s)
{
    for (uint32_t i = 0; i < s->puts.len; i++)
        if (s->puts.data[i].temporary) {
            file_remove(NULL, s->puts.data[i].temporary);
            free(s->puts.data[i].temporary);
        }
    spool_close(s->spool);
    s->spool = -1;
    s->spooled = 0;
    s->puts = (Puts){0};
    s->new_metadata = (Pairs){0};
    arena_fini(&s->changes);
    arena_init(&s->changes, 0);
}

static bool read_store(weft_store *s)
{
    bool folder = s->desc.format == WEFT_STORE_FOLDER;
    if (s->desc.write && !folder && (s->desc.replace || !file_exists(s->desc.path)))
        return true;
    if (!formats[s->desc.format].read(s))
        return false;
    if (s->desc.replace)
        forget(s);
    return true;
}

static void free_text(const char *text)
{
    char *own;
    memcpy(&own, &text, sizeof own);
    free(own);
}

weft_store *weft_store_open(weft_context *ctx, const weft_store_desc *desc)
{
    weft_store *s = ctx ? calloc(1, sizeof *s) : NULL;
    if (!s) {
        context_fail(ctx, WEFT_ERROR_MEMORY, "no memory for a store");
        return NULL;
    }
    s->ctx = weft_context_retain(ctx);
    s->refs = 1;
    s->spool = -1;
    arena_init(&s->arena, 0);
    arena_init(&s->changes, 0);
    arena_init(&s->listing, 0);
    if (resolve(s, desc) && read_store(s))
        return s;
    weft_store_release(s);
    return NULL;
}

weft_store *weft_store_retain(weft_store *store)
{
    if (store)
        store->refs++;
    return store;
}

void weft_store_release(weft_store *store)
{
    if (!store || --store->refs)
        return;
    forget(store);
    forget_changes(store);
    arena_fini(&store->arena);
    arena_fini(&store->changes);
    arena_fini(&store->listing);
    free_text(store->desc.path);
    free_text(store->desc.model);
    weft_context *ctx = store->ctx;
    free(store);
    weft_context_release(ctx);
}

/* ---- what there is ---- */

static void describe(weft_store_entry *out, const Entry *e)
{
    *out = (weft_store_entry){.name = e->name, .type = e->type, .dtype = e->dtype,
                              .rank = e->rank, .bytes = e->deflated ? e->packed : e->bytes,
                              .checksum = e->sha256};
    memcpy(out->shape, e->shape, e->rank * sizeof *e->shape);
}

uint32_t weft_store_count(const weft_store *store)
{
    return store ? store->entries.len : 0;
}

bool weft_store_entry_get(weft_store_entry *out, const weft_store *store, uint32_t index)
{
    if (!store || !out || index >= store->entries.len)
        return false;
    describe(out, &store->entries.data[index]);
    return true;
}

bool weft_store_find(weft_store_entry *out, const weft_store *store, const char *name)
{
    const Entry *e = store && name ? store_find_entry(store, name) : NULL;
    if (e && out)
        describe(out, e);
    return e != NULL;
}

const char *weft_store_metadata(const weft_store *store, const char *key)
{
    for (uint32_t i = 0; store && key && i < store->metadata.len; i++)
        if (strcmp(store->metadata.data[i].key, key) == 0)
            return store->metadata.data[i].value;
    return NULL;
}

const char *weft_store_metadata_key(const weft_store *store, uint32_t index)
{
    return store && index < store->metadata.len ? store->metadata.data[index].key : NULL;
}

/* ---- reading ---- */

/* The entry, its file open; NULL with the error set. */
static Entry *get_entry(weft_store *s, const char *name)
{
    const Entry *e = s && name ? store_find_entry(s, name) : NULL;
    const char  *names[] = {name, NULL};
    if (!s)
        return NULL;
    if (!e) {
        context_fail_names(s->ctx, name ? WEFT_ERROR_NOT_FOUND : WEFT_ERROR_INVALID, names,
                           "%s: there is no tensor '%s'", s->desc.path, name ? name : "(NULL)");
        return NULL;
    }
    Entry *own = &s->entries.data[e - s->entries.data];
    return own->file || folder_map_object(s, own) ? own : NULL;
}

weft_tensor *weft_store_get(weft_store *store, const char *name)
{
    Entry *e = get_entry(store, name);
    return e ? entry_tensor(store, e) : NULL;
}

bool weft_store_read(void *out, uint64_t bytes, weft_store *store, const char *name)
{
    const Entry *e = get_entry(store, name);
    if (!e)
        return false;
    if (e->dtype != WEFT_DTYPE_NONE && (bytes != entry_tensor_bytes(e) || (bytes && !out)))
        return context_fail(store->ctx, WEFT_ERROR_INVALID, "'%s' has %llu bytes, not %llu", name,
                            (unsigned long long)entry_tensor_bytes(e), (unsigned long long)bytes);
    return entry_read(store, e, out);
}

/* ---- putting ---- */

static bool need_writing(weft_store *s)
{
    if (!s)
        return false;
    if (!s->desc.write)
        return context_fail(s->ctx, WEFT_ERROR_DENIED, "%s: the store was opened for reading",
                            s->desc.path);
    if (s->desc.format == WEFT_STORE_FOLDER && !s->desc.model)
        return context_fail(s->ctx, WEFT_ERROR_INVALID, "%s: name a model of the folder",
                            s->desc.path);
    return true;
}

static bool check_name(weft_store *s, const char *name)
{
    if (!name || !*name || strlen(name) > MAX_NAME)
        return context_fail(s->ctx, WEFT_ERROR_INVALID, "a tensor's name has 1 to %u bytes",
                            MAX_NAME);
    if (strcmp(name, "__metadata__") == 0)
        return context_fail(s->ctx, WEFT_ERROR_INVALID, "no tensor can be named '%s'", name);
    return true;
}

/* A later change of a name replaces an earlier one. */
static void add_put(weft_store *s, const Put *put)
{
    Put *same = NULL;
    for (uint32_t i = 0; i < s->puts.len && !same; i++)
        if (strcmp(s->puts.data[i].name, put->name) == 0)
            same = &s->puts.data[i];
    if (same && same->temporary) {
        file_remove(NULL, same->temporary);
        free(same->temporary);
    }
    if (same)
        *same = *put;
    else
        VEC_PUSH(&s->changes, &s->puts, *put);
}

static bool check_data(weft_store *s, const char *name, const weft_store_data *d,
                       weft_dtype dtype)
{
    uint64_t    count = 0;
    const char *names[] = {name, NULL};
    bool (*can_write)(weft_store *, const char *, weft_dtype) =
        formats[s->desc.format].can_write;
    if (!weft_dtype_name(dtype) || d->rank > WEFT_MAX_RANK)
        return context_fail_names(s->ctx, WEFT_ERROR_INVALID, names,
                                  "'%s': the type or the rank is wrong", name);
    if (!entry_count(&count, d->rank, d->shape) || weft_dtype_bytes(dtype, count) != d->bytes
        || (d->bytes && !d->data) || (count && !d->bytes))
        return context_fail_names(s->ctx, WEFT_ERROR_SHAPE, names,
                                  "'%s': %llu bytes do not fill the shape", name,
                                  (unsigned long long)d->bytes);
    return !can_write || can_write(s, name, dtype);
}

bool weft_store_put_data(weft_store *store, const char *name, const weft_store_data *data)
{
    weft_store *s = store;
    if (!need_writing(s) || !check_name(s, name))
        return false;
    if (!data)
        return context_fail(s->ctx, WEFT_ERROR_INVALID, "'%s': there are no data", name);
    weft_dtype dtype = data->dtype ? data->dtype : WEFT_F32;
    if (!check_data(s, name, data, dtype))
        return false;
    Put put = {.name = arena_printf(&s->changes, "%s", name), .dtype = dtype,
               .rank = data->rank, .bytes = data->bytes, .at = s->spooled};
    memcpy(put.shape, data->shape, data->rank * sizeof *data->shape);
    bool ok;
    if (s->desc.format == WEFT_STORE_FOLDER) {
        ok = folder_put(s, &put, data->data);
    } else {
        if (s->spool < 0)
            s->spool = spool_open(s->ctx, s->desc.path);
        ok = s->spool >= 0 && spool_append(s->ctx, s->spool, s->spooled, data->data, data->bytes);
        s->spooled += ok ? data->bytes : 0;
    }
    if (ok)
        add_put(s, &put);
    return ok;
}

bool weft_store_put(weft_store *store, const char *name, weft_tensor *tensor)
{
    if (!need_writing(store))
        return false;
    if (!tensor)
        return context_fail(store->ctx, WEFT_ERROR_INVALID, "put: the tensor is NULL");
    weft_store_data d = {.dtype = weft_tensor_dtype(tensor), .rank = weft_tensor_rank(tensor),
                         .bytes = weft_tensor_bytes(tensor)};
    memcpy(d.shape, weft_tensor_shape(tensor), d.rank * sizeof *d.shape);
    void *data = malloc((size_t)d.bytes + 1);
    bool  ok = data || context_fail(store->ctx, WEFT_ERROR_MEMORY, "put: no memory for %llu bytes",
                                    (unsigned long long)d.bytes);
    d.data = data;
    ok = ok && weft_tensor_read(data, d.bytes, tensor) && weft_store_put_data(store, name, &d);
    free(data);
    return ok;
}

bool weft_store_remove(weft_store *store, const char *name)
{
    if (!need_writing(store) || !check_name(store, name))
        return false;
    bool known = store_find_entry(store, name) != NULL;
    for (uint32_t i = 0; i < store->puts.len; i++)
        if (strcmp(store->puts.data[i].name, name) == 0)
            known = !store->puts.data[i].removed;
    const char *names[] = {name, NULL};
    if (!known)
        return context_fail_names(store->ctx, WEFT_ERROR_NOT_FOUND, names,
                                  "%s: there is no tensor '%s'", store->desc.path, name);
    add_put(store, &(Put){.name = arena_printf(&store->changes, "%s", name), .removed = true});
    return true;
}

bool weft_store_set_metadata(weft_store *store, const char *key, const char *value)
{
    if (!need_writing(store))
        return false;
    if (!key || !*key)
        return context_fail(store->ctx, WEFT_ERROR_INVALID, "the key of the metadata is missing");
    if (!formats[store->desc.format].metadata)
        return context_fail(store->ctx, WEFT_ERROR_UNSUPPORTED, "%s: such a file has no metadata",
                            store->desc.path);
    Pair pair = {arena_printf(&store->changes, "%s", key),
                 value ? arena_printf(&store->changes, "%s", value) : NULL};
    VEC_PUSH(&store->changes, &store->new_metadata, pair);
    return true;
}

/* ---- committing ---- */

static void set_pair(Pairs *pairs, Arena *arena, Pair pair)
{
    for (uint32_t i = 0; i < pairs->len; i++)
        if (strcmp(pairs->data[i].key, pair.key) == 0) {
            if (pair.value)
                pairs->data[i] = pair;
            else
                pairs->data[i] = pairs->data[--pairs->len];
            return;
        }
    if (pair.value)
        VEC_PUSH(arena, pairs, pair);
}

void store_new_metadata(Pairs *out, Arena *arena, const weft_store *s)
{
    *out = (Pairs){0};
    for (uint32_t i = 0; i < s->metadata.len; i++)
        set_pair(out, arena, s->metadata.data[i]);
    for (uint32_t i = 0; i < s->new_metadata.len; i++)
        set_pair(out, arena, s->new_metadata.data[i]);
}

static int compare_items(const void *left, const void *right)
{
    return strcmp(((const Item *)left)->name, ((const Item *)right)->name);
}

static int compare_puts(const void *left, const void *right)
{
    return strcmp((*(const Put *const *)left)->name, (*(const Put *const *)right)->name);
}

/* The puts by name, for the search below. */
static const Put **sort_puts(const weft_store *s, Arena *arena)
{
    const Put **sorted = ARENA_ARRAY(arena, const Put *, s->puts.len + 1);
    for (uint32_t i = 0; i < s->puts.len; i++)
        sorted[i] = &s->puts.data[i];
    if (s->puts.len)
        qsort(sorted, s->puts.len, sizeof *sorted, compare_puts);
    return sorted;
}

static void list_items(Items *out, const weft_store *s, Arena *arena)
{
    const Put **puts = sort_puts(s, arena);
    for (uint32_t i = 0; i < s->entries.len; i++) {
        const Entry *e = &s->entries.data[i];
        const Put    key = {.name = e->name}, *at = &key;
        if (!s->puts.len || !bsearch(&at, puts, s->puts.len, sizeof *puts, compare_puts))
            VEC_PUSH(arena, out, ((Item){.name = e->name, .entry = e}));
    }
    for (uint32_t i = 0; i < s->puts.len; i++)
        if (!puts[i]->removed)
            VEC_PUSH(arena, out, ((Item){.name = puts[i]->name, .put = puts[i]}));
    if (out->len)
        qsort(out->data, out->len, sizeof *out->data, compare_items);
}

weft_dtype item_dtype(const Item *item)
{
    return item->entry ? item->entry->dtype : item->put->dtype;
}

const uint64_t *item_shape(const Item *item, uint32_t *rank)
{
    *rank = item->entry ? item->entry->rank : item->put->rank;
    return item->entry ? item->entry->shape : item->put->shape;
}

uint64_t item_bytes(const Item *item)
{
    if (item->put)
        return item->put->bytes;
    const Entry *e = item->entry;
    return e->dtype == WEFT_DTYPE_NONE ? e->bytes : entry_tensor_bytes(e);
}

/* Old entries are written as tensors have them; unknown types of safetensors as they are. */
bool item_write(weft_store *s, OutFile *f, const Item *item)
{
    const Entry *e = item->entry;
    if (!e)
        return file_write_from(f, s->spool, item->put->at, item->put->bytes);
    if (!e->deflated && !e->fortran && (e->convert == CONVERT_NONE || e->dtype == WEFT_DTYPE_NONE))
        return file_write(f, e->file->data + e->offset, e->bytes);
    uint8_t *data = malloc((size_t)item_bytes(item) + 1);
    bool     ok = data ? entry_read(s, e, data) && file_write(f, data, item_bytes(item))
                       : context_fail(s->ctx, WEFT_ERROR_MEMORY, "'%s': no memory", e->name);
    free(data);
    return ok;
}

static bool check_items(weft_store *s, const Items *items)
{
    bool any = s->desc.format == WEFT_STORE_SAFETENSORS || s->desc.format == WEFT_STORE_SHARDED
            || s->desc.format == WEFT_STORE_FOLDER;
    for (uint32_t i = 0; i < items->len && !any; i++)
        if (item_dtype(&items->data[i]) == WEFT_DTYPE_NONE)
            return context_fail(s->ctx, WEFT_ERROR_UNSUPPORTED,
                                "%s: '%s' is of a type that cannot be written again: remove it",
                                s->desc.path, items->data[i].name);
    return true;
}

bool weft_store_commit(weft_store *store)
{
    weft_store *s = store;
    Arena       arena;
    Items       items = {0};
    if (!need_writing(s))
        return false;
    arena_init(&arena, 0);
    list_items(&items, s, &arena);
    bool ok = check_items(s, &items) && formats[s->desc.format].write(s, &items, &arena);
    arena_fini(&arena);
    if (!ok)
        return false;
    forget_changes(s);
    forget(s);
    s->desc.replace = false;
    return formats[s->desc.format].read(s);
}
