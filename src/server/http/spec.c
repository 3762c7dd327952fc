// SPDX-License-Identifier: Apache-2.0
/*
 * spec.c - the JSON of a job becomes a JobSpec.
 *
 * in     JSON values and parts of a multipart body
 * out    a spec within the limits; or a fault that names the field
 * knows  the fields of POST /v1/jobs, the limits of the configuration
 * not    bindings and types: those only the worker knows
 */
#include <math.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "server/http/http_priv.h"

typedef struct Reader {
    Arena          *arena;
    const Config   *config;
    SpecFault      *fault;
    JobSpec        *spec;
    const BodyPart *parts;
    uint32_t        part_count;
} Reader;

static bool fail(Reader *d, const char *fmt, ...) PRINTF_LIKE(2, 3);
static bool fail(Reader *d, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(d->fault->message, sizeof d->fault->message, fmt, args);
    va_end(args);
    d->fault->status = 400;
    d->fault->kind = WEFT_ERROR_INVALID;
    return false;
}

/* The same for what is too much. */
static bool refuse(Reader *d)
{
    d->fault->status = 403;
    d->fault->kind = WEFT_ERROR_QUOTA;
    return false;
}

bool spec_name_ok(const char *name)
{
    for (const unsigned char *c = (const unsigned char *)name; *c; c++)
        if (*c < ' ' || *c == 0x7f || *c == '"' || *c == '\\' || *c == '/')
            return false;
    return *name && strlen(name) <= WIRE_MAX_NAME
        && utf8_find_invalid(str_of(name), 0) >= strlen(name);
}

/* ---- inputs ---- */

/* Numbers, and the texts by which JSON writes those it has none for. */
static bool number_of(json_t *value, double *out)
{
    const char *text = json_string_value(value);
    if (json_is_number(value))
        *out = json_number_value(value);
    else if (json_is_boolean(value))
        *out = json_is_true(value);
    else if (text && strcmp(text, "NaN") == 0)
        *out = NAN;
    else if (text && strcmp(text, "Infinity") == 0)
        *out = INFINITY;
    else if (text && strcmp(text, "-Infinity") == 0)
        *out = -INFINITY;
    else
        return false;
    return true;
}

static uint64_t count_numbers(json_t *value)
{
    uint64_t n = 0;
    size_t   i;
    json_t  *item;
    if (!json_is_array(value))
        return 1;
    json_array_foreach(value, i, item)
        n += count_numbers(item);
    return n;
}

static bool flatten(json_t *value, double **at)
{
    size_t  i;
    json_t *item;
    if (!json_is_array(value))
        return number_of(value, (*at)++);
    json_array_foreach(value, i, item)
        if (!flatten(item, at))
            return false;
    return true;
}

static WireInput *new_input(Reader *d, const char *name, WireData kind)
{
    if (d->spec->input_count == WIRE_MAX_INPUTS) {
        fail(d, "more than %u inputs", WIRE_MAX_INPUTS);
        return NULL;
    }
    WireInput *in = &d->spec->inputs[d->spec->input_count++];
    *in = (WireInput){.name = name, .kind = kind};
    return in;
}

static bool read_numbers(Reader *d, const char *name, json_t *value)
{
    WireInput *in = new_input(d, name, WIRE_NUMBERS);
    if (!in)
        return false;
    uint64_t count = count_numbers(value);
    double  *numbers = ARENA_ARRAY(d->arena, double, count ? count : 1), *at = numbers;
    if (!flatten(value, &at))
        return fail(d, "inputs.%.100s: an item is not a number", name);
    in->data = (const uint8_t *)numbers;
    in->size = count * sizeof(double);
    return true;
}

static bool read_base64(Reader *d, const char *name, const char *text)
{
    WireInput *in = new_input(d, name, WIRE_BYTES);
    if (!in)
        return false;
    size_t      length = strlen(text), size = 0;
    uint8_t    *bytes = arena_alloc(d->arena, length / 4 * 3 + 4);
    const char *end = NULL;
    if (sodium_base642bin(bytes, length / 4 * 3 + 4, text, length, NULL, &size, &end,
                          sodium_base64_VARIANT_ORIGINAL) != 0 || *end)
        return fail(d, "inputs.%.100s.base64: not base64", name);
    in->data = bytes;
    in->size = size;
    return true;
}

