// SPDX-License-Identifier: Apache-2.0
/*
 * weft/store.h - tensors in files: safetensors, npy, npz, and a folder of models.
 *
 *     weft_store  *s = weft_store_open(ctx, &(weft_store_desc){ .path = "model.safetensors" });
 *     weft_tensor *w = weft_store_get(s, "encoder.weight");
 *     weft_store_release(s);                           the tensor keeps what it needs
 *
 *     weft_store  *out = weft_store_open(ctx, &(weft_store_desc){
 *         .path = "models", .model = "bert", .write = true });
 *     weft_store_put(out, "encoder.weight", w);
 *     weft_store_commit(out);                          all of it, or nothing
 *
 * Reading    files are mapped; the elements of a tensor go to the device when it is used. Every
 *            size and offset of a file is checked before it is used; a damaged file is
 *            WEFT_ERROR_FORMAT with the name of the field. A file must not be changed in place
 *            by others while it is open; files that weft_store_commit() writes are replaced.
 * Writing    puts and removals are collected beside the file; weft_store_commit() makes them
 *            visible in one step. A process that is killed at any moment leaves the old state
 *            or the new one. Without a commit nothing changes.
 * Folder     objects/ holds the elements of each distinct tensor once, under their SHA-256;
 *            models/ holds a manifest for each model. Several processes may use a folder at once.
 * Ownership, errors, threads   as in weft/context.h. Contexts without a device (no_device) list,
 *            read bytes and put bytes; tensors need a device.
 * Not here   GGUF (weft/model.h).
 */
#ifndef WEFT_STORE_H
#define WEFT_STORE_H

#include <weft/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_store weft_store;

typedef enum weft_store_format {
    WEFT_STORE_AUTO = 0,            /* by the name: .safetensors, .safetensors.index.json, .npy,
                                       .npz; a folder, or a path that ends in / or does not
                                       exist and has none of these endings: FOLDER          */
    WEFT_STORE_SAFETENSORS,
    WEFT_STORE_SHARDED,             /* an index of several safetensors files                */
    WEFT_STORE_NPY,                 /* one tensor, under the name "array"                   */
    WEFT_STORE_NPZ,
    WEFT_STORE_FOLDER,
} weft_store_format;

typedef struct weft_store_desc {
    const char       *path;
    weft_store_format format;
    const char       *model;        /* of a folder          NULL: only listing and cleaning */
    bool              write;        /* puts, removals and commits are allowed; what does not
                                       exist is made by the commit                          */
    bool              replace;      /* starts empty, whatever exists                        */
    bool              verify;       /* checksums of npz and of folders are compared when a
                                       tensor is read; slower                               */
    uint64_t          shard_size;   /* bytes of elements a file of SHARDED  0: 4 GiB        */
    uint64_t          quota;        /* bytes of all objects of a folder, for commits
                                       0: no limit                                          */
} weft_store_desc;

WEFT_API weft_store *weft_store_open(weft_context *ctx, const weft_store_desc *desc);
WEFT_API weft_store *weft_store_retain(weft_store *store);
WEFT_API void        weft_store_release(weft_store *store);

/* ---- what there is ---- */

typedef struct weft_store_entry {
    const char *name;
    const char *type;               /* as the file calls it: "BF16", "<f4"                  */
    weft_dtype  dtype;              /* of the tensor; 16-bit integers become 32-bit ones.
                                       WEFT_DTYPE_NONE: tensors have no such type           */
    uint32_t    rank;
    uint64_t    shape[WEFT_MAX_RANK];
    uint64_t    bytes;              /* in the file, before decompression                    */
    const char *checksum;           /* SHA-256 in hex (folder)         NULL: none           */
} weft_store_entry;

/* Sorted by name; without what was put since the last commit. Texts live as long as the
 * store, at most until a commit. */
WEFT_API uint32_t weft_store_count(const weft_store *store);
WEFT_API bool     weft_store_entry_get(weft_store_entry *out, const weft_store *store,
                                       uint32_t index);
/* False without an error if there is no such tensor. */
WEFT_API bool     weft_store_find(weft_store_entry *out, const weft_store *store,
                                  const char *name);

/* Texts that a safetensors file or a model carries. NULL: no such key, or index past the last. */
WEFT_API const char *weft_store_metadata(const weft_store *store, const char *key);
WEFT_API const char *weft_store_metadata_key(const weft_store *store, uint32_t index);

/* ---- reading ---- */

/* Elements stay in the mapped file until they are used. */
WEFT_API weft_tensor *weft_store_get(weft_store *store, const char *name);
/* The elements as tensors have them: `bytes` must be weft_dtype_bytes() of them. Needs no
 * device. */
WEFT_API bool weft_store_read(void *out, uint64_t bytes, weft_store *store, const char *name);

/* ---- writing ---- */

/* Copies the elements now. A name that exists is replaced by the commit. */
WEFT_API bool weft_store_put(weft_store *store, const char *name, weft_tensor *tensor);
typedef struct weft_store_data {
    weft_dtype  dtype;              /* 0: WEFT_F32                                          */
    uint32_t    rank;
    uint64_t    shape[WEFT_MAX_RANK];
    const void *data;               /* contiguous, last axis fastest                        */
    uint64_t    bytes;              /* weft_dtype_bytes() of the elements                   */
} weft_store_data;
WEFT_API bool weft_store_put_data(weft_store *store, const char *name,
                                  const weft_store_data *data);
WEFT_API bool weft_store_remove(weft_store *store, const char *name);
/* value NULL removes the key. npy and npz have no metadata. */
WEFT_API bool weft_store_set_metadata(weft_store *store, const char *key, const char *value);
/* Makes all changes since the last commit visible at once, and durable. */
WEFT_API bool weft_store_commit(weft_store *store);

/* ---- the folder ---- */

typedef struct weft_store_model {
    const char *name;
    uint64_t    bytes;              /* of its tensors                                       */
    uint32_t    tensors;
    int64_t     created, used;      /* seconds since 1970                                   */
} weft_store_model;

/* Lists the models anew; then _get() by number, sorted by name. */
WEFT_API bool weft_store_model_list(weft_store *store, uint32_t *count);
WEFT_API bool weft_store_model_get(weft_store_model *out, const weft_store *store,
                                   uint32_t index);
WEFT_API bool weft_store_model_delete(weft_store *store, const char *name);

typedef struct weft_store_usage {
    uint32_t models, objects;
    uint64_t bytes;                 /* of all objects                                       */
    uint64_t unused;                /* of them, in no model                                 */
} weft_store_usage;
WEFT_API bool weft_store_usage_get(weft_store_usage *out, weft_store *store);

/* Deletes models that were not opened for `max_age` seconds (WEFT_OFF: none), then objects that
 * no model has, and what killed processes left. *freed, which may be NULL: bytes. */
WEFT_API bool weft_store_clean(weft_store *store, uint64_t max_age, uint64_t *freed);
/* Compares every object of every model with its checksum; the first bad one is the error. */
WEFT_API bool weft_store_verify(weft_store *store, weft_progress progress, void *user);

#ifdef __cplusplus
}
#endif

#endif
