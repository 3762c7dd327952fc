// SPDX-License-Identifier: Apache-2.0
/*
 * pool.c - pools, resident data and executions for Elixir.
 *
 * in     maps of options, binaries
 * out    resources; a message {:weft, ref, result} for each execution that ends
 * knows  weft/pool.h; that a message may be sent from any thread
 * not    types by name: lib/weft.ex
 *
 * Executions are asynchronous, so that a kernel that hangs occupies no scheduler. Outputs are
 * binaries over the memory of the execution, without a copy.
 */
#include "nif.h"

#include <stdlib.h>
#include <string.h>

/* ---- pools ---- */

enum { WORDS = 32 };

static const char *const *get_words(ErlNifEnv *env, ERL_NIF_TERM map, const char *name,
                                    const char **out, Arena *a)
{
    ERL_NIF_TERM list, head;
    unsigned     count = 0;
    if (!map_get(env, map, name, &list))
        return NULL;
    while (count < WORDS && enif_get_list_cell(env, list, &head, &list))
        if ((out[count] = get_text(env, head, a)))
            count++;
    return count ? out : NULL;
}

/* The CPU device alone has no driver that could crash: it needs no process of its own, which
 * fork() would make of a VM with many threads. */
static bool is_cpu_alone(const char *const *adapters, const char *const *libraries)
{
    return adapters && !libraries && !adapters[1] && strcmp(adapters[0], "cpu") == 0;
}

/* pool_open(options) */
NIF(pool_open)
{
    (void)argc;
    Arena       a = { 0 };
    const char *words[WORDS + 1] = { 0 }, *paths[WORDS + 1] = { 0 };
    const char *const *adapters = get_words(env, argv[0], "adapters", words, &a);
    const char *const *libraries = get_words(env, argv[0], "libraries", paths, &a);
    weft_pool *pool = weft_pool_create(&(weft_pool_desc){
        .adapters = adapters,
        .libraries = libraries,
        .probe_in_process = is_cpu_alone(adapters, libraries),
        .no_own = map_bool(env, argv[0], "no_own"),
        .no_cache = map_bool(env, argv[0], "no_cache"),
        .cache_dir = map_text(env, argv[0], "cache_dir", &a),
        .benchmark_timeout = map_bool(env, argv[0], "unmeasured") ? WEFT_OFF : 0,
        .threads = (uint32_t)map_u64(env, argv[0], "threads"),
        .dispatch_deadline = map_u64(env, argv[0], "dispatch_deadline"),
        .time_limit = map_u64(env, argv[0], "time_limit"),
        .memory_limit = map_u64(env, argv[0], "memory_limit"),
        .retries = (uint32_t)map_u64(env, argv[0], "retries"),
    });
    arena_fini(&a);
    return object_new(env, KIND_POOL, pool, NULL);
}

static ERL_NIF_TERM closed(ErlNifEnv *env)
{
    return fail(env, WEFT_ERROR_INVALID, "the object was closed, or is another kind of object");
}

static void put(ErlNifEnv *env, ERL_NIF_TERM *map, const char *name, ERL_NIF_TERM value)
{
    enif_make_map_put(env, *map, atom(env, name), value, map);
}

static ERL_NIF_TERM boolean(ErlNifEnv *env, bool value)
{
    return atom(env, value ? "true" : "false");
}

/* pool_devices(pool) */
NIF(pool_devices)
{
    (void)argc;
    weft_pool       *pool = object_get(env, argv[0], KIND_POOL);
    weft_pool_device d;
    if (!pool)
        return closed(env);
    ERL_NIF_TERM list = enif_make_list(env, 0);
    for (uint32_t i = weft_pool_device_count(pool); i-- > 0;) {
        if (!weft_pool_device_get(&d, pool, i))
            continue;
        ERL_NIF_TERM m = enif_make_new_map(env);
        put(env, &m, "index", enif_make_uint(env, d.index));
        put(env, &m, "id", text(env, d.id));
        put(env, &m, "name", text(env, d.name));
        put(env, &m, "backend", text(env, d.backend));
        put(env, &m, "driver", text(env, d.driver));
        put(env, &m, "library", text(env, d.library));
        put(env, &m, "hardware_gpu", boolean(env, d.hardware_gpu));
        put(env, &m, "f16", boolean(env, d.f16));
        put(env, &m, "f64", boolean(env, d.f64));
        put(env, &m, "memory", enif_make_uint64(env, d.memory));
        put(env, &m, "losses", enif_make_uint(env, d.losses));
        list = enif_make_list_cell(env, m, list);
    }
    object_put(KIND_POOL, pool);
    return ok(env, list);
}