static bool read_buffer_name(Reader *d, const char *name, const char *buffer)
{
    WireInput *in = new_input(d, name, WIRE_BUFFER);
    if (!in)
        return false;
    if (!spec_name_ok(buffer))
        return fail(d, "inputs.%.100s.buffer: not a buffer's name", name);
    in->data = (const uint8_t *)buffer;
    in->size = strlen(buffer);
    return true;
}

static bool read_part(Reader *d, const char *name, const char *part)
{
    WireInput *in = new_input(d, name, WIRE_BYTES);
    for (uint32_t i = 0; in && i < d->part_count; i++)
        if (strcmp(d->parts[i].name, part) == 0) {
            in->data = d->parts[i].data;
            in->size = d->parts[i].size;
            return true;
        }
    return in && fail(d, "inputs.%.100s.part: the body has no part '%.100s'", name, part);
}

/* An object is one of {"base64"}, {"buffer"}, {"part"}, or the members of a struct. */
static bool read_input(Reader *d, const char *name, json_t *value, int depth)
{
    const char *text;
    if (!json_is_object(value))
        return read_numbers(d, name, value);
    if (json_object_size(value) == 1) {
        if ((text = json_string_value(json_object_get(value, "base64"))))
            return read_base64(d, name, text);
        if ((text = json_string_value(json_object_get(value, "buffer"))))
            return read_buffer_name(d, name, text);
        if ((text = json_string_value(json_object_get(value, "part"))))
            return read_part(d, name, text);
    }
    const char *key;
    json_t     *member;
    json_object_foreach(value, key, member) {
        if (!spec_name_ok(key) || depth > 4 || strlen(name) + strlen(key) + 1 > WIRE_MAX_NAME)
            return fail(d, "inputs.%.100s: not a member's name", name);
        if (!read_input(d, arena_printf(d->arena, "%s.%s", name, key), member, depth + 1))
            return false;
    }
    return true;
}

static bool read_inputs(Reader *d, json_t *inputs)
{
    const char *name;
    json_t     *value;
    if (inputs && !json_is_object(inputs))
        return fail(d, "inputs: not an object");
    json_object_foreach(inputs, name, value) {
        if (!spec_name_ok(name) || strchr(name, '.'))
            return fail(d, "inputs: '%.100s' is not a binding's name", name);
        if (!read_input(d, name, value, 0))
            return false;
    }
    return true;
}

/* ---- outputs ---- */

static bool read_shape(Reader *d, WireOutput *o, json_t *shape)
{
    uint64_t count = 1;
    if (!json_is_array(shape) || json_array_size(shape) > WIRE_MAX_DIMS
        || json_array_size(shape) == 0)
        return fail(d, "outputs.%.100s.shape: a list of 1 to %u sizes", o->name, WIRE_MAX_DIMS);
    o->dims = (uint32_t)json_array_size(shape);
    for (uint32_t i = 0; i < o->dims; i++) {
        json_t *item = json_array_get(shape, i);
        json_int_t n = json_integer_value(item);
        if (!json_is_integer(item) || n < 1 || n > ((json_int_t)1 << 40)
            || count > ((uint64_t)1 << 40) / (uint64_t)n)
            return fail(d, "outputs.%.100s.shape: sizes are whole numbers from 1, 2^40 "
                        "elements at most", o->name);
        o->shape[i] = (uint64_t)n;
        count *= (uint64_t)n;
    }
    o->size = count * wire_scalar_size(o->scalar);
    return true;
}

static bool check_keys(Reader *d, json_t *object, const char *within, const char *const *known,
                       size_t count);

/* A field that is there is a text. */
static bool is_text(json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return !value || json_is_string(value);
}

