// SPDX-License-Identifier: Apache-2.0
/*
 * probe.c - finds the devices of each library, in a process of its own.
 *
 * in     libraries
 * out    the pool's sources and devices with their profiles
 * knows  that a library or driver may crash, hang or be no library at all
 * not    how devices are measured (measure.c)
 *
 * A process sends one record for each adapter: a fixed head and texts behind it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context/library.h"
#include "pool/pool_priv.h"

#define MAX_ADAPTERS  16u               /* of one library                              */
#define MAX_TEXT      300u
#define TEXTS         8u

/* ---- records ---- */

typedef struct Record {
    uint32_t   magic;
    uint32_t   lengths[TEXTS];          /* word, name, vendor, architecture, driver,
                                           description, backend, type                  */
    uint8_t    hardware_gpu, f16, f64, subgroups, foreign, is_error;
    uint64_t   memory;
    WGPULimits limits;
} Record;

#define MAGIC 0x57505244u

/* Where a probe tells what it finds: to its parent, or to the pool at once. */
typedef struct Teller {
    ChildPipe *pipe;                    /* NULL: into `data`                           */
    uint8_t   *data;
    size_t     size, capacity;
} Teller;

static void tell(Teller *t, const void *bytes, size_t size)
{
    if (t->pipe) {
        child_send(t->pipe, bytes, size);
        return;
    }
    if (t->size + size > t->capacity) {
        size_t   capacity = (t->size + size) * 2;
        uint8_t *data = realloc(t->data, capacity);
        if (!data)
            return;
        t->data = data;
        t->capacity = capacity;
    }
    memcpy(t->data + t->size, bytes, size);
    t->size += size;
}

static void tell_record(Teller *t, Record *r, const char *const texts[TEXTS])
{
    r->magic = MAGIC;
    for (uint32_t i = 0; i < TEXTS; i++) {
        size_t length = texts[i] ? strlen(texts[i]) : 0;
        r->lengths[i] = (uint32_t)(length < MAX_TEXT ? length : MAX_TEXT);
    }
    tell(t, r, sizeof *r);
    for (uint32_t i = 0; i < TEXTS; i++)
        tell(t, texts[i] ? texts[i] : "", r->lengths[i]);
}

static void tell_error(Teller *t, const char *why)
{
    const char *texts[TEXTS] = {why};
    Record      r = {.is_error = true};
    tell_record(t, &r, texts);
}

/* ---- adapters of a library ---- */

typedef struct Seen {
    const char *keys[MAX_ADAPTERS];
    uint32_t    count;
} Seen;

static bool has_feature(const WGPUSupportedFeatures *all, WGPUFeatureName feature)
{
    for (size_t i = 0; i < all->featureCount; i++)
        if (all->features[i] == feature)
            return true;
    return false;
}

static void set_features(Record *r, const Library *lib, WGPUAdapter adapter)
{
    WGPUSupportedFeatures all = WGPU_SUPPORTED_FEATURES_INIT;
    lib->procs.AdapterGetFeatures(adapter, &all);
    r->f16 = has_feature(&all, WGPUFeatureName_ShaderF16);
    r->subgroups = has_feature(&all, WGPUFeatureName_Subgroups);
    r->f64 = has_feature(&all, WGPUFeatureName_WeftShaderF64);
    lib->procs.SupportedFeaturesFreeMembers(all);
}

/* Two words may mean the same adapter, except numbers. */
static bool is_new(Seen *seen, Arena *arena, const AdapterInfo *i, const char *word)
{
    bool        numbered = word && word[0] == '#';
    const char *key = arena_printf(arena, "%s|%s|%s|%s|%s", i->backend, i->vendor,
                                   i->architecture, i->device, numbered ? word : "");
    for (uint32_t k = 0; k < seen->count; k++)
        if (strcmp(seen->keys[k], key) == 0)
            return false;
    if (seen->count == MAX_ADAPTERS)
        return false;
    seen->keys[seen->count++] = key;
    return true;
}

/* False: there is no such adapter, and *why says why. */
static bool probe_adapter(Teller *t, const Library *lib, Arena *arena, Seen *seen,
                          const char *word, const char **why)
{
    WGPUAdapter adapter = NULL;
    AdapterInfo info;
    Record      r = {0};
    *why = library_choose_adapter(lib, arena, word, &adapter);
    if (*why)
        return false;
    library_describe(lib, arena, adapter, &info, &r.limits);
    r.limits.nextInChain = NULL;
    if (strcmp(info.backend, "null") != 0 && is_new(seen, arena, &info, word)) {
        const char *texts[TEXTS] = {word, info.device, info.vendor, info.architecture,
                                    info.driver, info.description, info.backend, info.type};
        set_features(&r, lib, adapter);
        r.hardware_gpu = info.hardware_gpu;
        r.memory = info.memory;
        tell_record(t, &r, texts);
    }
    lib->procs.AdapterRelease(adapter);
    return true;
}

