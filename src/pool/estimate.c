// SPDX-License-Identifier: Apache-2.0
/*
 * estimate.c - what a dispatch costs, and how long a device takes for it.
 *
 * in     the analysis of a kernel (weft/kernel.h), the values of its arguments, a profile
 * out    operations and bytes of the whole dispatch; nanoseconds on the measured roofline
 * knows  that analysis is off by a factor which measured runs reveal
 * not    which device is taken (choose.c)
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pool/layout_priv.h"
#include "pool/pool_priv.h"

#define MOST_NAMES    256u
#define UNKNOWN_VALUE 16.0              /* of a trip count that nothing tells          */
#define HASHED_BYTES  256u              /* of each uniform, for the key of a cost      */
#define LEARN_BOUND   4.6               /* |log| of a factor: 100 times                */

/* ---- values of names ---- */

static double scalar_value(const uint8_t *bytes, weft_scalar type)
{
    uint32_t u;
    int32_t  i;
    float    f;
    switch (type) {
    case WEFT_SCALAR_I32:
        memcpy(&i, bytes, sizeof i);
        return i;
    case WEFT_SCALAR_F32:
        memcpy(&f, bytes, sizeof f);
        return isfinite(f) ? f : UNKNOWN_VALUE;
    case WEFT_SCALAR_U32: case WEFT_SCALAR_BOOL:
        memcpy(&u, bytes, sizeof u);
        return u;
    default: return UNKNOWN_VALUE;
    }
}

static bool value_of(const weft_execution *e, const char *name, double *out)
{
    static const char length[] = "arrayLength(&", groups[] = "num_workgroups.";
    weft_scalar type;
    uint64_t    size;
    if (strncmp(name, length, sizeof length - 1) == 0) {
        char  inner[64];
        int   n = snprintf(inner, sizeof inner, "%s", name + sizeof length - 1);
        char *end = strchr(inner, ')');
        if (n < 0 || !end)
            return false;
        *end = '\0';
        *out = (double)arguments_array_length(e, inner);
        return *out > 0;
    }
    if (strncmp(name, groups, sizeof groups - 1) == 0) {
        char axis = name[sizeof groups - 1];
        *out = axis >= 'x' && axis <= 'z' ? e->groups[axis - 'x'] : 1;
        return true;
    }
    const uint8_t *bytes = arguments_member(e, name, &type, &size);
    if (!bytes)
        return false;
    *out = scalar_value(bytes, type);
    return true;
}

typedef struct Names {
    weft_override_value list[MOST_NAMES];
    uint32_t            count;
} Names;

/* `unknown`: of names that nothing tells the value of. False: there are too many names. */
static bool find_names(Names *n, const weft_execution *e, double unknown)
{
    const char *name;
    n->count = 0;
    while ((name = weft_kernel_name_get(e->program->kernel, n->count)) && n->count < MOST_NAMES) {
        double value = unknown;
        if (!value_of(e, name, &value))
            value = unknown;
        n->list[n->count++] = (weft_override_value){name, value};
    }
    return !name;
}

static double count_value(const weft_execution *e, const weft_kernel_count *c, const Names *n)
{
    double v = weft_kernel_count_value(e->program->kernel, c, n->list, n->count);
    return isfinite(v) && v > 0 ? v : 0;
}

double estimate_extent(const weft_execution *e, uint32_t axis)
{
    const Program *p = e->program;
    Names names;
    if (!p->kernel || !*p->info.extent[axis].text || !find_names(&names, e, NAN))
        return 0;
    return count_value(e, &p->info.extent[axis], &names);   /* NAN gets into what uses it */
}

/* ---- the cost of a dispatch ---- */

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * 0xFF51AFD7ED558CCDu;
    return h ^ h >> 32;
}

/* What the cost depends on: sizes, workgroups, values in small variables. */
static uint64_t cost_key(const weft_execution *e)
{
    uint64_t h = mix(0x9E3779B97F4A7C15u, (uint64_t)e->groups[0] << 32 | e->groups[1]);
    h = mix(h, e->groups[2]);
    for (uint32_t i = 0; i < e->arg_count; i++) {
        const Arg *a = &e->args[i];
        h = mix(h, a->size);
        if (!a->in || a->in_size > HASHED_BYTES)
            continue;
        for (uint64_t k = 0; k < a->in_size; k += 8) {
            uint64_t word = 0;
            memcpy(&word, a->in + k, (size_t)(a->in_size - k < 8 ? a->in_size - k : 8));
            h = mix(h, word);
        }
    }
    return h;
}

static double invocations_of(const weft_execution *e)
{
    double all = 1;
    for (int i = 0; i < 3; i++)
        all *= (double)e->groups[i] * e->program->special.workgroup_size[i];
    return all;
}