/* pool_context(pool, quotas) */
NIF(pool_context)
{
    (void)argc;
    Arena      a = { 0 };
    weft_pool *pool = object_get(env, argv[0], KIND_POOL);
    if (!pool)
        return closed(env);
    const char *device = map_text(env, argv[1], "device", &a);
    weft_pool_context *ctx = weft_pool_context_create(pool, &(weft_pool_context_desc){
        .label = map_text(env, argv[1], "label", &a),
        .memory_quota = map_u64(env, argv[1], "memory_quota"),
        .execution_quota = (uint32_t)map_u64(env, argv[1], "execution_quota"),
        .time_quota = map_u64(env, argv[1], "time_quota"),
        .weight = (uint32_t)map_u64(env, argv[1], "weight"),
        .policy = device ? WEFT_POLICY_DEVICE : WEFT_POLICY_DEFAULT,
        .device = device,
    });
    object_put(KIND_POOL, pool);
    arena_fini(&a);
    return ctx ? object_new(env, KIND_POOL_CONTEXT, ctx, NULL)
               : fail(env, WEFT_ERROR_INVALID, "a weight is at most 1,000");
}

/* pool_shared(): the context that the whole VM shares */
NIF(pool_shared)
{
    (void)argc, (void)argv;
    weft_pool_context *ctx = weft_pool_shared();
    return object_new(env, KIND_POOL_CONTEXT, ctx ? weft_pool_context_retain(ctx) : NULL, NULL);
}

/* pool_usage(context) */
NIF(pool_usage)
{
    (void)argc;
    weft_pool_usage    u;
    weft_pool_context *ctx = object_get(env, argv[0], KIND_POOL_CONTEXT);
    if (!ctx)
        return closed(env);
    weft_pool_context_usage(&u, ctx);
    object_put(KIND_POOL_CONTEXT, ctx);
    ERL_NIF_TERM m = enif_make_new_map(env);
    put(env, &m, "memory", enif_make_uint64(env, u.memory));
    put(env, &m, "executions", enif_make_uint64(env, u.executions));
    put(env, &m, "errors", enif_make_uint64(env, u.errors));
    put(env, &m, "waiting", enif_make_uint(env, u.waiting));
    put(env, &m, "running", enif_make_uint(env, u.running));
    return ok(env, m);
}

/* ---- resident data ---- */

/* data_new(context, type, binary) */
NIF(data_new)
{
    (void)argc;
    unsigned           type = 0;
    ErlNifBinary       b;
    weft_pool_error    error = { .kind = WEFT_ERROR_INTERNAL };
    weft_pool_context *ctx = object_get(env, argv[0], KIND_POOL_CONTEXT);
    if (!ctx)
        return closed(env);
    weft_pool_data *data = NULL;
    if (enif_get_uint(env, argv[1], &type) && enif_inspect_binary(env, argv[2], &b)) {
        weft_pool_context_error_clear(ctx);
        data = weft_pool_data_create(ctx, &(weft_pool_data_desc){
            .type = (weft_scalar)type, .data = b.data, .size = b.size });
        if (!data)
            weft_pool_context_error(&error, ctx);
        weft_pool_context_error_clear(ctx);
    }
    object_put(KIND_POOL_CONTEXT, ctx);
    return data ? object_new(env, KIND_DATA, data, NULL) : fail_pool(env, &error);
}

/* data_read(data) */
NIF(data_read)
{
    (void)argc;
    ERL_NIF_TERM    term;
    weft_pool_data *data = object_get(env, argv[0], KIND_DATA);
    if (!data)
        return closed(env);
    const uint64_t size = weft_pool_data_size(data);
    unsigned char *to = enif_make_new_binary(env, (size_t)size, &term);
    const bool     read = to && weft_pool_data_read(to, data, 0, size);
    object_put(KIND_DATA, data);
    return read ? ok(env, term) : fail(env, WEFT_ERROR_DEVICE_LOST, "the data was lost");
}

/* ---- executions ---- */

