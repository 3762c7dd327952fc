// SPDX-License-Identifier: Apache-2.0
/*
 * tensor.c - contexts, tensors and curve fits for Elixir.
 *
 * in     binaries, names of operations
 * out    resources, binaries, numbers
 * knows  weft/tensor.h, weft/solve.h; that one thread at a time uses a context
 * not    processes: any of them may call, and waits for its turn on a dirty scheduler
 */
#include "nif.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- contexts ---- */

typedef struct Dropped {
    struct Dropped *next;
    void          (*release)(void *);
    void           *pointer;
} Dropped;

struct Context {
    unsigned      refs;                 /* guarded by `guard` */
    weft_context *raw;
    ErlNifMutex  *lock;                 /* held while the context is used */
    ErlNifMutex  *guard;                /* for moments */
    Dropped      *dropped;              /* collected while another thread had the context */
};

static Context *context_new(weft_context *raw)
{
    Context *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    *c = (Context){ .refs = 1, .raw = raw, .lock = enif_mutex_create((char *)"weft.context"),
                    .guard = enif_mutex_create((char *)"weft.context.guard") };
    return c;
}

weft_context *context_raw(const Context *c)
{
    return c->raw;
}

void context_keep(Context *c)
{
    enif_mutex_lock(c->guard);
    c->refs++;
    enif_mutex_unlock(c->guard);
}

static void release_dropped(Context *c)
{
    enif_mutex_lock(c->guard);
    Dropped *d = c->dropped;
    c->dropped = NULL;
    enif_mutex_unlock(c->guard);
    while (d) {
        Dropped *next = d->next;
        d->release(d->pointer);
        free(d);
        d = next;
    }
}

void context_drop(Context *c)
{
    enif_mutex_lock(c->guard);
    const bool is_last = --c->refs == 0;
    enif_mutex_unlock(c->guard);
    if (!is_last)
        return;
    release_dropped(c);
    weft_context_release(c->raw);
    enif_mutex_destroy(c->lock);
    enif_mutex_destroy(c->guard);
    free(c);
}

void context_enter(Context *c)
{
    enif_mutex_lock(c->lock);
    release_dropped(c);
}

void context_leave(Context *c)
{
    release_dropped(c);
    enif_mutex_unlock(c->lock);
}

/* A destructor runs on any scheduler, and must not wait for a computation. */
void context_release_later(Context *c, void (*release)(void *), void *pointer)
{
    if (enif_mutex_trylock(c->lock) == 0) {
        release(pointer);
        context_leave(c);
        return;
    }
    Dropped *d = malloc(sizeof *d);
    if (!d)
        return;                         /* the object stays: better than a deadlock */
    *d = (Dropped){ .release = release, .pointer = pointer };
    enif_mutex_lock(c->guard);
    d->next = c->dropped;
    c->dropped = d;
    enif_mutex_unlock(c->guard);
}

static ERL_NIF_TERM closed(ErlNifEnv *env)
{
    return fail(env, WEFT_ERROR_INVALID, "the object was closed, or is another kind of object");
}

/* context_open(options) */
NIF(context_open)
{
    (void)argc;
    Arena         a = { 0 };
    weft_context *raw = weft_context_create(&(weft_context_desc){
        .adapter = map_text(env, argv[0], "adapter", &a),
        .library = map_text(env, argv[0], "library", &a),
        .threads = (uint32_t)map_u64(env, argv[0], "threads"),
        .dispatch_deadline = map_u64(env, argv[0], "dispatch_deadline"),
        .memory_budget = map_u64(env, argv[0], "memory_budget"),
        .no_cache = map_bool(env, argv[0], "no_cache"),
    });
    arena_fini(&a);
    if (raw && weft_context_error(raw)->kind) {
        ERL_NIF_TERM error = fail_context(env, raw);
        weft_context_release(raw);
        return error;
    }
    Context *c = raw ? context_new(raw) : NULL;
    if (!c)
        weft_context_release(raw);
    return object_new(env, KIND_CONTEXT, c, NULL);
}

