// SPDX-License-Identifier: Apache-2.0
/*
 * nif.c - terms, resources and the table of native functions.
 *
 * in     calls of Weft.Native
 * out    see nif.h
 * not    the library, but for errors and for giving references back
 */
#include "nif.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory of a call ---- */

void *arena_alloc(Arena *a, size_t size)
{
    void **block = calloc(1, sizeof(max_align_t) + size);
    if (!block)
        return NULL;
    *block = a->first;
    a->first = block;
    return (char *)block + sizeof(max_align_t);
}

void arena_fini(Arena *a)
{
    for (void **b = a->first, **next; b; b = next) {
        next = *b;
        free(b);
    }
    a->first = NULL;
}

/* ---- results ---- */

ERL_NIF_TERM atom(ErlNifEnv *env, const char *name)
{
    return enif_make_atom(env, name);
}

ERL_NIF_TERM text(ErlNifEnv *env, const char *s)
{
    ERL_NIF_TERM term;
    const size_t size = s ? strlen(s) : 0;
    unsigned char *to = enif_make_new_binary(env, size, &term);
    if (size)
        memcpy(to, s, size);
    return term;
}

ERL_NIF_TERM ok(ErlNifEnv *env, ERL_NIF_TERM value)
{
    return enif_make_tuple2(env, atom(env, "ok"), value);
}

static ERL_NIF_TERM fail_named(ErlNifEnv *env, weft_error_kind kind, const char *message,
                               ERL_NIF_TERM names)
{
    char        name[32] = "internal";
    const char *is = weft_error_kind_name(kind);
    if (is && strlen(is) < sizeof name)
        strcpy(name, is);
    for (char *c = name; *c; c++)
        if (*c == '-')
            *c = '_';                   /* :not_found is an atom without quotes */
    return enif_make_tuple2(env, atom(env, "error"), enif_make_tuple3(
        env, atom(env, name), text(env, message), names));
}

ERL_NIF_TERM fail(ErlNifEnv *env, weft_error_kind kind, const char *message)
{
    return fail_named(env, kind, message, enif_make_list(env, 0));
}

ERL_NIF_TERM fail_pool(ErlNifEnv *env, const weft_pool_error *e)
{
    ERL_NIF_TERM names = *e->name ? enif_make_list1(env, text(env, e->name))
                                  : enif_make_list(env, 0);
    return fail_named(env, e->kind ? e->kind : WEFT_ERROR_INTERNAL, e->message, names);
}

ERL_NIF_TERM fail_context(ErlNifEnv *env, weft_context *ctx)
{
    const weft_error *e = weft_context_error(ctx);
    ERL_NIF_TERM      names = enif_make_list(env, 0);
    for (uint32_t i = e->name_count; i-- > 0;)
        names = enif_make_list_cell(env, text(env, e->names[i]), names);
    ERL_NIF_TERM term = fail_named(env, e->kind ? e->kind : WEFT_ERROR_INTERNAL,
                                   e->kind ? e->message : "the call failed", names);
    weft_context_error_clear(ctx);
    return term;
}

/* ---- arguments ---- */

const char *get_text(ErlNifEnv *env, ERL_NIF_TERM term, Arena *a)
{
    ErlNifBinary b;
    if (!enif_inspect_iolist_as_binary(env, term, &b) || memchr(b.data, 0, b.size))
        return NULL;
    char *copy = arena_alloc(a, b.size + 1);
    return copy ? memcpy(copy, b.data, b.size) : NULL;
}

bool map_get(ErlNifEnv *env, ERL_NIF_TERM map, const char *name, ERL_NIF_TERM *out)
{
    return enif_get_map_value(env, map, atom(env, name), out);
}

uint64_t map_u64(ErlNifEnv *env, ERL_NIF_TERM map, const char *name)
{
    ERL_NIF_TERM term;
    ErlNifUInt64 value = 0;
    return map_get(env, map, name, &term) && enif_get_uint64(env, term, &value) ? value : 0;
}