static bool check_output(Reader *d, const char *name, json_t *value)
{
    static const char *const known[] = {"shape", "dtype", "size", "buffer"};
    if (!json_is_object(value))
        return fail(d, "outputs.%.100s: not an object", name);
    const char *within = arena_printf(d->arena, "outputs.%.100s.", name);
    if (!check_keys(d, value, within, known, COUNTOF(known)))
        return false;
    if (!is_text(value, "dtype") || !is_text(value, "buffer"))
        return fail(d, "%s%s: not a text", within, is_text(value, "dtype") ? "buffer" : "dtype");
    if (json_object_get(value, "shape") && json_object_get(value, "size"))
        return fail(d, "outputs.%.100s: a shape or a size, not both", name);
    return true;
}

static bool read_output(Reader *d, const char *name, json_t *value)
{
    if (!check_output(d, name, value))
        return false;
    WireOutput *o = &d->spec->outputs[d->spec->output_count++];
    json_t     *shape = json_object_get(value, "shape"), *size = json_object_get(value, "size");
    const char *dtype = json_string_value(json_object_get(value, "dtype"));
    const char *buffer = json_string_value(json_object_get(value, "buffer"));
    *o = (WireOutput){.name = name, .buffer = buffer ? buffer : ""};
    if (buffer && !spec_name_ok(buffer))
        return fail(d, "outputs.%.100s.buffer: not a buffer's name", name);
    if (dtype && !(o->scalar = wire_scalar_find(dtype)))
        return fail(d, "outputs.%.100s.dtype: '%.20s'; f32, i32, u32, f16 and u8 are known",
                    name, dtype);
    if (shape && !dtype)
        o->scalar = WIRE_F32;
    if (shape)
        return read_shape(d, o, shape);
    json_int_t n = json_integer_value(size);
    if (!json_is_integer(size) || n < 4 || n > ((json_int_t)1 << 40) || n % 4)
        return fail(d, "outputs.%.100s: give a shape, or a size in bytes that is a multiple of "
                    "4", name);
    o->size = (uint64_t)n;
    return true;
}

static bool read_outputs(Reader *d, json_t *outputs)
{
    const char *name;
    json_t     *value;
    if (!json_is_object(outputs) || json_object_size(outputs) == 0)
        return fail(d, "outputs: name at least one, {\"y\": {\"shape\": [3], \"dtype\": "
                    "\"f32\"}}");
    if (json_object_size(outputs) > WIRE_MAX_INPUTS)
        return fail(d, "more than %u outputs", WIRE_MAX_INPUTS);
    json_object_foreach(outputs, name, value) {
        if (!spec_name_ok(name))
            return fail(d, "outputs: '%.100s' is not a binding's name", name);
        if (!read_output(d, name, value))
            return false;
    }
    return true;
}

/* ---- the rest ---- */

/* An object has only fields that are known; `within` is "" or its own field with a dot. */
static bool check_keys(Reader *d, json_t *object, const char *within, const char *const *known,
                       size_t count)
{
    const char *key;
    json_t     *value;
    json_object_foreach(object, key, value) {
        bool found = false;
        for (size_t i = 0; i < count; i++)
            found = found || strcmp(known[i], key) == 0;
        if (!found)
            return fail(d, "unknown field '%s%.100s'", within, key);
    }
    return true;
}

static bool read_groups(Reader *d, json_t *groups)
{
    const char *text = json_string_value(groups);
    if (!groups || (text && strcmp(text, "auto") == 0))
        return true;
    if (!json_is_array(groups) || json_array_size(groups) < 1 || json_array_size(groups) > 3)
        return fail(d, "workgroups: \"auto\", or a list of up to three numbers");
    for (size_t i = 0; i < 3; i++) {
        json_t    *item = json_array_get(groups, i);
        json_int_t n = item ? json_integer_value(item) : 1;
        if ((item && !json_is_integer(item)) || n < 1 || n > UINT32_MAX)
            return fail(d, "workgroups: numbers from 1 on");
        d->spec->groups[i] = (uint32_t)n;
    }
    return true;
}

