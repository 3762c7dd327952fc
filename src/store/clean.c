// SPDX-License-Identifier: Apache-2.0
/*
 * clean.c - the models of a folder: listing, deleting, cleaning, verifying.
 *
 * in     a folder
 * out    its models and what they take; fewer files
 * knows  that an object is needed as long as a manifest names it
 * not    how models are written (folder.c)
 */
#include <stdlib.h>

#include "store/store_priv.h"

/* One manifest with what it needs. */
typedef struct Model {
    weft_store_model is;
    char            *path;
} Model;

typedef struct Survey {
    weft_store *store;
    Arena       arena;
    VEC(Model)        models;
    VEC(const char *) needed;           /* checksums; sorted after survey_models()     */
    uint64_t          bytes;            /* of the model that is being read             */
    uint32_t          tensors;
} Survey;

static bool need_folder(weft_store *s)
{
    if (!s)
        return false;
    if (s->desc.format != WEFT_STORE_FOLDER)
        return context_fail(s->ctx, WEFT_ERROR_INVALID, "%s: it is not a folder of models",
                            s->desc.path);
    return true;
}

/* ---- looking ---- */

static bool count_tensor(void *user, const char *name, const char *dtype, const uint64_t *shape,
                         uint32_t rank, const char *sha256)
{
    Survey  *v = user;
    uint64_t count;
    (void)name;
    if (entry_count(&count, rank, shape))
        v->bytes += weft_dtype_bytes(weft_dtype_find(dtype), count);
    v->tensors++;
    VEC_PUSH(&v->arena, &v->needed, arena_printf(&v->arena, "%s", sha256));
    return true;
}