double map_double(ErlNifEnv *env, ERL_NIF_TERM map, const char *name, double otherwise)
{
    ERL_NIF_TERM term;
    double       value;
    ErlNifSInt64 whole;
    if (!map_get(env, map, name, &term))
        return otherwise;
    if (enif_get_double(env, term, &value))
        return value;
    return enif_get_int64(env, term, &whole) ? (double)whole : otherwise;
}

bool map_bool(ErlNifEnv *env, ERL_NIF_TERM map, const char *name)
{
    ERL_NIF_TERM term;
    return map_get(env, map, name, &term) && enif_is_identical(term, atom(env, "true"));
}

const char *map_text(ErlNifEnv *env, ERL_NIF_TERM map, const char *name, Arena *a)
{
    ERL_NIF_TERM term;
    return map_get(env, map, name, &term) ? get_text(env, term, a) : NULL;
}

int get_u64_list(ErlNifEnv *env, ERL_NIF_TERM list, uint64_t *out, unsigned most)
{
    ERL_NIF_TERM head;
    ErlNifUInt64 value;
    unsigned     count = 0;
    while (enif_get_list_cell(env, list, &head, &list)) {
        if (count == most || !enif_get_uint64(env, head, &value))
            return -1;
        out[count++] = value;
    }
    return enif_is_empty_list(env, list) ? (int)count : -1;
}

/* ---- resources ---- */

typedef struct KindRow {
    const char *name;
    void       *(*retain)(void *);
    void       (*release)(void *);
} KindRow;

#define KEEP(function, type) \
    static void *keep_##function(void *p) { return weft_##function##_retain((type *)p); } \
    static void drop_##function(void *p) { weft_##function##_release((type *)p); }
KEEP(pool, weft_pool)
KEEP(pool_context, weft_pool_context)
KEEP(pool_data, weft_pool_data)
KEEP(execution, weft_execution)
KEEP(tensor, weft_tensor)
KEEP(model, weft_model)
static void *keep_context(void *p) { context_keep(p); return p; }
static void drop_context(void *p) { context_drop(p); }

static const KindRow rows[KIND_COUNT] = {
    [KIND_POOL]         = { "weft_pool", keep_pool, drop_pool },
    [KIND_POOL_CONTEXT] = { "weft_pool_context", keep_pool_context, drop_pool_context },
    [KIND_DATA]         = { "weft_data", keep_pool_data, drop_pool_data },
    [KIND_EXECUTION]    = { "weft_execution", keep_execution, drop_execution },
    [KIND_CONTEXT]      = { "weft_context", keep_context, drop_context },
    [KIND_TENSOR]       = { "weft_tensor", keep_tensor, drop_tensor },
    [KIND_MODEL]        = { "weft_model", keep_model, drop_model },
};

static ErlNifResourceType *types[KIND_COUNT];
static ErlNifMutex        *objects_lock;    /* guards Object.pointer, for moments */

ErlNifResourceType *object_type(Kind kind)
{
    return types[kind];
}

static void release(Kind kind, Object *o, void *pointer)
{
    if (!pointer)
        return;
    if (o->context)
        context_release_later(o->context, rows[kind].release, pointer);
    else
        rows[kind].release(pointer);
}

static void *take(Object *o)
{
    enif_mutex_lock(objects_lock);
    void *pointer = o->pointer;
    o->pointer = NULL;
    enif_mutex_unlock(objects_lock);
    return pointer;
}

static void end(Kind kind, Object *o)
{
    release(kind, o, take(o));
    if (o->context)
        context_drop(o->context);
    if (o->bytes.data)
        enif_release_binary(&o->bytes);
}

#define ENDS(kind) \
    static void end_##kind(ErlNifEnv *env, void *o) { (void)env; end(KIND_##kind, o); }
ENDS(POOL) ENDS(POOL_CONTEXT) ENDS(DATA) ENDS(EXECUTION) ENDS(CONTEXT) ENDS(TENSOR) ENDS(MODEL)