/* context_device(context): {name, backend, reason} */
NIF(context_device)
{
    (void)argc;
    Context *c = object_get(env, argv[0], KIND_CONTEXT);
    if (!c)
        return closed(env);
    context_enter(c);
    const weft_device_info *d = weft_context_device(c->raw);
    ERL_NIF_TERM term = enif_make_tuple3(env, text(env, d ? d->name : ""),
        text(env, d ? d->backend : ""), text(env, d ? d->reason : ""));
    context_leave(c);
    context_drop(c);
    return ok(env, term);
}

/* ---- tensors ---- */

/* tensor_new(context, dtype, shape, binary) */
NIF(tensor_new)
{
    (void)argc;
    Arena            a = { 0 };
    weft_tensor_desc d = { 0 };
    ErlNifBinary     b;
    Context         *c = object_get(env, argv[0], KIND_CONTEXT);
    if (!c)
        return closed(env);
    const char *type = get_text(env, argv[1], &a);
    const int   rank = get_u64_list(env, argv[2], d.shape, WEFT_MAX_RANK);
    d.dtype = type ? weft_dtype_find(type) : WEFT_DTYPE_NONE;
    d.rank = (uint32_t)rank;
    ERL_NIF_TERM result;
    if (!d.dtype || rank < 0 || !enif_inspect_binary(env, argv[3], &b)) {
        result = fail(env, d.dtype ? WEFT_ERROR_SHAPE : WEFT_ERROR_TYPE,
                      "a tensor needs a type such as :f32, a list of sizes and a binary");
    } else {
        d.data = b.data;
        d.data_size = b.size;
        context_enter(c);
        weft_tensor *t = weft_tensor_create(c->raw, &d);
        result = t ? object_new(env, KIND_TENSOR, t, c) : fail_context(env, c->raw);
        context_leave(c);
    }
    arena_fini(&a);
    context_drop(c);
    return result;
}

/* A tensor and its context, entered. */
typedef struct Use {
    Object      *object;
    weft_tensor *tensor;
    Context     *context;
} Use;

static bool use(ErlNifEnv *env, ERL_NIF_TERM term, Use *u)
{
    u->object = object_find(env, term, KIND_TENSOR);
    if (!u->object)
        return false;
    u->context = u->object->context;
    context_enter(u->context);
    u->tensor = object_get(env, term, KIND_TENSOR);
    if (!u->tensor)
        context_leave(u->context);
    return u->tensor != NULL;
}

static void use_end(Use *u)
{
    weft_tensor_release(u->tensor);
    context_leave(u->context);
}

static ERL_NIF_TERM give(ErlNifEnv *env, Use *u, weft_tensor *made)
{
    return made ? object_new(env, KIND_TENSOR, made, u->context)
                : fail_context(env, u->context->raw);
}

/* tensor_info(tensor): {type, shape} */
NIF(tensor_info)
{
    (void)argc;
    Use u;
    if (!use(env, argv[0], &u))
        return closed(env);
    ERL_NIF_TERM shape = enif_make_list(env, 0);
    for (uint32_t i = weft_tensor_rank(u.tensor); i-- > 0;)
        shape = enif_make_list_cell(env, enif_make_uint64(env, weft_tensor_shape(u.tensor)[i]),
                                    shape);
    ERL_NIF_TERM term = enif_make_tuple2(
        env, atom(env, weft_dtype_name(weft_tensor_dtype(u.tensor))), shape);
    use_end(&u);
    return ok(env, term);
}

/* tensor_read(tensor): a binary */
NIF(tensor_read)
{
    (void)argc;
    Use          u;
    ERL_NIF_TERM term;
    if (!use(env, argv[0], &u))
        return closed(env);
    const uint64_t size = weft_tensor_bytes(u.tensor);
    unsigned char *to = enif_make_new_binary(env, (size_t)size, &term);
    term = weft_tensor_read(to, size, u.tensor) ? ok(env, term)
                                                : fail_context(env, u.context->raw);
    use_end(&u);
    return term;
}

/* tensor_reshape(tensor, shape) */
NIF(tensor_reshape)
{
    (void)argc;
    Use       u;
    uint64_t  shape[WEFT_MAX_RANK];
    const int rank = get_u64_list(env, argv[1], shape, WEFT_MAX_RANK);
    if (rank < 0)
        return fail(env, WEFT_ERROR_SHAPE, "a shape is a list of at most 8 sizes");
    if (!use(env, argv[0], &u))
        return closed(env);
    ERL_NIF_TERM term = give(env, &u, weft_tensor_reshape(u.tensor, (uint32_t)rank, shape));
    use_end(&u);
    return term;
}