/* An execution that a process waits for. */
typedef struct Pending {
    ErlNifPid    pid;
    ErlNifEnv   *env;                   /* of the message */
    ERL_NIF_TERM ref;
    uint32_t     output_count;
    char        *names[];
} Pending;

static void pending_free(Pending *p)
{
    for (uint32_t i = 0; i < p->output_count; i++)
        free(p->names[i]);
    if (p->env)
        enif_free_env(p->env);
    free(p);
}

static Pending *pending_new(ErlNifEnv *env, ERL_NIF_TERM ref, const weft_execute_desc *d)
{
    Pending *p = calloc(1, sizeof *p + d->output_count * sizeof(char *));
    if (!p)
        return NULL;
    p->env = enif_alloc_env();
    p->ref = p->env ? enif_make_copy(p->env, ref) : 0;
    p->output_count = d->output_count;
    bool is_whole = p->env && enif_self(env, &p->pid);
    for (uint32_t i = 0; i < p->output_count; i++)
        is_whole &= (p->names[i] = strdup(d->outputs[i].name)) != NULL;
    if (is_whole)
        return p;
    pending_free(p);
    return NULL;
}

/* {name => binary} over the memory of the execution; resident outputs are not in it. */
static ERL_NIF_TERM outputs_term(ErlNifEnv *env, weft_execution *e, const Pending *p)
{
    ERL_NIF_TERM map = enif_make_new_map(env);
    for (uint32_t i = 0; i < p->output_count; i++) {
        uint64_t    size = 0;
        const void *data = weft_execution_output(e, p->names[i], &size);
        if (!data)
            continue;
        Object *o = enif_alloc_resource(object_type(KIND_EXECUTION), sizeof *o);
        *o = (Object){ .pointer = weft_execution_retain(e) };
        ERL_NIF_TERM b = enif_make_resource_binary(env, o, data, (size_t)size);
        enif_release_resource(o);
        enif_make_map_put(env, map, text(env, p->names[i]), b, &map);
    }
    return map;
}

static ERL_NIF_TERM report_term(ErlNifEnv *env, const weft_execute_report *r)
{
    ERL_NIF_TERM m = enif_make_new_map(env);
    put(env, &m, "device", text(env, r->device));
    put(env, &m, "run_ns", enif_make_uint64(env, r->run_ns));
    put(env, &m, "total_ns", enif_make_uint64(env, r->total_ns));
    put(env, &m, "compile_ns", enif_make_uint64(env, r->compile_ns));
    put(env, &m, "attempts", enif_make_uint(env, r->attempts));
    put(env, &m, "groups", enif_make_tuple3(env, enif_make_uint(env, r->groups[0]),
        enif_make_uint(env, r->groups[1]), enif_make_uint(env, r->groups[2])));
    return m;
}

static void on_end(void *user, weft_execution *e, const weft_execute_report *report)
{
    Pending     *p = user;
    ERL_NIF_TERM result = report->error.kind ? fail_pool(p->env, &report->error)
        : ok(p->env, enif_make_tuple2(p->env, outputs_term(p->env, e, p),
                                      report_term(p->env, report)));
    ERL_NIF_TERM message = enif_make_tuple3(p->env, atom(p->env, "weft"), p->ref, result);
    enif_send(NULL, &p->pid, p->env, message);
    pending_free(p);
}

typedef struct Request {
    weft_execute_desc    desc;
    weft_execute_input  *inputs;
    weft_execute_output *outputs;
    weft_constant       *constants;
    const char          *problem;       /* NULL: none */
} Request;

/* {name, type, shape, binary | data | nil} */
static bool get_field(ErlNifEnv *env, ERL_NIF_TERM term, Arena *a, weft_execute_input *out)
{
    int                 arity = 0, rank;
    unsigned            type = 0;
    ErlNifBinary        b;
    const ERL_NIF_TERM *t;
    if (!enif_get_tuple(env, term, &arity, &t) || arity != 4
        || !(out->name = get_text(env, t[0], a)) || !enif_get_uint(env, t[1], &type)
        || (rank = get_u64_list(env, t[2], out->shape, 8)) < 0)
        return false;
    out->type = (weft_scalar)type;
    out->rank = (uint32_t)rank;
    if (enif_inspect_binary(env, t[3], &b)) {
        out->data = b.data;
        out->size = b.size;
    } else if (object_find(env, t[3], KIND_DATA)) {
        out->resident = object_get(env, t[3], KIND_DATA);
        return out->resident != NULL;
    } else {
        return enif_is_identical(t[3], atom(env, "nil"));
    }
    return true;
}