bool objects_load(ErlNifEnv *env)
{
    static void (*const ends[KIND_COUNT])(ErlNifEnv *, void *) = {
        end_POOL, end_POOL_CONTEXT, end_DATA, end_EXECUTION, end_CONTEXT, end_TENSOR, end_MODEL };
    objects_lock = enif_mutex_create((char *)"weft.objects");
    for (int i = 0; i < KIND_COUNT; i++) {
        types[i] = enif_open_resource_type(env, NULL, rows[i].name, ends[i], ERL_NIF_RT_CREATE,
                                           NULL);
        if (!types[i])
            return false;
    }
    return objects_lock != NULL;
}

ERL_NIF_TERM object_new(ErlNifEnv *env, Kind kind, void *pointer, Context *context)
{
    if (!pointer)
        return fail(env, WEFT_ERROR_MEMORY, "no memory");
    Object *o = enif_alloc_resource(types[kind], sizeof *o);
    *o = (Object){ .pointer = pointer, .context = context };
    if (context)
        context_keep(context);
    ERL_NIF_TERM term = enif_make_resource(env, o);
    enif_release_resource(o);
    return ok(env, term);
}

Object *object_find(ErlNifEnv *env, ERL_NIF_TERM term, Kind kind)
{
    void *o = NULL;
    return enif_get_resource(env, term, types[kind], &o) ? o : NULL;
}

void *object_get(ErlNifEnv *env, ERL_NIF_TERM term, Kind kind)
{
    Object *o = object_find(env, term, kind);
    if (!o)
        return NULL;
    enif_mutex_lock(objects_lock);
    void *pointer = o->pointer ? rows[kind].retain(o->pointer) : NULL;
    enif_mutex_unlock(objects_lock);
    return pointer;
}

void object_put(Kind kind, void *pointer)
{
    if (pointer)
        rows[kind].release(pointer);
}

/* close(object): gives it back now; once more does nothing */
NIF(object_close)
{
    (void)argc;
    for (int i = 0; i < KIND_COUNT; i++) {
        Object *o = object_find(env, argv[0], (Kind)i);
        if (o)
            release((Kind)i, o, take(o));
    }
    return atom(env, "ok");
}

/* ---- the table ---- */

#define CPU ERL_NIF_DIRTY_JOB_CPU_BOUND
#define IO  ERL_NIF_DIRTY_JOB_IO_BOUND

static ErlNifFunc functions[] = {
    { "pool_open",        1, pool_open,        IO },
    { "pool_devices",     1, pool_devices,     0 },
    { "pool_context",     2, pool_context,     0 },
    { "pool_shared",      0, pool_shared,      IO },
    { "pool_usage",       1, pool_usage,       0 },
    { "data_new",         3, data_new,         CPU },
    { "data_read",        1, data_read,        IO },
    { "execute_start",    6, execute_start,    CPU },
    { "execute_array",    5, execute_array,    CPU },
    { "execution_cancel", 1, execution_cancel, 0 },
    { "context_open",     1, context_open,     IO },
    { "context_device",   1, context_device,   CPU },
    { "tensor_new",       4, tensor_new,       CPU },
    { "tensor_info",      1, tensor_info,      CPU },
    { "tensor_read",      1, tensor_read,      CPU },
    { "tensor_apply",     3, tensor_apply,     CPU },
    { "tensor_reshape",   2, tensor_reshape,   CPU },
    { "tensor_memory",    1, tensor_memory,    CPU },
    { "solve_fit",        5, solve_fit,        CPU },
    { "model_load",       2, model_load,       CPU },
    { "model_info",       1, model_info,       CPU },
    { "model_generate",   3, model_generate,   CPU },
    { "close",            1, object_close,     CPU },
};

static int load(ErlNifEnv *env, void **data, ERL_NIF_TERM info)
{
    (void)data, (void)info;
    return objects_load(env) ? 0 : 1;
}

ERL_NIF_INIT(Elixir.Weft.Native, functions, load, NULL, NULL, NULL)
