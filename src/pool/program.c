// SPDX-License-Identifier: Apache-2.0
/*
 * program.c - kernels that were seen: checked, reflected on and analysed once, compiled once
 * for each device.
 *
 * in     WGSL, an entry point, constants
 * out    programs, counted; the least recently used leave
 * knows  weft/wgsl.h, weft/kernel.h
 * not    arguments, queues
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/context.h"
#include "pool/pool_priv.h"

#define MAX_WGSL ((size_t)64 << 20)     /* bytes                                       */

/* ---- keys ---- */

static size_t put(char *out, size_t at, const void *data, size_t size)
{
    if (out)
        memcpy(out + at, data, size);
    return at + size;
}

/* Text, entry point and constants as one string of bytes. */
static size_t write_key(char *out, const weft_execute_desc *d)
{
    const char *entry = d->entry ? d->entry : "";
    size_t at = put(out, 0, d->wgsl, strlen(d->wgsl) + 1);
    at = put(out, at, entry, strlen(entry) + 1);
    for (uint32_t i = 0; i < d->constant_count; i++) {
        at = put(out, at, d->constants[i].name, strlen(d->constants[i].name) + 1);
        at = put(out, at, &d->constants[i].value, sizeof d->constants[i].value);
    }
    return at;
}

static uint64_t mix(uint64_t h, const char *bytes, size_t size)
{
    size_t i = 0;
    for (; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        h = (h ^ word) * 0xFF51AFD7ED558CCDu;
        h ^= h >> 32;
    }
    uint64_t word = 0;
    memcpy(&word, bytes + i, size - i);
    h = (h ^ word) * 0xFF51AFD7ED558CCDu;
    return h ^ h >> 29;
}

/* Without writing the key: most calls find their program. */
static uint64_t hash_of(const weft_execute_desc *d)
{
    uint64_t h = mix(0x9E3779B97F4A7C15u, d->wgsl, strlen(d->wgsl));
    if (d->entry)
        h = mix(h, d->entry, strlen(d->entry));
    for (uint32_t i = 0; i < d->constant_count; i++) {
        h = mix(h, d->constants[i].name, strlen(d->constants[i].name));
        h = mix(h, (const char *)&d->constants[i].value, sizeof d->constants[i].value);
    }
    return h;
}

static bool matches(const Program *p, const weft_execute_desc *d)
{
    const char *at = p->key;
    const char *entry = d->entry ? d->entry : "";
    if (p->constant_count != d->constant_count || strcmp(at, d->wgsl) != 0)
        return false;
    at += strlen(at) + 1;
    if (strcmp(at, entry) != 0)
        return false;
    for (uint32_t i = 0; i < d->constant_count; i++)
        if (strcmp(p->constants[i].name, d->constants[i].name) != 0
            || memcmp(&p->constants[i].value, &d->constants[i].value, sizeof(double)) != 0)
            return false;
    return true;
}

/* ---- making ---- */

static void set_constants(Program *p, const weft_execute_desc *d)
{
    char *at = p->key + strlen(p->key) + 1;
    at += strlen(at) + 1;
    for (uint32_t i = 0; i < d->constant_count; i++) {
        p->constants[i] = (weft_constant){at, d->constants[i].value};
        at += strlen(at) + 1 + sizeof(double);
    }
}

static bool check_text(Program *p)
{
    for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(p->module); i++) {
        const weft_diagnostic *e = weft_wgsl_diagnostic_get(p->module, i);
        if (e->severity == WEFT_SEVERITY_ERROR)
            return pool_fail(&p->error, WEFT_ERROR_COMPILE, NULL, "%u:%u: %s", e->place.line,
                             e->place.column, e->message);
    }
    return weft_wgsl_ok(p->module)
        || pool_fail(&p->error, WEFT_ERROR_COMPILE, NULL, "the kernel is not valid");
}

static bool find_entry(Program *p, const char *name)
{
    for (uint32_t i = 0; i < weft_wgsl_entry_point_count(p->module); i++) {
        const weft_entry_point *e = weft_wgsl_entry_point_get(p->module, i);
        if (e->stage != WEFT_STAGE_COMPUTE || (name && strcmp(e->name, name) != 0))
            continue;
        if (p->point)
            return pool_fail(&p->error, WEFT_ERROR_COMPILE, NULL,
                             "there are several compute entry points: name one");
        p->point = e;
    }
    if (!p->point && name)
        return pool_fail(&p->error, WEFT_ERROR_NOT_FOUND, name,
                         "there is no compute entry point '%s'", name);
    return p->point || pool_fail(&p->error, WEFT_ERROR_COMPILE, NULL,
                                 "there is no compute entry point");
}

