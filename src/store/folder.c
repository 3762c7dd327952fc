// SPDX-License-Identifier: Apache-2.0
/*
 * folder.c - a folder of models: objects under their checksums, a manifest for each model.
 *
 *   objects/ab/cdef...   the elements of one tensor; the name is their SHA-256
 *   models/NAME.json     names, types, shapes and checksums of a model's tensors
 *   new/                 objects of commits to come
 *   lock                 held while something is committed or deleted
 *
 * in     a folder that other processes change, too
 * out    entries; new objects and manifests
 * knows  that objects are complete before the manifest that names them
 * not    deleting (clean.c)
 */
#include <jansson.h>

#include <stdlib.h>

#include "store/store_priv.h"

#define FORMAT       "weft-store-1"
#define MAX_MANIFEST ((uint64_t)256 << 20)  /* bytes                                   */
#define MAX_NAME     200u                   /* bytes of a model's name                 */

/* ---- paths ---- */

char *folder_object_path(Arena *arena, const weft_store *s, const char *sha256)
{
    return arena_printf(arena, "%s/objects/%.2s/%s", s->desc.path, sha256, sha256 + 2);
}

/* Other characters than these are written as %XX, so that any name is a file's name. */
char *folder_manifest_path(Arena *arena, const weft_store *s, const char *model)
{
    Text name = {.arena = arena};
    text_add(&name, STR(""));
    for (const char *c = model; *c; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z')
                  || (*c >= '0' && *c <= '9') || *c == '_' || *c == '-'
                  || (*c == '.' && c != model);
        if (plain)
            text_char(&name, *c);
        else
            text_printf(&name, "%%%02X", (unsigned char)*c);
    }
    return arena_printf(arena, "%s/models/%s.json", s->desc.path, name.data ? name.data : "");
}

static bool check_model_name(weft_store *s)
{
    size_t length = s->desc.model ? strlen(s->desc.model) : 0;
    return (length > 0 && length <= MAX_NAME)
        || context_fail(s->ctx, WEFT_ERROR_INVALID,
                        "%s: the name of a model has 1 to %u bytes", s->desc.path, MAX_NAME);
}

int folder_lock(weft_store *s)
{
    char *path = arena_printf(&s->changes, "%s/lock", s->desc.path);
    return file_lock(s->ctx, path);
}

/* ---- manifests ---- */