static void get_inputs(ErlNifEnv *env, ERL_NIF_TERM list, Arena *a, Request *r)
{
    unsigned     count = 0;
    ERL_NIF_TERM head;
    enif_get_list_length(env, list, &count);
    r->inputs = arena_alloc(a, (count + 1) * sizeof *r->inputs);
    while (r->inputs && enif_get_list_cell(env, list, &head, &list))
        if (!get_field(env, head, a, &r->inputs[r->desc.input_count++]))
            r->problem = "an input is not a binary, a number or open data with a name";
}

static void get_outputs(ErlNifEnv *env, ERL_NIF_TERM list, Arena *a, Request *r)
{
    unsigned     count = 0;
    ERL_NIF_TERM head;
    enif_get_list_length(env, list, &count);
    r->outputs = arena_alloc(a, (count + 1) * sizeof *r->outputs);
    while (r->outputs && enif_get_list_cell(env, list, &head, &list)) {
        weft_execute_input   in = { 0 };
        weft_execute_output *out = &r->outputs[r->desc.output_count++];
        if (!get_field(env, head, a, &in) || in.data)
            r->problem = "an output is not a type with a shape, or open data";
        *out = (weft_execute_output){ .name = in.name, .type = in.type, .rank = in.rank,
                                      .resident = in.resident };
        memcpy(out->shape, in.shape, sizeof out->shape);
        if (!out->name)
            out->name = "";
    }
}

/* [{name, number}] */
static void get_constants(ErlNifEnv *env, ERL_NIF_TERM list, Arena *a, Request *r)
{
    unsigned     count = 0;
    ERL_NIF_TERM head;
    enif_get_list_length(env, list, &count);
    r->constants = arena_alloc(a, (count + 1) * sizeof *r->constants);
    while (r->constants && enif_get_list_cell(env, list, &head, &list)) {
        int                 arity = 0;
        const ERL_NIF_TERM *t;
        weft_constant      *c = &r->constants[r->desc.constant_count++];
        if (!enif_get_tuple(env, head, &arity, &t) || arity != 2
            || !(c->name = get_text(env, t[0], a)) || !enif_get_double(env, t[1], &c->value))
            r->problem = "a constant is not a number with a name";
    }
}

static void get_three(ErlNifEnv *env, ERL_NIF_TERM map, const char *name, uint32_t out[3],
                      Request *r)
{
    int                 arity = 0;
    const ERL_NIF_TERM *t;
    ERL_NIF_TERM        term;
    if (!map_get(env, map, name, &term))
        return;
    bool is_good = enif_get_tuple(env, term, &arity, &t) && arity == 3;
    for (int i = 0; i < 3 && is_good; i++)
        is_good = enif_get_uint(env, t[i], &out[i]);
    if (!is_good)
        r->problem = "workgroups are {x, y, z}, whole numbers of 0 or more";
}

static void get_options(ErlNifEnv *env, ERL_NIF_TERM map, Arena *a, Request *r)
{
    weft_execute_desc *d = &r->desc;
    ERL_NIF_TERM       constants;
    d->entry = map_text(env, map, "entry", a);
    d->device = map_text(env, map, "device", a);
    d->label = map_text(env, map, "label", a);
    d->deadline = map_u64(env, map, "deadline");
    d->time_limit = map_u64(env, map, "time_limit");
    d->memory_limit = map_u64(env, map, "memory_limit");
    d->priority = (int32_t)map_double(env, map, "priority", 0);
    d->no_retry = map_bool(env, map, "no_retry");
    d->optimize = map_bool(env, map, "optimize");
    get_three(env, map, "groups", d->groups, r);
    get_three(env, map, "invocations", d->invocations, r);
    if (map_get(env, map, "constants", &constants))
        get_constants(env, constants, a, r);
}

static ERL_NIF_TERM start(ErlNifEnv *env, weft_pool_context *ctx, ERL_NIF_TERM ref, Request *r)
{
    Pending *p = pending_new(env, ref, &r->desc);
    if (!p)
        return fail(env, WEFT_ERROR_MEMORY, "no memory for an execution");
    r->desc.callback = on_end;
    r->desc.user = p;
    weft_execution *e = weft_execute_async(ctx, &r->desc);
    if (!e)
        pending_free(p);
    return e ? object_new(env, KIND_EXECUTION, e, NULL)
             : fail(env, WEFT_ERROR_MEMORY, "no memory for an execution");
}

