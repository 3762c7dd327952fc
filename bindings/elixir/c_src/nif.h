/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nif.h - what the native functions for Elixir share.
 *
 * in     terms of lib/weft/native.ex
 * out    {:ok, value} or {:error, {kind, message, names}}
 * knows  erl_nif.h and the headers of libweft
 * not    what options mean: lib/ has given them names and defaults
 *
 * Native functions that may take long run on dirty schedulers. An object is a resource with an
 * atomic pointer, so that close() and use from several processes have a defined order: after
 * close() every call is an error of the kind `invalid`.
 */
#ifndef WEFT_ELIXIR_NIF_H_
#define WEFT_ELIXIR_NIF_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <erl_nif.h>
#include <weft/model.h>
#include <weft/pool.h>
#include <weft/solve.h>
#include <weft/tensor.h>

#define COUNTOF(a) (sizeof(a) / sizeof((a)[0]))

/* ---- terms: nif.c ---- */

/* Memory of one call: texts that the library needs with a NUL. */
typedef struct Arena { void *first; } Arena;
void *arena_alloc(Arena *a, size_t size);           /* zeroed; NULL: no memory */
void  arena_fini(Arena *a);

ERL_NIF_TERM atom(ErlNifEnv *env, const char *name);
ERL_NIF_TERM text(ErlNifEnv *env, const char *s);   /* a binary; NULL: "" */
ERL_NIF_TERM ok(ErlNifEnv *env, ERL_NIF_TERM value);
ERL_NIF_TERM fail(ErlNifEnv *env, weft_error_kind kind, const char *message);
ERL_NIF_TERM fail_pool(ErlNifEnv *env, const weft_pool_error *error);
/* The error of a context, which is cleared. */
ERL_NIF_TERM fail_context(ErlNifEnv *env, weft_context *ctx);

/* A binary as text; NULL: it is none, or has a NUL in it. */
const char *get_text(ErlNifEnv *env, ERL_NIF_TERM term, Arena *a);
/* Members of a map by atom; false: not there, or of another kind. */
bool     map_get(ErlNifEnv *env, ERL_NIF_TERM map, const char *name, ERL_NIF_TERM *out);
uint64_t map_u64(ErlNifEnv *env, ERL_NIF_TERM map, const char *name);          /* 0: none */
double   map_double(ErlNifEnv *env, ERL_NIF_TERM map, const char *name, double otherwise);
bool     map_bool(ErlNifEnv *env, ERL_NIF_TERM map, const char *name);
const char *map_text(ErlNifEnv *env, ERL_NIF_TERM map, const char *name, Arena *a);
/* At most `most` numbers of a list; their count, -1 if the term is wrong. */
int      get_u64_list(ErlNifEnv *env, ERL_NIF_TERM list, uint64_t *out, unsigned most);

/* ---- resources ---- */

typedef enum Kind {
    KIND_POOL, KIND_POOL_CONTEXT, KIND_DATA, KIND_EXECUTION, KIND_CONTEXT, KIND_TENSOR,
    KIND_MODEL, KIND_COUNT
} Kind;

typedef struct Context Context;         /* tensor.c */

typedef struct Object {
    void    *pointer;                   /* NULL: closed; guarded by the lock of objects */
    Context *context;                   /* of tensors and models: kept */
    ErlNifBinary bytes;                 /* of a model: kept */
} Object;

/* A resource that owns one reference; the term, or an error if pointer is NULL. */
ERL_NIF_TERM object_new(ErlNifEnv *env, Kind kind, void *pointer, Context *context);
/* The object with one reference more, which object_put() gives back. NULL: closed, or no such
 * object. */
void   *object_get(ErlNifEnv *env, ERL_NIF_TERM term, Kind kind);
void    object_put(Kind kind, void *pointer);
Object *object_find(ErlNifEnv *env, ERL_NIF_TERM term, Kind kind);
bool    objects_load(ErlNifEnv *env);
ErlNifResourceType *object_type(Kind kind);

/* ---- contexts: tensor.c ---- */

void context_keep(Context *c);
void context_drop(Context *c);
void context_enter(Context *c);
void context_leave(Context *c);
weft_context *context_raw(const Context *c);
/* Releases an object of the context, now or when the thread that has it leaves. */
void context_release_later(Context *c, void (*release)(void *), void *pointer);

/* ---- the functions, by file ---- */

#define NIF(name) ERL_NIF_TERM name(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
NIF(pool_open); NIF(pool_devices); NIF(pool_context); NIF(pool_shared); NIF(pool_usage);
NIF(data_new); NIF(data_read); NIF(execute_start); NIF(execute_array); NIF(execution_cancel);
NIF(context_open); NIF(context_device); NIF(tensor_new); NIF(tensor_info); NIF(tensor_read);
NIF(tensor_apply); NIF(tensor_reshape); NIF(tensor_memory); NIF(solve_fit);
NIF(model_load); NIF(model_info); NIF(model_generate); NIF(object_close);

#endif