/* Tells all adapters of the library at `path`; NULL: Weft's own. */
static void probe_library(Teller *t, const char *path)
{
    Library     lib;
    Arena       arena;
    Seen        seen = {0};
    const char *none = NULL;
    arena_init(&arena, 0);
    const char *why = library_open(&lib, &arena,
                                   &(LibraryDesc){.path = path ? path : "weft"});
    if (why)
        tell_error(t, why);
    else if (lib.has_options)
        for (uint32_t i = 0; i < MAX_ADAPTERS; i++)
            if (!probe_adapter(t, &lib, &arena, &seen, arena_printf(&arena, "#%u", i), &none))
                break;
    if (!why && !lib.has_options) {
        probe_adapter(t, &lib, &arena, &seen, NULL, &none);
        probe_adapter(t, &lib, &arena, &seen, "vulkan", &none);
        probe_adapter(t, &lib, &arena, &seen, "cpu", &none);
    }
    if (!why && !seen.count)
        tell_error(t, none ? none : "the library has no device");
    if (!why)
        library_close(&lib);
    arena_fini(&arena);
}

static void probe_child(ChildPipe *pipe, void *path)
{
    Teller t = {.pipe = pipe};
    probe_library(&t, path);
}

/* ---- what the pool makes of it ---- */

static uint64_t hash_text(uint64_t h, const char *text)
{
    do
        h = (h ^ (uint8_t)*text) * 0x100000001B3u;
    while (*text++);
    return h;
}

static void set_id(DeviceFound *f, uint32_t threads)
{
    const char *parts[] = {f->library ? f->library : "weft", f->backend, f->vendor,
                           f->architecture, f->name, f->driver, f->description};
    uint64_t h = 0xCBF29CE484222325u;
    for (size_t i = 0; i < COUNTOF(parts); i++)
        h = hash_text(h, parts[i]);
    h = (h ^ (strcmp(f->backend, "cpu") == 0 ? threads : 0)) * 0x100000001B3u;
    snprintf(f->id, sizeof f->id, "%016llx", (unsigned long long)h);
}

static bool is_wanted(const weft_pool *pool, const PoolDevice *d)
{
    const char *const *words = pool->desc.adapters;
    if (!words)
        return true;
    for (; *words; words++)
        if (device_matches(d, *words))
            return true;
    return false;
}

static void add_device(weft_pool *pool, Source *s, const Record *r, const char *texts[TEXTS])
{
    if (pool->device_count == MAX_DEVICES)
        return;
    PoolDevice *d = &pool->devices[pool->device_count];
    *d = (PoolDevice){.pool = pool, .index = pool->device_count, .state = WEFT_DEVICE_READY};
    d->found = (DeviceFound){
        .word = *texts[0] ? texts[0] : NULL, .library = s->library, .name = texts[1],
        .vendor = texts[2], .architecture = texts[3], .driver = texts[4],
        .description = texts[5], .backend = texts[6], .type = texts[7],
        .hardware_gpu = r->hardware_gpu, .f16 = r->f16, .f64 = r->f64,
        .subgroups = r->subgroups, .foreign = s->library != NULL, .memory = r->memory,
        .limits = r->limits,
    };
    set_id(&d->found, pool->desc.threads);
    if (!is_wanted(pool, d))
        return;
    pool->device_count++;
    s->devices++;
}

/* Reads records that may be cut off anywhere. */
static void read_records(weft_pool *pool, Source *s, const uint8_t *data, size_t size)
{
    size_t at = 0;
    Record r;
    while (size - at >= sizeof r) {
        const char *texts[TEXTS];
        memcpy(&r, data + at, sizeof r);
        at += sizeof r;
        if (r.magic != MAGIC)
            return;
        for (uint32_t i = 0; i < TEXTS; i++) {
            if (r.lengths[i] > MAX_TEXT || r.lengths[i] > size - at)
                return;
            texts[i] = arena_printf(&pool->arena, "%.*s", (int)r.lengths[i],
                                    (const char *)data + at);
            at += r.lengths[i];
        }
        if (r.is_error)
            s->error = texts[0];
        else
            add_device(pool, s, &r, texts);
    }
}

static const char *child_fault(weft_pool *pool, const Child *c, bool in_time)
{
    if (!in_time)
        return arena_printf(&pool->arena, "it did not answer within %.3g s",
                            (double)pool->desc.probe_timeout / 1e9);
    if (c->signal)
        return arena_printf(&pool->arena, "it crashed while its devices were looked for "
                            "(signal %d)", c->signal);
    return c->status ? "it ended the process that looked for its devices" : NULL;
}

static void list_sources(weft_pool *pool)
{
    const char *const *list = pool->desc.libraries;
    uint32_t count = !pool->desc.no_own;
    for (uint32_t i = 0; list && list[i]; i++)
        count++;
    pool->sources = ARENA_ARRAY(&pool->arena, Source, count + 1);
    if (!pool->desc.no_own)
        pool->sources[pool->source_count++] = (Source){0};
    for (uint32_t i = 0; list && list[i]; i++)
        pool->sources[pool->source_count++] = (Source){.library = list[i]};
}

static void probe_here(weft_pool *pool, Source *s)
{
    Teller t = {0};
    probe_library(&t, s->library);
    read_records(pool, s, t.data, t.size);
    free(t.data);
}