/* execute_start(context, ref, wgsl, inputs, outputs, options): {:weft, ref, result} comes */
NIF(execute_start)
{
    (void)argc;
    Arena              a = { 0 };
    Request            r = { 0 };
    weft_pool_context *ctx = object_get(env, argv[0], KIND_POOL_CONTEXT);
    if (!ctx)
        return closed(env);
    if (!(r.desc.wgsl = get_text(env, argv[2], &a)))
        r.problem = "the kernel is not a text without NUL characters";
    get_inputs(env, argv[3], &a, &r);
    get_outputs(env, argv[4], &a, &r);
    get_options(env, argv[5], &a, &r);
    r.desc.inputs = r.inputs;
    r.desc.outputs = r.outputs;
    r.desc.constants = r.constants;
    ERL_NIF_TERM result = r.problem ? fail(env, WEFT_ERROR_INVALID, r.problem)
                                    : start(env, ctx, argv[1], &r);
    for (uint32_t i = 0; i < r.desc.input_count; i++)
        object_put(KIND_DATA, r.inputs[i].resident);
    for (uint32_t i = 0; i < r.desc.output_count; i++)
        object_put(KIND_DATA, r.outputs[i].resident);
    object_put(KIND_POOL_CONTEXT, ctx);
    arena_fini(&a);
    return result;
}

/* execution_cancel(execution) */
NIF(execution_cancel)
{
    (void)argc;
    weft_execution *e = object_get(env, argv[0], KIND_EXECUTION);
    if (!e)
        return closed(env);
    const bool cancelled = weft_execution_cancel(e);
    object_put(KIND_EXECUTION, e);
    return ok(env, boolean(env, cancelled));
}

/* ---- one binary in, one out ---- */

static ERL_NIF_TERM run_array(ErlNifEnv *env, weft_pool_context *ctx,
                              const weft_execute_array_desc *d, size_t element)
{
    weft_execute_report report;
    uint64_t            count = 0;
    ERL_NIF_TERM        term;
    if (!weft_execute_array(NULL, &count, ctx, d, &report))
        return fail_pool(env, &report.error);
    unsigned char *to = enif_make_new_binary(env, (size_t)count * element, &term);
    if (!to || !weft_execute_array(to, &count, ctx, d, &report))
        return fail_pool(env, &report.error);
    return ok(env, term);
}

/* execute_array(context, wgsl, {type, bytes of an element}, binary, options) */
NIF(execute_array)
{
    (void)argc;
    Arena               a = { 0 };
    Request             r = { 0 };
    ErlNifBinary        b;
    unsigned            type = 0, element = 0;
    int                 arity = 0;
    const ERL_NIF_TERM *t;
    weft_pool_context  *ctx = object_get(env, argv[0], KIND_POOL_CONTEXT);
    if (!ctx)
        return closed(env);
    r.desc.wgsl = get_text(env, argv[1], &a);
    get_options(env, argv[4], &a, &r);
    if (!r.desc.wgsl || !enif_get_tuple(env, argv[2], &arity, &t) || arity != 2
        || !enif_get_uint(env, t[0], &type) || !enif_get_uint(env, t[1], &element) || !element
        || !enif_inspect_binary(env, argv[3], &b))
        r.problem = "expected a kernel without NUL characters and a binary";
    else if (b.size % element)
        r.problem = "the binary is not a whole number of elements";
    ERL_NIF_TERM result = r.problem ? fail(env, WEFT_ERROR_INVALID, r.problem)
        : run_array(env, ctx, &(weft_execute_array_desc){
              .wgsl = r.desc.wgsl, .entry = r.desc.entry, .type = (weft_scalar)type,
              .data = b.data, .count = b.size / element, .device = r.desc.device,
              .groups = { r.desc.groups[0], r.desc.groups[1], r.desc.groups[2] },
              .time_limit = r.desc.time_limit, .no_retry = r.desc.no_retry }, element);
    object_put(KIND_POOL_CONTEXT, ctx);
    arena_fini(&a);
    return result;
}
