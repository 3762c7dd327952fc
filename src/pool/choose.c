// SPDX-License-Identifier: Apache-2.0
/*
 * choose.c - which devices can run an execution, which of them does, and why.
 *
 * in     an execution, the devices with their profiles, queues and memory
 * out    a device, a ranking, sentences
 * knows  features, limits, memory, policies
 * not    how long anything takes (estimate.c)
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "pool/pool_priv.h"

/* ---- names ---- */

static const char *const policy_names[WEFT_POLICY_COUNT] = {
#define X(policy, name, which) [WEFT_POLICY_##policy] = name,
    WEFT_POLICIES(X)
#undef X
};

const char *weft_policy_name(weft_policy policy)
{
    return (uint32_t)policy < WEFT_POLICY_COUNT ? policy_names[policy] : NULL;
}

weft_policy weft_policy_find(const char *name)
{
    for (uint32_t i = 1; name && i < WEFT_POLICY_COUNT; i++)
        if (strcmp(policy_names[i], name) == 0)
            return (weft_policy)i;
    return WEFT_POLICY_DEFAULT;
}

static bool contains(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++)
        if (strncasecmp(text, part, length) == 0)
            return true;
    return false;
}

bool device_matches(const PoolDevice *d, const char *word)
{
    const DeviceFound *f = &d->found;
    char number[16];
    snprintf(number, sizeof number, "#%u", d->index);
    if (!word || !*word)
        return false;
    if (word[0] == '#')
        return strcmp(word, number) == 0;
    if (strcmp(word, "gpu") == 0)
        return f->hardware_gpu;
    return strcmp(word, f->id) == 0 || strcasecmp(word, f->backend) == 0
        || contains(f->name, word);
}

/* ---- what fits ---- */

static const char *say(char *text, size_t size, const char *fmt, ...) PRINTF_LIKE(3, 4);

static const char *say(char *text, size_t size, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, size, fmt, args);
    va_end(args);
    return text;
}

static const char *feature_fault(const weft_execution *e, const DeviceFound *f)
{
    const Program *p = e->program;
    if (p->needs_f16 && !f->f16)
        return "it has no f16";
    if (p->needs_f64 && !f->f64)
        return "it has no 64-bit floats";
    if (p->needs_subgroups && !f->subgroups)
        return "it has no subgroups";
    return NULL;
}

static const char *workgroup_fault(const weft_execution *e, const WGPULimits *l, char *text,
                                   size_t size)
{
    const uint32_t *w = e->program->special.workgroup_size;
    const uint32_t  most[3] = {l->maxComputeWorkgroupSizeX, l->maxComputeWorkgroupSizeY,
                               l->maxComputeWorkgroupSizeZ};
    uint64_t all = (uint64_t)w[0] * w[1] * w[2];
    for (int i = 0; i < 3; i++) {
        if (w[i] > most[i])
            return say(text, size, "workgroups are %u wide in %c, its limit is %u", w[i],
                       "xyz"[i], most[i]);
        if (e->groups[i] > l->maxComputeWorkgroupsPerDimension)
            return say(text, size, "%u workgroups in %c are above its limit of %u", e->groups[i],
                       "xyz"[i], l->maxComputeWorkgroupsPerDimension);
    }
    if (all > l->maxComputeInvocationsPerWorkgroup)
        return say(text, size, "workgroups have %llu invocations, its limit is %u",
                   (unsigned long long)all, l->maxComputeInvocationsPerWorkgroup);
    if (e->program->special.workgroup_memory > l->maxComputeWorkgroupStorageSize)
        return say(text, size, "%llu bytes of workgroup memory are above its limit of %u",
                   (unsigned long long)e->program->special.workgroup_memory,
                   l->maxComputeWorkgroupStorageSize);
    return NULL;
}