static void *path_argument(const char *path)
{
    void *argument;
    memcpy(&argument, &path, sizeof argument);
    return argument;
}

/* All libraries at a time, each in its process. */
static void probe_in_children(weft_pool *pool)
{
    uint32_t count = pool->source_count;
    Child   *children = ARENA_ARRAY(&pool->arena, Child, count + 1);
    uint64_t timeout = pool->desc.probe_timeout, until = clock_ns() + timeout;
    for (uint32_t i = 0; i < count; i++)
        child_start(&children[i], probe_child, path_argument(pool->sources[i].library),
                    (uint32_t)(timeout / NS_PER_S) + 2);
    for (uint32_t i = 0; i < count; i++) {
        Source     *s = &pool->sources[i];
        Child      *c = &children[i];
        bool        started = c->pipe >= 0;
        bool        in_time = child_finish(c, until);
        const char *fault = started ? child_fault(pool, c, in_time)
                                    : "no process could be started to look for its devices";
        if (!fault)
            read_records(pool, s, c->data, c->size);
        else
            s->error = fault;
        if (!fault && !s->error && !s->devices && !pool->desc.adapters)
            s->error = "it has no device";
        child_fini(c);
    }
}

/* ---- measuring ---- */

typedef struct MeasureJob {
    weft_context_desc open;
    weft_profile      profile;
    uint64_t          timeout;
} MeasureJob;

typedef struct MeasureAnswer {
    weft_profile profile;
    char         why[200];
    bool         ok;
} MeasureAnswer;

/* The CPU device's quick versions of kernels are not what programs run for long. */
static void measure_child(ChildPipe *pipe, void *argument)
{
    MeasureJob   *job = argument;
    MeasureAnswer a = {.profile = job->profile};
    setenv("WEFT_TIERS", "off", 1);
    a.ok = measure_device(&a.profile, &job->open, clock_ns() + job->timeout, a.why,
                          sizeof a.why);
    child_send(pipe, &a, sizeof a);
}

bool probe_measure(const weft_pool *pool, const DeviceFound *f, weft_profile *out, char *why,
                   size_t why_size, bool *crashed)
{
    uint64_t      timeout = pool->desc.benchmark_timeout;
    MeasureJob    job = {.open = engine_desc(pool, f), .profile = profile_guess(f),
                         .timeout = timeout};
    MeasureAnswer a = {.profile = job.profile};
    Child         c;
    *crashed = false;
    if (pool->desc.probe_in_process) {
        a.ok = measure_device(&a.profile, &job.open, clock_ns() + timeout, a.why, sizeof a.why);
    } else if (child_start(&c, measure_child, &job,
                           (uint32_t)((timeout + pool->desc.probe_timeout) / NS_PER_S) + 2)) {
        bool in_time = child_finish(&c, clock_ns() + timeout + pool->desc.probe_timeout);
        if (in_time && c.size == sizeof a)
            memcpy(&a, c.data, sizeof a);
        else
            snprintf(a.why, sizeof a.why, in_time ? "it crashed while it was measured"
                                                  : "it hung while it was measured");
        *crashed = !in_time || c.size != sizeof a;
        child_fini(&c);
    } else {
        snprintf(a.why, sizeof a.why, "no process could be started to measure it");
    }
    a.why[sizeof a.why - 1] = '\0';
    if (a.ok)
        *out = a.profile;
    else
        snprintf(why, why_size, "%s", a.why);
    return a.ok;
}

/* False: the device does not work. */
static bool need_profile(weft_pool *pool, PoolDevice *d, char *why, size_t why_size)
{
    bool crashed;
    if (profile_load(&d->profile, pool, &d->found))
        return true;
    d->profile = profile_guess(&d->found);
    if (pool->desc.benchmark_timeout == WEFT_OFF)
        return true;
    if (probe_measure(pool, &d->found, &d->profile, why, why_size, &crashed)) {
        profile_store(pool, &d->found, &d->profile);
        return true;
    }
    return false;
}

static void leave_out(weft_pool *pool, uint32_t index, const char *why)
{
    PoolDevice *d = &pool->devices[index];
    for (uint32_t i = 0; i < pool->source_count; i++) {
        Source *s = &pool->sources[i];
        if (s->library != d->found.library)
            continue;
        s->error = arena_printf(&pool->arena, "%s%s'%s' is left out: %s",
                                s->error ? s->error : "", s->error ? "; " : "", d->found.name,
                                why);
        s->devices--;
    }
    pool->device_count--;
    for (uint32_t i = index; i < pool->device_count; i++) {
        pool->devices[i] = pool->devices[i + 1];
        pool->devices[i].index = i;
    }
}

void probe_run(weft_pool *pool)
{
    char why[200];
    list_sources(pool);
    if (pool->desc.probe_in_process)
        for (uint32_t i = 0; i < pool->source_count; i++)
            probe_here(pool, &pool->sources[i]);
    else
        probe_in_children(pool);
    for (uint32_t i = 0; i < pool->device_count;) {
        PoolDevice *d = &pool->devices[i];
        if (need_profile(pool, d, why, sizeof why))
            i++;
        else
            leave_out(pool, i, why);
    }
}