static bool check_entry(Program *p)
{
    const weft_entry_point *e = p->point;
    if (e->immediate_size)
        return pool_fail(&p->error, WEFT_ERROR_UNSUPPORTED, e->immediate_name,
                         "var<immediate> is not available here: use a uniform");
    if (e->binding_count > MAX_BINDINGS)
        return pool_fail(&p->error, WEFT_ERROR_UNSUPPORTED, NULL,
                         "%u bindings, at most %u are possible", e->binding_count, MAX_BINDINGS);
    for (uint32_t i = 0; i < e->binding_count; i++)
        if (e->bindings[i].kind > WEFT_BINDING_READ_ONLY_STORAGE)
            return pool_fail(&p->error, WEFT_ERROR_UNSUPPORTED, e->bindings[i].name,
                             "'%s' is not a buffer", e->bindings[i].name);
    return true;
}

static bool specialize(Program *p)
{
    char why[400];
    weft_override_value *values = calloc(p->constant_count + 1, sizeof *values);
    if (!values)
        return pool_fail(&p->error, WEFT_ERROR_MEMORY, NULL, "no memory for a kernel");
    for (uint32_t i = 0; i < p->constant_count; i++)
        values[i] = (weft_override_value){p->constants[i].name, p->constants[i].value};
    bool ok = weft_wgsl_specialize(p->module, p->point->name, values, p->constant_count,
                                   &p->special, why, sizeof why);
    if (ok)
        p->kernel = weft_kernel_create(&(weft_kernel_desc){
            .wgsl = p->wgsl, .entry = p->point->name, .constants = values,
            .constant_count = p->constant_count});
    free(values);
    if (p->kernel && weft_kernel_error(p->kernel)) {
        weft_kernel_release(p->kernel);
        p->kernel = NULL;
    }
    if (p->kernel)
        weft_kernel_get_info(&p->info, p->kernel);
    return ok || pool_fail(&p->error, WEFT_ERROR_COMPILE, NULL, "%s", why);
}

/* Whether the text is wrong once an extension is not available. */
static bool needs(const Program *p, const char *extension)
{
    const char *enables[64];
    uint32_t    count = 0;
    if (!strstr(p->wgsl, extension))
        return false;
    for (uint32_t i = 0; weft_wgsl_enable_name(i) && count < COUNTOF(enables) - 1; i++)
        if (strcmp(weft_wgsl_enable_name(i), extension) != 0)
            enables[count++] = weft_wgsl_enable_name(i);
    enables[count] = NULL;
    weft_wgsl *without = weft_wgsl_create(&(weft_wgsl_desc){
        .source = p->wgsl, .enables = enables, .diagnostic_limit = 1});
    bool wrong = without && !weft_wgsl_ok(without);
    weft_wgsl_release(without);
    return wrong;
}

static void understand(Program *p)
{
    const char *entry = p->key + strlen(p->key) + 1;
    p->module = weft_wgsl_create(&(weft_wgsl_desc){.source = p->wgsl});
    if (!p->module) {
        pool_fail(&p->error, WEFT_ERROR_MEMORY, NULL, "no memory for a kernel");
        return;
    }
    if (!check_text(p) || !find_entry(p, *entry ? entry : NULL) || !check_entry(p)
        || !specialize(p))
        return;
    p->entry = p->point->name;
    p->needs_f16 = needs(p, "f16");
    p->needs_f64 = needs(p, "weft_f64");
    p->needs_subgroups = needs(p, "subgroups");
}

static void program_free(Program *p)
{
    for (uint32_t i = 0; i < MAX_DEVICES; i++)
        weft_pipeline_release(p->on[i].pipeline);
    weft_kernel_release(p->kernel);
    weft_wgsl_release(p->module);
    free(p->constants);
    free(p->key);
    free(p);
}

static Program *program_new(const weft_execute_desc *d, uint64_t hash)
{
    Program *p = calloc(1, sizeof *p);
    size_t   size = write_key(NULL, d);
    char    *key = size < MAX_WGSL ? malloc(size) : NULL;
    weft_constant *constants = calloc(d->constant_count + 1, sizeof *constants);
    if (!p || !key || !constants) {
        free(p);
        free(key);
        free(constants);
        return NULL;
    }
    write_key(key, d);
    *p = (Program){.refs = 1, .hash = hash, .key = key, .key_size = size, .wgsl = key,
                   .constants = constants, .constant_count = d->constant_count};
    set_constants(p, d);
    understand(p);
    return p;
}

/* ---- the cache ---- */