static bool is_sha256(const char *text)
{
    return text && strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static bool read_tensor(weft_store *s, const char *path, const char *name, json_t *value,
                        FolderTensor tensor, void *user)
{
    const char *dtype = json_string_value(json_object_get(value, "dtype"));
    const char *sha256 = json_string_value(json_object_get(value, "sha256"));
    json_t     *sizes = json_object_get(value, "shape");
    uint64_t    shape[WEFT_MAX_RANK];
    if (!dtype)
        return store_fail_format(s, path, name, "'dtype' is not a string");
    if (!is_sha256(sha256))
        return store_fail_format(s, path, name, "'sha256' is not a checksum");
    if (!json_is_array(sizes) || json_array_size(sizes) > WEFT_MAX_RANK)
        return store_fail_format(s, path, name, "'shape' is not a list of at most %u sizes",
                                 WEFT_MAX_RANK);
    for (size_t i = 0; i < json_array_size(sizes); i++) {
        json_t *size = json_array_get(sizes, i);
        if (!json_is_integer(size) || json_integer_value(size) < 0)
            return store_fail_format(s, path, name, "'shape' has a size that is not a number");
        shape[i] = (uint64_t)json_integer_value(size);
    }
    return tensor(user, name, dtype, shape, (uint32_t)json_array_size(sizes), sha256);
}

static bool read_parts(weft_store *s, Arena *arena, const char *path, json_t *head,
                       Manifest *out, FolderTensor tensor, void *user)
{
    const char *format = json_string_value(json_object_get(head, "format")), *key;
    const char *model = json_string_value(json_object_get(head, "model"));
    json_t     *tensors = json_object_get(head, "tensors"), *value;
    if (!format || strcmp(format, FORMAT) != 0)
        return store_fail_format(s, path, "format", "it is not '%s'", FORMAT);
    if (!model)
        return store_fail_format(s, path, "model", "it is not a string");
    if (!json_is_object(tensors))
        return store_fail_format(s, path, "tensors", "it is not an object");
    out->model = arena_printf(arena, "%s", model);
    out->created = json_integer_value(json_object_get(head, "created"));
    json_object_foreach(json_object_get(head, "metadata"), key, value) {
        if (!json_is_string(value))
            return store_fail_format(s, path, "metadata", "'%s' is not a string", key);
        Pair pair = {arena_printf(arena, "%s", key),
                     arena_printf(arena, "%s", json_string_value(value))};
        VEC_PUSH(arena, &out->metadata, pair);
    }
    json_object_foreach(tensors, key, value) {
        if (!read_tensor(s, path, key, value, tensor, user))
            return false;
    }
    return true;
}

bool folder_read_manifest(weft_store *s, Arena *arena, const char *path, Manifest *out,
                          FolderTensor tensor, void *user)
{
    json_error_t why;
    Mapping     *file = mapping_open(s->ctx, path);
    *out = (Manifest){0};
    if (!file)
        return false;
    json_t *head = NULL;
    if (file->size > MAX_MANIFEST)
        store_fail_format(s, path, "manifest", "it is too large");
    else if (!(head = json_loadb((const char *)file->data, (size_t)file->size,
                                 JSON_REJECT_DUPLICATES, &why)))
        store_fail_format(s, path, "manifest", "line %d, column %d: %s", why.line, why.column,
                          why.text);
    bool ok = head && read_parts(s, arena, path, head, out, tensor, user);
    json_decref(head);
    mapping_release(file);
    return ok;
}

/* ---- reading ---- */

static bool add_tensor(void *user, const char *name, const char *dtype, const uint64_t *shape,
                       uint32_t rank, const char *sha256)
{
    weft_store *s = user;
    Entry e = {.name = arena_printf(&s->arena, "%s", name), .rank = rank,
               .type = arena_printf(&s->arena, "%s", dtype), .dtype = weft_dtype_find(dtype),
               .sha256 = arena_printf(&s->arena, "%s", sha256)};
    memcpy(e.shape, shape, rank * sizeof *shape);
    if (!entry_count(&e.count, rank, shape))
        return store_fail_format(s, s->desc.path, name, "'shape' is too large");
    e.bytes = weft_dtype_bytes(e.dtype, e.count);
    if (e.dtype == WEFT_BOOL)
        e.convert = CONVERT_BOOL;
    return store_add_entry(s, s->desc.path, &e);
}

bool models_read(weft_store *s)
{
    Manifest m;
    if (!s->desc.model) {
        return path_is_folder(s->desc.path) || s->desc.write
            || context_fail(s->ctx, WEFT_ERROR_NOT_FOUND, "%s: there is no such folder",
                            s->desc.path);
    }
    if (!check_model_name(s))
        return false;
    char *path = folder_manifest_path(&s->arena, s, s->desc.model);
    if (!file_exists(path)) {
        const char *names[] = {s->desc.model, NULL};
        return s->desc.write
            || context_fail_names(s->ctx, WEFT_ERROR_NOT_FOUND, names,
                                  "%s: there is no model '%s'", s->desc.path, s->desc.model);
    }
    if (!folder_read_manifest(s, &s->arena, path, &m, add_tensor, s))
        return false;
    file_touch(path);                   /* when it was used, for weft_store_clean() */
    s->created = m.created;
    s->metadata = m.metadata;
    return store_sort(s, path);
}

bool folder_map_object(weft_store *s, Entry *e)
{
    if (e->file)
        return true;
    char    *path = folder_object_path(&s->arena, s, e->sha256);
    Mapping *file = store_map(s, path);
    if (!file)
        return false;
    if (file->size != e->bytes)
        return store_fail_format(s, path, e->name, "its object has %llu bytes, not %llu",
                                 (unsigned long long)file->size, (unsigned long long)e->bytes);
    e->file = file;
    return true;
}

bool folder_objects(FileList *out, Arena *arena, weft_store *s)
{
    FileList folders;
    char    *top = arena_printf(arena, "%s/objects", s->desc.path);
    *out = (FileList){0};
    if (!folder_list(&folders, arena, s->ctx, top, true))
        return false;
    for (uint32_t i = 0; i < folders.len; i++) {
        FileList files;
        const char *name = folders.data[i].name;
        if (!folder_list(&files, arena, s->ctx, arena_printf(arena, "%s/%s", top, name), false))
            return false;
        for (uint32_t k = 0; k < files.len; k++) {
            FileInfo info = files.data[k];
            info.name = arena_printf(arena, "%s%s", name, files.data[k].name);
            if (is_sha256(info.name))
                VEC_PUSH(arena, out, info);
        }
    }
    return true;
}

/* ---- writing ---- */

static bool make_folders(weft_store *s)
{
    static const char *const folders[] = {"", "/objects", "/models", "/new"};
    bool ok = true;
    for (size_t i = 0; ok && i < COUNTOF(folders); i++)
        ok = folder_make(s->ctx, arena_printf(&s->changes, "%s%s", s->desc.path, folders[i]));
    return ok;
}

bool folder_put(weft_store *s, Put *put, const void *data)
{
    Sha256  sum;
    OutFile file;
    if (!check_model_name(s) || !make_folders(s))
        return false;
    sha256_init(&sum);
    sha256_add(&sum, data, put->bytes);
    sha256_hex(put->sha256, &sum);
    bool ok = file_begin(&file, s->ctx, arena_printf(&s->changes, "%s/new/object", s->desc.path))
           && file_write(&file, data, put->bytes) && file_keep(&file, &put->temporary);
    file_abandon(&file);
    return ok;
}

/* Bytes of all objects after the commit must not exceed the quota. */
static bool check_quota(weft_store *s, const Items *items, Arena *arena)
{
    FileList objects;
    uint64_t bytes = 0;
    if (!s->desc.quota)
        return true;
    if (!folder_objects(&objects, arena, s))
        return false;
    for (uint32_t i = 0; i < objects.len; i++)
        bytes += objects.data[i].size;
    for (uint32_t i = 0; i < items->len; i++) {
        const Put *put = items->data[i].put;
        if (put && !file_exists(folder_object_path(arena, s, put->sha256)))
            bytes += put->bytes;
    }
    return bytes <= s->desc.quota
        || context_fail(s->ctx, WEFT_ERROR_QUOTA,
                        "%s: the commit would take %llu bytes, the quota is %llu; "
                        "weft_store_clean() frees what no model has", s->desc.path,
                        (unsigned long long)bytes, (unsigned long long)s->desc.quota);
}

static bool move_object(weft_store *s, const Put *put, Arena *arena)
{
    char *path = folder_object_path(arena, s, put->sha256);
    char *folder = arena_printf(arena, "%s/objects/%.2s", s->desc.path, put->sha256);
    return folder_make(s->ctx, folder) && file_move(s->ctx, put->temporary, path)
        && folder_sync(s->ctx, folder);
}

static void write_pairs(Text *t, const Pairs *pairs)
{
    for (uint32_t i = 0; i < pairs->len; i++) {
        text_add(t, i ? STR(",\n    ") : STR("\n    "));
        text_json(t, str_of(pairs->data[i].key));
        text_add(t, STR(": "));
        text_json(t, str_of(pairs->data[i].value));
    }
}

static void write_manifest(Text *t, weft_store *s, const Items *items, Arena *arena)
{
    Pairs metadata;
    store_new_metadata(&metadata, arena, s);
    text_add(t, STR("{\n  \"format\": \"" FORMAT "\",\n  \"model\": "));
    text_json(t, str_of(s->desc.model));
    text_printf(t, ",\n  \"created\": %lld,\n  \"metadata\": {",
                (long long)(s->created ? s->created : file_now()));
    write_pairs(t, &metadata);
    text_add(t, STR("\n  },\n  \"tensors\": {"));
    for (uint32_t i = 0; i < items->len; i++) {
        const Item     *item = &items->data[i];
        uint32_t        rank;
        const uint64_t *shape = item_shape(item, &rank);
        text_add(t, i ? STR(",\n    ") : STR("\n    "));
        text_json(t, str_of(item->name));
        text_printf(t, ": {\"dtype\": \"%s\", \"shape\": [",
                    item->entry ? item->entry->type : weft_dtype_name(item->put->dtype));
        for (uint32_t k = 0; k < rank; k++)
            text_printf(t, "%s%llu", k ? ", " : "", (unsigned long long)shape[k]);
        text_printf(t, "], \"sha256\": \"%s\"}",
                    item->entry ? item->entry->sha256 : item->put->sha256);
    }
    text_add(t, STR("\n  }\n}\n"));
}

bool models_write(weft_store *s, const Items *items, Arena *arena)
{
    Text    manifest = {.arena = arena};
    OutFile file;
    bool    ok = check_model_name(s) && make_folders(s);
    int     lock = ok ? folder_lock(s) : -1;
    ok = lock >= 0 && check_quota(s, items, arena);
    for (uint32_t i = 0; ok && i < items->len; i++)
        if (items->data[i].put)
            ok = move_object(s, items->data[i].put, arena);
    if (ok) {
        write_manifest(&manifest, s, items, arena);
        ok = folder_sync(s->ctx, arena_printf(arena, "%s/objects", s->desc.path))
          && file_begin(&file, s->ctx, folder_manifest_path(arena, s, s->desc.model))
          && file_write(&file, manifest.data, manifest.len) && file_replace(&file);
        file_abandon(&file);
    }
    file_unlock(lock);
    return ok;
}