static const char *binding_fault(const weft_execution *e, const WGPULimits *l, char *text,
                                 size_t size)
{
    const weft_entry_point *p = e->program->point;
    uint32_t storage = 0, uniform = 0;
    for (uint32_t i = 0; i < e->arg_count; i++) {
        bool     is_uniform = p->bindings[i].kind == WEFT_BINDING_UNIFORM;
        uint64_t most = is_uniform ? l->maxUniformBufferBindingSize
                                   : l->maxStorageBufferBindingSize;
        most = most < l->maxBufferSize ? most : l->maxBufferSize;
        if (e->args[i].size > most)
            return say(text, size, "'%.40s' has %llu bytes, its limit is %llu",
                       p->bindings[i].name, (unsigned long long)e->args[i].size,
                       (unsigned long long)most);
        if (p->bindings[i].group >= l->maxBindGroups)
            return say(text, size, "'%.40s' is in group %u, it has %u", p->bindings[i].name,
                       p->bindings[i].group, l->maxBindGroups);
        storage += !is_uniform;
        uniform += is_uniform;
    }
    if (storage > l->maxStorageBuffersPerShaderStage
        || uniform > l->maxUniformBuffersPerShaderStage)
        return say(text, size, "the kernel has %u storage and %u uniform buffers, its limits are "
                   "%u and %u", storage, uniform, l->maxStorageBuffersPerShaderStage,
                   l->maxUniformBuffersPerShaderStage);
    return NULL;
}

static uint64_t memory_needed(const weft_execution *e)
{
    uint64_t all = e->memory;
    for (uint32_t i = 0; i < e->arg_count; i++)
        if (e->args[i].data)
            all += e->args[i].data->capacity;
    return all;
}

static const char *data_fault(const weft_execution *e, const PoolDevice *d, char *text,
                              size_t size)
{
    for (uint32_t i = 0; i < e->arg_count; i++) {
        PoolDevice *only = e->args[i].data ? resident_only_on(e->args[i].data) : NULL;
        if (only && only != d)
            return say(text, size, "'%.40s' is only on the device '%.60s'",
                       e->program->point->bindings[i].name, only->found.name);
    }
    return NULL;
}

const char *choose_fault(const weft_execution *e, const PoolDevice *d, char *text, size_t size)
{
    const char *why = NULL;
    if (e->policy == WEFT_POLICY_DEVICE && !device_matches(d, e->word))
        return say(text, size, "the policy asks for '%.60s'", e->word);
    if (d->state == WEFT_DEVICE_GIVEN_UP)
        return say(text, size, "it is not used any more: %.140s", d->why);
    if ((why = feature_fault(e, &d->found)) != NULL
        || (why = workgroup_fault(e, &d->found.limits, text, size)) != NULL
        || (why = binding_fault(e, &d->found.limits, text, size)) != NULL)
        return why;
    if (memory_needed(e) > d->memory_budget)
        return say(text, size, "it needs %llu bytes, the budget of the device is %llu",
                   (unsigned long long)memory_needed(e), (unsigned long long)d->memory_budget);
    return data_fault(e, d, text, size);
}

/* ---- the order ---- */

/* Smaller is better. */
static double score(const weft_execution *e, const PoolDevice *d, const Estimate *t)
{
    weft_pool *pool = e->pool;
    switch (e->policy) {
    case WEFT_POLICY_PERFORMANCE:
        return t->upload_ns + t->run_ns + t->read_ns;
    case WEFT_POLICY_POWER:
        return (strcmp(d->found.type, "CPU") == 0 ? 0
                : strcmp(d->found.type, "integrated GPU") == 0 ? 1 : 2) * 1e18 + t->total_ns;
    case WEFT_POLICY_MEMORY:
        return -(double)(d->memory_budget - (d->memory_used < d->memory_budget
                                             ? d->memory_used : d->memory_budget));
    case WEFT_POLICY_ROUND_ROBIN:
        return (double)((d->index + MAX_DEVICES - pool->next_round % MAX_DEVICES) % MAX_DEVICES);
    default:
        return t->total_ns;
    }
}

/* A lost device is waited for only if there is no other. */
static double lost_penalty(const PoolDevice *d, uint64_t now)
{
    return d->state == WEFT_DEVICE_LOST && d->retry_at > now
         ? 1e17 + (double)(d->retry_at - now) : 0;
}