/* tensor_memory(context): bytes in use on the device */
NIF(tensor_memory)
{
    (void)argc;
    weft_memory m;
    Context    *c = object_get(env, argv[0], KIND_CONTEXT);
    if (!c)
        return closed(env);
    context_enter(c);
    weft_context_memory(&m, c->raw);
    context_leave(c);
    context_drop(c);
    return ok(env, enif_make_uint64(env, m.live));
}

/* ---- operations by name ---- */

typedef struct Arguments {
    weft_tensor *other;                 /* NULL: none */
    weft_axes    axes;
    double       number;
} Arguments;

typedef struct Operation {
    const char  *name;
    weft_tensor *(*run)(weft_tensor *x, const Arguments *a);
    bool         is_binary;
} Operation;

#define UNARY(name, types, meaning) \
    static weft_tensor *run_##name(weft_tensor *x, const Arguments *a) \
    { (void)a; return weft_tensor_##name(x); }
#define BINARY(name, types, meaning) \
    static weft_tensor *run_##name(weft_tensor *x, const Arguments *a) \
    { return weft_tensor_##name(x, a->other); }
#define REDUCTION(name, types, meaning) \
    static weft_tensor *run_##name(weft_tensor *x, const Arguments *a) \
    { return weft_tensor_##name(x, &a->axes); }
#include <weft/tensor_ops.def>

static weft_tensor *run_matmul(weft_tensor *x, const Arguments *a)
{
    return weft_tensor_matmul(x, a->other);
}
static weft_tensor *run_softmax(weft_tensor *x, const Arguments *a)
{
    return weft_tensor_softmax(x, a->axes.count ? a->axes.axes[0] : -1);
}
static weft_tensor *run_transpose(weft_tensor *x, const Arguments *a)
{
    return a->axes.count == 2 ? weft_tensor_transpose(x, a->axes.axes[0], a->axes.axes[1])
                              : weft_tensor_permute(x, NULL);
}
static weft_tensor *run_rms_norm(weft_tensor *x, const Arguments *a)
{
    return weft_tensor_rms_norm(x, a->other, a->number);
}
static weft_tensor *run_add_scalar(weft_tensor *x, const Arguments *a)
{
    return weft_tensor_add_scalar(x, a->number);
}
static weft_tensor *run_mul_scalar(weft_tensor *x, const Arguments *a)
{
    return weft_tensor_mul_scalar(x, a->number);
}

static const Operation operations[] = {
#define UNARY(name, types, meaning)     { #name, run_##name, false },
#define BINARY(name, types, meaning)    { #name, run_##name, true },
#define REDUCTION(name, types, meaning) { #name, run_##name, false },
#include <weft/tensor_ops.def>
    { "matmul", run_matmul, true },        { "softmax", run_softmax, false },
    { "transpose", run_transpose, false }, { "rms_norm", run_rms_norm, false },
    { "add_scalar", run_add_scalar, false }, { "mul_scalar", run_mul_scalar, false },
};

static const Operation *operation_find(const char *name)
{
    for (size_t i = 0; name && i < COUNTOF(operations); i++)
        if (strcmp(operations[i].name, name) == 0)
            return &operations[i];
    return NULL;
}

static bool get_axes(ErlNifEnv *env, ERL_NIF_TERM map, weft_axes *out)
{
    ERL_NIF_TERM list, head;
    out->keep = map_bool(env, map, "keep");
    if (!map_get(env, map, "axes", &list))
        return true;
    while (enif_get_list_cell(env, list, &head, &list))
        if (out->count == WEFT_MAX_RANK || !enif_get_int(env, head, &out->axes[out->count++]))
            return false;
    return true;
}

static ERL_NIF_TERM apply(ErlNifEnv *env, const Operation *o, Use *u, ERL_NIF_TERM options)
{
    Arguments    a = { .number = map_double(env, options, "number", 0) };
    ERL_NIF_TERM other;
    if (!get_axes(env, options, &a.axes))
        return fail(env, WEFT_ERROR_SHAPE, "axes are a list of at most 8 whole numbers");
    if (map_get(env, options, "other", &other)) {
        const Object *is = object_find(env, other, KIND_TENSOR);
        if (is && is->context != u->context)
            return fail(env, WEFT_ERROR_INVALID, "the tensors belong to different contexts");
        a.other = object_get(env, other, KIND_TENSOR);
        if (!a.other)
            return closed(env);
    }
    ERL_NIF_TERM term = o->is_binary && !a.other
        ? fail(env, WEFT_ERROR_INVALID, "the operation needs two tensors")
        : give(env, u, o->run(u->tensor, &a));
    weft_tensor_release(a.other);
    return term;
}

/* tensor_apply(tensor, operation, options) */
NIF(tensor_apply)
{
    (void)argc;
    Use  u;
    char name[40] = "";
    enif_get_atom(env, argv[1], name, sizeof name, ERL_NIF_LATIN1);
    const Operation *o = operation_find(name);
    if (!o)
        return fail(env, WEFT_ERROR_NOT_FOUND, "there is no such operation on tensors");
    if (!use(env, argv[0], &u))
        return closed(env);
    ERL_NIF_TERM term = apply(env, o, &u, argv[2]);
    use_end(&u);
    return term;
}

/* ---- curve fits ---- */

static ERL_NIF_TERM number(ErlNifEnv *env, double value)
{
    return isfinite(value) ? enif_make_double(env, value) : atom(env, "nan");
}

static ERL_NIF_TERM fit_term(ErlNifEnv *env, const weft_solve_fit *fit)
{
    weft_solve_fit_info      info;
    weft_solve_fit_parameter p;
    ERL_NIF_TERM             all = enif_make_new_map(env);
    weft_solve_fit_get_info(&info, fit);
    for (uint32_t i = 0; weft_solve_fit_parameter_get(&p, fit, i); i++)
        enif_make_map_put(env, all, text(env, p.name),
                          enif_make_tuple2(env, number(env, p.value), number(env, p.error)), &all);
    return enif_make_tuple5(env, all, number(env, info.rms), number(env, info.r2),
                            atom(env, info.result.converged ? "true" : "false"),
                            text(env, info.summary));
}

/* solve_fit(context, formula, column names, rows as f64, [{name, start}]) */
NIF(solve_fit)
{
    (void)argc;
    Arena               a = { 0 };
    ErlNifBinary        b;
    weft_solve_fit_desc d = { 0 };
    weft_solve_guess    guesses[64] = { 0 };
    const char         *columns[64];
    ERL_NIF_TERM        list = argv[2], head;
    Context            *c = object_get(env, argv[0], KIND_CONTEXT);
    if (!c)
        return closed(env);
    d.formula = get_text(env, argv[1], &a);
    while (d.column_count < COUNTOF(columns) && enif_get_list_cell(env, list, &head, &list))
        if ((columns[d.column_count] = get_text(env, head, &a)))
            d.column_count++;
    for (list = argv[4]; d.guess_count < COUNTOF(guesses)
                         && enif_get_list_cell(env, list, &head, &list);) {
        int                 arity = 0;
        const ERL_NIF_TERM *t;
        weft_solve_guess   *g = &guesses[d.guess_count];
        if (enif_get_tuple(env, head, &arity, &t) && arity == 2
            && (g->name = get_text(env, t[0], &a)) && enif_get_double(env, t[1], &g->start))
            d.guess_count++;
    }
    ERL_NIF_TERM term;
    if (!d.formula || !d.column_count || !enif_inspect_binary(env, argv[3], &b)
        || b.size % (8 * d.column_count)) {
        term = fail(env, WEFT_ERROR_SHAPE, "a fit needs a formula and columns of equal length");
    } else {
        d.columns = columns;
        d.guesses = guesses;
        d.data = (const double *)(const void *)b.data;
        d.count = (uint32_t)(b.size / 8 / d.column_count);
        context_enter(c);
        weft_solve_fit *fit = weft_solve_fit_create(c->raw, &d);
        term = fit ? ok(env, fit_term(env, fit)) : fail_context(env, c->raw);
        weft_solve_fit_release(fit);
        context_leave(c);
    }
    arena_fini(&a);
    context_drop(c);
    return term;
}