static Program **find_in(Programs *all, uint64_t hash, const weft_execute_desc *d)
{
    if (!all->buckets)
        return NULL;
    Program **link = &all->buckets[hash & (all->bucket_count - 1)];
    while (*link && ((*link)->hash != hash || !matches(*link, d)))
        link = &(*link)->next;
    return link;
}

static void unlink_program(Programs *all, Program *p)
{
    Program **link = &all->buckets[p->hash & (all->bucket_count - 1)];
    while (*link != p)
        link = &(*link)->next;
    *link = p->next;
    all->count--;
}

/* The least recently used one that only the cache holds. */
static Program *oldest(Programs *all)
{
    Program *found = NULL;
    for (uint32_t i = 0; i < all->bucket_count; i++)
        for (Program *p = all->buckets[i]; p; p = p->next)
            if (p->refs == 1 && (!found || p->last_use < found->last_use))
                found = p;
    return found;
}

/* Adds a new program, unless another thread was faster. Returns what must be freed. */
static Program *add(weft_pool *pool, Program **p, const weft_execute_desc *d)
{
    Programs *all = &pool->programs;
    if (!all->buckets) {
        all->bucket_count = 256;
        all->buckets = calloc(all->bucket_count, sizeof *all->buckets);
        if (!all->buckets)
            return NULL;                /* it lives without the cache */
    }
    Program **link = find_in(all, (*p)->hash, d), *extra = NULL;
    if (*link) {
        extra = *p;
        *p = *link;
        (*p)->refs++;
        return extra;
    }
    if (all->count >= all->limit && (extra = oldest(all)) != NULL) {
        unlink_program(all, extra);
        link = find_in(all, (*p)->hash, d);
    }
    (*p)->refs++;
    (*p)->next = *link;
    *link = *p;
    all->count++;
    return extra;
}

Program *program_get(weft_pool *pool, const weft_execute_desc *d)
{
    uint64_t hash = hash_of(d);
    pool_lock(pool);
    Program **link = find_in(&pool->programs, hash, d);
    Program  *p = link ? *link : NULL, *extra = NULL;
    if (p) {
        p->refs++;
        p->last_use = ++pool->programs.tick;
    }
    pool_unlock(pool);
    if (p)
        return p;
    p = program_new(d, hash);
    if (!p)
        return NULL;
    pool_lock(pool);
    extra = add(pool, &p, d);
    p->last_use = ++pool->programs.tick;
    pool_unlock(pool);
    if (extra)
        program_free(extra);
    return p;
}

void program_release(weft_pool *pool, Program *p)
{
    if (!p)
        return;
    pool_lock(pool);
    bool last = --p->refs == 0;
    pool_unlock(pool);
    if (last)
        program_free(p);
}

void programs_fini(weft_pool *pool)
{
    Programs *all = &pool->programs;
    for (uint32_t i = 0; i < all->bucket_count; i++) {
        while (all->buckets[i]) {
            Program *p = all->buckets[i];
            all->buckets[i] = p->next;
            BUG_IF(p->refs != 1, "a kernel is still in use");
            program_free(p);
        }
    }
    free(all->buckets);
    *all = (Programs){0};
}

/* ---- use ---- */

Program *program_optimized(weft_pool *pool, Program *p, bool *axes_swapped)
{
    weft_kernel_optimized better;
    *axes_swapped = false;
    if (p->error.kind || !p->kernel || !weft_kernel_optimize(&better, p->kernel)
        || strcmp(better.wgsl, p->wgsl) == 0)
        return p;
    Program *other = program_get(pool, &(weft_execute_desc){
        .wgsl = better.wgsl, .entry = p->entry, .constants = p->constants,
        .constant_count = p->constant_count});
    if (!other || other->error.kind) {
        program_release(pool, other);
        return p;
    }
    *axes_swapped = better.axes_swapped;
    program_release(pool, p);
    return other;
}

weft_pipeline *program_pipeline(Program *p, PoolDevice *d, uint64_t *compile_ns)
{
    ProgramDevice *on = &p->on[d->index];
    *compile_ns = 0;
    if (on->pipeline && on->generation == d->generation)
        return on->pipeline;
    weft_pipeline_release(on->pipeline);
    on->pipeline = NULL;
    uint64_t           start = clock_ns();
    weft_pipeline_desc wish = {.wgsl = p->wgsl, .entry = p->entry, .constants = p->constants,
                               .constant_count = p->constant_count};
    /* Compiled before the dispatch, so that its time is not the run's. */
    if (weft_context_precompile(d->engine, &wish, 1, NULL, NULL))
        on->pipeline = weft_pipeline_create(d->engine, &wish);
    on->generation = d->generation;
    *compile_ns = clock_ns() - start;
    return on->pipeline;
}