static Cost compute_cost(const weft_execution *e)
{
    const Program *p = e->program;
    Cost  c = {.invocations = invocations_of(e)};
    Names names;
    for (uint32_t i = 0; i < e->arg_count; i++)
        c.footprint += (double)e->args[i].size;
    if (!p->kernel) {
        c.traffic = c.footprint;
        c.integers = 16 * c.invocations;
        return c;
    }
    find_names(&names, e, UNKNOWN_VALUE);
    double floats = count_value(e, &p->info.float_operations, &names) * c.invocations;
    c.floats = p->needs_f16 ? 0 : floats;
    c.halves = p->needs_f16 ? floats : 0;
    c.integers = count_value(e, &p->info.integer_operations, &names) * c.invocations;
    c.functions = count_value(e, &p->info.functions, &names) * c.invocations;
    c.traffic = (count_value(e, &p->info.bytes_read, &names)
                 + count_value(e, &p->info.bytes_written, &names)) * c.invocations;
    return c;
}

Cost estimate_cost(weft_execution *e)
{
    Program *p = e->program;
    uint64_t key = cost_key(e);
    if (!p->has_cost || p->cost_key != key) {
        p->cost = compute_cost(e);
        p->cost_key = key;
        p->has_cost = true;
    }
    return p->cost;
}

/* ---- on a device ---- */

static double over(double amount, double rate)
{
    return rate > 0 ? amount / rate * 1e9 : 0;
}

static double memory_time(const Cost *c, const weft_profile *p)
{
    double unique = c->traffic < c->footprint ? c->traffic : c->footprint;
    double cache = p->cache_bandwidth > p->bandwidth ? p->cache_bandwidth : p->bandwidth;
    if (c->footprint <= (double)p->cache_size)
        return over(c->traffic, cache);
    return over(unique, p->bandwidth) + over(c->traffic - unique, cache);
}

static double compute_time(const Cost *c, const weft_profile *p)
{
    double halves = over(c->halves, p->f16_rate > 0 ? p->f16_rate : p->f32_rate);
    double floats = over(c->floats, p->f32_rate) + halves + over(c->functions, p->function_rate);
    double integers = over(c->integers, p->i32_rate);
    return floats > integers ? floats : integers;
}

/* A device on which the program never ran is taken to be off as the others are. */
static double learned_log(const Program *p, uint32_t device)
{
    double   sum = 0;
    uint32_t count = 0;
    if (p->on[device].learned_count)
        return p->on[device].learned;
    for (uint32_t i = 0; i < MAX_DEVICES; i++) {
        if (!p->on[i].learned_count)
            continue;
        sum += p->on[i].learned;
        count++;
    }
    return count ? sum / count : 0;
}

static void transfers(const weft_execution *e, const PoolDevice *d, double *up, double *down)
{
    *up = *down = 0;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        const Arg *a = &e->args[i];
        if (a->data)
            *up += resident_is_on(a->data, d) ? 0 : (double)a->size;
        else if (a->input && (a->output || !lend_is_used(a, d)))
            *up += (double)a->in_size;
        if (a->output && !a->data && !lend_is_used(a, d))
            *down += (double)a->out_size;
    }
}

Estimate estimate_on(const weft_execution *e, const Cost *c, const PoolDevice *d)
{
    const weft_profile *p = &d->profile;
    double   up, down;
    Estimate t = {.launch_ns = p->launch_ns, .queue_ns = d->backlog_ns};
    transfers(e, d, &up, &down);
    t.upload_ns = over(up, p->upload_rate);
    t.read_ns = over(down, p->read_rate);
    t.compute_ns = compute_time(c, p);
    t.memory_ns = memory_time(c, p);
    t.learned = exp(learned_log(e->program, d->index));
    t.run_ns = t.launch_ns + t.learned * (t.compute_ns > t.memory_ns ? t.compute_ns
                                                                     : t.memory_ns);
    t.total_ns = t.queue_ns + t.upload_ns + t.run_ns + t.read_ns;
    return t;
}

void estimate_learn(weft_execution *e, PoolDevice *d, double total_ns)
{
    ProgramDevice *on = &e->program->on[d->index];
    const Estimate *t = &e->estimate;
    double work = t->compute_ns > t->memory_ns ? t->compute_ns : t->memory_ns;
    double rest = t->launch_ns + t->upload_ns + t->read_ns, took = total_ns - rest;
    /* A run that is mostly something else tells little of the work. */
    if (work <= 0 || took <= 0 || (work < rest / 2 && took < 10 * rest))
        return;
    double log_ratio = log(took / work);
    log_ratio = log_ratio > LEARN_BOUND ? LEARN_BOUND : log_ratio < -LEARN_BOUND ? -LEARN_BOUND
                                                                                  : log_ratio;
    /* What disturbs a run makes it longer: shorter ones count for more. */
    double weight = !on->learned_count ? 1 : log_ratio < on->learned ? 0.6 : 0.15;
    on->learned_count++;
    on->learned += weight * (log_ratio - on->learned);
}