static bool fail_none(weft_execution *e)
{
    weft_pool *pool = e->pool;
    char       why[200], all[360] = "";
    size_t     used = 0;
    if (!pool->device_count)
        return exe_fail(e, WEFT_ERROR_UNSUPPORTED, NULL, "%s: the pool has no device%s%s",
                         e->label, pool->source_count && pool->sources[0].error ? ": " : "",
                         pool->source_count && pool->sources[0].error ? pool->sources[0].error
                                                                       : "");
    weft_error_kind kind = WEFT_ERROR_UNSUPPORTED;
    for (uint32_t i = 0; i < pool->device_count && used + 40 < sizeof all; i++) {
        const PoolDevice *d = &pool->devices[i];
        const char *fault = choose_fault(e, d, why, sizeof why);
        if (fault && memory_needed(e) > d->memory_budget)
            kind = WEFT_ERROR_MEMORY;
        if (fault && d->state == WEFT_DEVICE_GIVEN_UP && pool->device_count == 1)
            kind = WEFT_ERROR_DEVICE_LOST;
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%.40s: %.120s",
                                 used ? "; " : "", d->found.name, fault ? fault : "?");
    }
    return exe_fail(e, kind, NULL, "%s: no device can run this: %s", e->label, all);
}

void choose_next_turn(weft_execution *e)
{
    if (e->policy == WEFT_POLICY_ROUND_ROBIN)
        e->pool->next_round = e->device->index + 1;
}

PoolDevice *choose_device(weft_execution *e, uint64_t now)
{
    weft_pool  *pool = e->pool;
    PoolDevice *best = NULL;
    double      least = INFINITY;
    Cost        cost = e->program ? estimate_cost(e) : (Cost){0};
    char        why[200];
    for (uint32_t i = 0; i < pool->device_count; i++) {
        PoolDevice *d = &pool->devices[i];
        if (choose_fault(e, d, why, sizeof why))
            continue;
        Estimate t = estimate_on(e, &cost, d);
        double   s = score(e, d, &t) + lost_penalty(d, now);
        if (s < least) {
            least = s;
            best = d;
            e->estimate = t;
        }
    }
    if (!best)
        fail_none(e);
    e->report.expected_ns = best ? e->estimate.total_ns - e->estimate.queue_ns : 0;
    return best;
}

/* ---- in words ---- */

static void decide(weft_pool_choice *c, const Estimate *t)
{
    double work = t->learned * fmax(t->compute_ns, t->memory_ns);
    const char *what = t->compute_ns > t->memory_ns ? "arithmetic" : "memory bandwidth";
    double most = work;
    if (t->launch_ns > most) {
        most = t->launch_ns;
        what = "the launch";
    }
    if (t->upload_ns > most) {
        most = t->upload_ns;
        what = "uploading the inputs";
    }
    if (t->read_ns > most) {
        most = t->read_ns;
        what = "reading the outputs";
    }
    if (t->queue_ns > most)
        what = "its queue";
    snprintf(c->reason, sizeof c->reason, "%s decides", what);
}

typedef struct Ranked {
    weft_pool_choice choice;
    double           score;
} Ranked;

static int by_score(const void *x, const void *y)
{
    const Ranked *a = x, *b = y;
    if (a->score != b->score)
        return a->score < b->score ? -1 : 1;
    return a->choice.device < b->choice.device ? -1 : 1;
}

uint32_t choose_rank(weft_execution *e, weft_pool_choice *out, uint32_t max)
{
    weft_pool *pool = e->pool;
    Ranked     all[MAX_DEVICES];
    Cost       cost = estimate_cost(e);
    uint64_t   now = clock_ns();
    for (uint32_t i = 0; i < pool->device_count; i++) {
        const PoolDevice *d = &pool->devices[i];
        Estimate    t = estimate_on(e, &cost, d);
        char        text[200];
        const char *why = choose_fault(e, d, text, sizeof text);
        all[i] = (Ranked){
            .choice = {.device = i, .fits = !why, .queue_ns = t.queue_ns,
                       .upload_ns = t.upload_ns, .compute_ns = t.compute_ns,
                       .memory_ns = t.memory_ns, .launch_ns = t.launch_ns,
                       .read_ns = t.read_ns, .total_ns = t.total_ns, .learned = t.learned},
            .score = why ? INFINITY : score(e, d, &t) + lost_penalty(d, now)};
        if (why)
            snprintf(all[i].choice.reason, sizeof all[i].choice.reason, "%s", why);
        else
            decide(&all[i].choice, &t);
    }
    qsort(all, pool->device_count, sizeof *all, by_score);
    uint32_t count = pool->device_count < max ? pool->device_count : max;
    for (uint32_t i = 0; i < count; i++)
        out[i] = all[i].choice;
    return count;
}