static int compare_texts(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static int compare_models(const void *left, const void *right)
{
    return strcmp(((const Model *)left)->is.name, ((const Model *)right)->is.name);
}

/* `oldest`: models that were last used before this second are left out; their manifests are
 * deleted. A manifest that cannot be read stops it: its objects are not known. */
static bool survey_models(Survey *v, int64_t oldest)
{
    weft_store *s = v->store;
    FileList    files;
    char       *folder = arena_printf(&v->arena, "%s/models", s->desc.path);
    if (!folder_list(&files, &v->arena, s->ctx, folder, false))
        return false;
    for (uint32_t i = 0; i < files.len; i++) {
        const FileInfo *f = &files.data[i];
        size_t   length = strlen(f->name);
        Manifest m;
        Model    model = {.path = arena_printf(&v->arena, "%s/%s", folder, f->name)};
        if (length < 5 || strcmp(f->name + length - 5, ".json") != 0 || f->name[0] == '.')
            continue;
        if (f->changed < oldest) {
            if (!file_remove(s->ctx, model.path))
                return false;
            continue;
        }
        v->bytes = v->tensors = 0;
        if (!folder_read_manifest(s, &v->arena, model.path, &m, count_tensor, v))
            return false;
        model.is = (weft_store_model){.name = m.model, .bytes = v->bytes, .tensors = v->tensors,
                                      .created = m.created, .used = f->changed};
        VEC_PUSH(&v->arena, &v->models, model);
    }
    if (v->needed.len)
        qsort(v->needed.data, v->needed.len, sizeof *v->needed.data, compare_texts);
    if (v->models.len)
        qsort(v->models.data, v->models.len, sizeof *v->models.data, compare_models);
    return true;
}

static bool is_needed(const Survey *v, const char *sha256)
{
    return v->needed.len && bsearch(&sha256, v->needed.data, v->needed.len,
                                    sizeof *v->needed.data, compare_texts);
}

bool weft_store_model_list(weft_store *store, uint32_t *count)
{
    weft_store *s = store;
    if (!need_folder(s))
        return false;
    Survey v = {.store = s};
    arena_init(&v.arena, 0);
    bool ok = survey_models(&v, INT64_MIN);
    if (ok) {
        arena_fini(&s->listing);
        s->listing = v.arena;
        s->models.data = NULL;
        s->models.len = s->models.cap = 0;
        for (uint32_t i = 0; i < v.models.len; i++)
            VEC_PUSH(&s->listing, &s->models, v.models.data[i].is);
        if (count)
            *count = s->models.len;
    } else {
        arena_fini(&v.arena);
    }
    return ok;
}

bool weft_store_model_get(weft_store_model *out, const weft_store *store, uint32_t index)
{
    if (!store || !out || index >= store->models.len)
        return false;
    *out = store->models.data[index];
    return true;
}

bool weft_store_usage_get(weft_store_usage *out, weft_store *store)
{
    if (!need_folder(store))
        return false;
    FileList objects;
    Survey   v = {.store = store};
    arena_init(&v.arena, 0);
    bool ok = out && survey_models(&v, INT64_MIN) && folder_objects(&objects, &v.arena, store);
    if (ok) {
        *out = (weft_store_usage){.models = v.models.len, .objects = objects.len};
        for (uint32_t i = 0; i < objects.len; i++) {
            out->bytes += objects.data[i].size;
            if (!is_needed(&v, objects.data[i].name))
                out->unused += objects.data[i].size;
        }
    }
    arena_fini(&v.arena);
    return ok;
}

/* ---- deleting ---- */

static bool need_writing(weft_store *s)
{
    return s->desc.write || context_fail(s->ctx, WEFT_ERROR_DENIED,
                                         "%s: the store was opened for reading", s->desc.path);
}

bool weft_store_model_delete(weft_store *store, const char *name)
{
    if (!need_folder(store) || !need_writing(store))
        return false;
    if (!name || !*name)
        return context_fail(store->ctx, WEFT_ERROR_INVALID, "the name of the model is missing");
    const char *names[] = {name, NULL};
    char *path = folder_manifest_path(&store->changes, store, name);
    if (!file_exists(path))
        return context_fail_names(store->ctx, WEFT_ERROR_NOT_FOUND, names,
                                  "%s: there is no model '%s'", store->desc.path, name);
    int  lock = folder_lock(store);
    bool ok = lock >= 0 && file_remove(store->ctx, path);
    file_unlock(lock);
    return ok;
}

/* What a process left that was killed before its commit; another one's work stays. */
static bool clean_new(Survey *v, const char *folder, uint64_t *freed)
{
    FileList files;
    if (!folder_list(&files, &v->arena, v->store->ctx, folder, false))
        return false;
    for (uint32_t i = 0; i < files.len; i++) {
        const FileInfo *f = &files.data[i];
        size_t length = strlen(f->name);
        if (length < 4 || strcmp(f->name + length - 4, ".tmp") != 0
            || !file_maker_is_gone(f->name))
            continue;
        if (!file_remove(v->store->ctx, arena_printf(&v->arena, "%s/%s", folder, f->name)))
            return false;
        *freed += f->size;
    }
    return true;
}

static bool clean_objects(Survey *v, uint64_t *freed)
{
    FileList objects;
    if (!folder_objects(&objects, &v->arena, v->store))
        return false;
    for (uint32_t i = 0; i < objects.len; i++) {
        const char *name = objects.data[i].name;
        if (is_needed(v, name))
            continue;
        if (!file_remove(v->store->ctx, folder_object_path(&v->arena, v->store, name)))
            return false;
        *freed += objects.data[i].size;
    }
    return true;
}

bool weft_store_clean(weft_store *store, uint64_t max_age, uint64_t *freed)
{
    uint64_t bytes = 0;
    if (!need_folder(store) || !need_writing(store))
        return false;
    Survey  v = {.store = store};
    int64_t now = file_now();
    arena_init(&v.arena, 0);
    if (path_is_folder(store->desc.path)) {
        int  lock = folder_lock(store);
        bool ok = lock >= 0
               && survey_models(&v, max_age > (uint64_t)now ? INT64_MIN
                                                            : now - (int64_t)max_age)
               && clean_objects(&v, &bytes)
               && clean_new(&v, arena_printf(&v.arena, "%s/new", store->desc.path), &bytes)
               && clean_new(&v, arena_printf(&v.arena, "%s/models", store->desc.path), &bytes);
        file_unlock(lock);
        if (!ok) {
            arena_fini(&v.arena);
            return false;
        }
    }
    arena_fini(&v.arena);
    if (freed)
        *freed = bytes;
    return true;
}

/* ---- verifying ---- */

static bool verify_object(weft_store *s, const char *sha256, Arena *arena)
{
    char    *path = folder_object_path(arena, s, sha256), hex[SHA256_HEX];
    Mapping *file = mapping_open(s->ctx, path);
    Sha256   sum;
    if (!file)
        return false;
    sha256_init(&sum);
    sha256_add(&sum, file->data, file->size);
    sha256_hex(hex, &sum);
    mapping_release(file);
    return strcmp(hex, sha256) == 0 || store_fail_format(s, path, sha256, "its checksum is wrong");
}

bool weft_store_verify(weft_store *store, weft_progress progress, void *user)
{
    if (!need_folder(store))
        return false;
    Survey v = {.store = store};
    arena_init(&v.arena, 0);
    bool ok = survey_models(&v, INT64_MIN);
    for (uint32_t i = 0; ok && i < v.needed.len; i++) {
        bool again = i && strcmp(v.needed.data[i - 1], v.needed.data[i]) == 0;
        ok = again || verify_object(store, v.needed.data[i], &v.arena);
        if (ok && progress && !progress(user, i + 1, v.needed.len))
            ok = context_fail(store->ctx, WEFT_ERROR_CANCELLED, "%s: verifying was cancelled",
                              store->desc.path);
    }
    arena_fini(&v.arena);
    return ok;
}