static bool read_constants(Reader *d, json_t *constants)
{
    const char *name;
    json_t     *value;
    if (constants && (!json_is_object(constants)
                      || json_object_size(constants) > WIRE_MAX_INPUTS))
        return fail(d, "constants: an object with at most %u numbers", WIRE_MAX_INPUTS);
    json_object_foreach(constants, name, value) {
        double number;
        if (!spec_name_ok(name) || !number_of(value, &number))
            return fail(d, "constants.%.100s: not a number", name);
        d->spec->constants[d->spec->constant_count++] = (WireConstant){name, number};
    }
    return true;
}

/* A limit of the request: a number or a text with a unit, never above the default. */
static bool read_limit(Reader *d, json_t *limits, const char *name,
                       bool (*unit)(const char *, uint64_t *), uint64_t scale, uint64_t most,
                       uint64_t *out)
{
    json_t     *value = json_object_get(limits, name);
    const char *text = json_string_value(value);
    uint64_t    n = 0;
    *out = most;
    if (!value)
        return true;
    if (json_is_number(value) && json_number_value(value) > 0
        && json_number_value(value) * (double)scale < 9e18)
        n = (uint64_t)(json_number_value(value) * (double)scale);
    else if (!text || !unit(text, &n))
        return fail(d, "limits.%s: not a number above 0, nor a text with a unit", name);
    if (n > most && d->config->sec_limits) {
        fail(d, "limits.%s: at most %llu", name, (unsigned long long)(most / scale));
        return refuse(d);
    }
    *out = n;
    return true;
}

static bool read_limits(Reader *d, json_t *limits)
{
    static const char *const known[] = {"memory", "operations", "time"};
    const Config            *c = d->config;
    if (limits && !json_is_object(limits))
        return fail(d, "limits: not an object");
    if (!check_keys(d, limits, "limits.", known, COUNTOF(known)))
        return false;
    return read_limit(d, limits, "memory", units_bytes, 1, c->limit_memory,
                      &d->spec->memory_limit)
        && read_limit(d, limits, "operations", units_count, 1, c->limit_ops,
                      &d->spec->ops_limit)
        && read_limit(d, limits, "time", units_time, 1000000000, c->limit_time,
                      &d->spec->time_limit);
}

static bool check_fields(Reader *d, json_t *root)
{
    static const char *const known[] = {
        "wgsl", "entry", "inputs", "outputs", "workgroups", "constants", "limits", "priority",
        "wait", "runner", "clearance", "idempotency_key", "publish", "profile",
    };
    json_t *wait = json_object_get(root, "wait");
    if (!check_keys(d, root, "", known, COUNTOF(known)))
        return false;
    if (wait && !json_is_boolean(wait))
        return fail(d, "wait: true or false");
    return (is_text(root, "clearance") || fail(d, "clearance: not a text"))
        && (is_text(root, "idempotency_key") || fail(d, "idempotency_key: not a text"));
}

static bool read_text(Reader *d, json_t *root, const char *name, size_t limit, const char **out)
{
    json_t *value = json_object_get(root, name);
    *out = "";
    if (!value)
        return true;
    if (!json_is_string(value) || json_string_length(value) > limit
        || strlen(json_string_value(value)) != json_string_length(value))
        return fail(d, "%s: a text of at most %zu bytes", name, limit);
    *out = json_string_value(value);
    return true;
}

bool spec_runner_ok(const char *name)
{
    size_t length = strlen(name);
    bool   ok = length > 0 && length <= 63 && *name != '-' && *name != '_';
    for (const char *c = name; *c; c++)
        ok = ok && ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z')
                    || (*c >= '0' && *c <= '9') || *c == '-' || *c == '_');
    return ok;
}

/* Who runs it: a kind of foreign worker, or ours by their profile. */
static bool read_workers(Reader *d, json_t *root)
{
    JobSpec *spec = d->spec;
    if (!read_text(d, root, "runner", WIRE_MAX_NAME, &spec->runner)
        || !read_text(d, root, "profile", WIRE_MAX_NAME, &spec->profile))
        return false;
    if (*spec->runner && !spec_runner_ok(spec->runner))
        return fail(d, "runner: " SPEC_RUNNER);
    if (strcmp(spec->profile, "kernel") == 0)
        spec->profile = "";
    if (*spec->profile && strcmp(spec->profile, "gpu") != 0)
        return fail(d, "profile: kernel or gpu");
    if (*spec->profile && *spec->runner)
        return fail(d, "profile: is of our own workers; a job with a runner has none");
    return true;
}

/* The bytes that a job will need for its outputs, before anything is allocated for it. */
static bool check_outputs(Reader *d)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < d->spec->output_count; i++) {
        uint64_t size = d->spec->outputs[i].size;
        if (d->config->sec_limits
            && (size > d->spec->memory_limit || sum > d->spec->memory_limit - size)) {
            fail(d, "the outputs need more than the memory limit of %llu bytes",
                 (unsigned long long)d->spec->memory_limit);
            return refuse(d);
        }
        sum += size;
    }
    return true;
}

/* "publish": "vectors" for the only output of f32, or {"vectors": OUTPUT}. */
static bool read_publish(Reader *d, json_t *publish)
{
    const char *text = json_string_value(publish), *found = NULL;
    const char *name = json_string_value(json_object_get(publish, "vectors"));
    uint32_t    count = 0;
    d->spec->publish = "";
    if (!publish)
        return true;
    if (!name && (!text || strcmp(text, "vectors") != 0))
        return fail(d, "publish: \"vectors\", or {\"vectors\": the name of an output}");
    for (uint32_t i = 0; i < d->spec->output_count; i++) {
        const WireOutput *o = &d->spec->outputs[i];
        if (o->scalar != WIRE_F32 || !o->dims || (name && strcmp(name, o->name) != 0))
            continue;
        found = o->name;
        count++;
    }
    if (count != 1)
        return fail(d, "publish: %s", name ? "no output of f32 with a shape has this name"
                    : count ? "several outputs are f32: name one, {\"vectors\": \"y\"}"
                            : "no output is f32 and has a shape");
    d->spec->publish = found;
    return true;
}

bool spec_parse(Arena *arena, const Config *config, bool check, json_t *root,
                const BodyPart *parts, uint32_t part_count, JobSpec *spec, SpecFault *fault)
{
    Reader d = {arena, config, fault, spec, parts, part_count};
    *spec = (JobSpec){.portable = config->int_portable, .publish = ""};
    if (!check_fields(&d, root) || !read_text(&d, root, "wgsl", 16u << 20, &spec->wgsl)
        || !read_text(&d, root, "entry", WIRE_MAX_NAME, &spec->entry)
        || !read_workers(&d, root))
        return false;
    if (check)
        spec->profile = "";             /* kernels are checked on the CPU */
    if (!*spec->wgsl && !*spec->runner)
        return fail(&d, "wgsl: the text of the kernel is missing");
    if (!read_limits(&d, json_object_get(root, "limits")))
        return false;
    if (check)
        return true;
    return read_groups(&d, json_object_get(root, "workgroups"))
        && read_constants(&d, json_object_get(root, "constants"))
        && read_inputs(&d, json_object_get(root, "inputs"))
        && read_outputs(&d, json_object_get(root, "outputs")) && check_outputs(&d)
        && read_publish(&d, json_object_get(root, "publish"));
}

bool spec_read(Request *r, Arena *arena, json_t *root, const BodyPart *parts,
               uint32_t part_count, JobSpec *spec)
{
    SpecFault fault = {.status = 400, .kind = WEFT_ERROR_INVALID};
    if (spec_parse(arena, r->http->config, r->route->handle == api_check, root, parts,
                   part_count, spec, &fault))
        return true;
    answer_error(r, fault.status, fault.kind, "%s", fault.message);
    return false;
}
