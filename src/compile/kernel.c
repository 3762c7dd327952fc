// SPDX-License-Identifier: Apache-2.0
/*
 * kernel.c - kernels by what they are made from: in memory, on disk, or made now.
 *
 * in     a module, an entry point, overrides, options
 * out    a Kernel, shared by all who ask for the same
 * knows  keys, reference counts
 * not    how a kernel is made (pipeline.c) or kept in files (disk.c)
 *
 * Two threads that want the same new kernel: one makes it, the other waits.
 */
#include "compile/compile.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/exit.h"
#include "base/fork.h"
#include "compile/disk.h"
#include "compile/loader.h"
#include "syntax/syntax.h"

#define KEEP_UNUSED   128u          /* kernels without a reference                 */
#define ENTRY_NAME    "weft_kernel"
#define IMPROVER_STACK ((size_t)8 << 20)

typedef enum State { STATE_MAKING, STATE_READY, STATE_FAILED } State;

/* What a kernel that assumes less is made from. */
typedef struct Recipe {
    char    *ir;                    /* malloc'ed                                   */
    uint32_t ir_size;
    CompileOptions options;
} Recipe;

typedef struct Entry Entry;
struct Entry {
    Kernel    kernel;               /* first: a Kernel is its Entry                */
    KernelKey key;
    LoadedCode code;
    Recipe    recipe;
    size_t    assume_at;            /* where its key says what it assumes          */
    Entry    *better;               /* the fast version of a quick kernel, with a
                                       reference; or NULL                          */
    Entry    *next_slow;            /* in KernelCache.slow                         */
    bool      improving;            /* asked for                                   */
    State     state;
    uint32_t  refs;
    uint64_t  used;                 /* time of last use                            */
    Entry    *next;
};

struct KernelCache {
    pthread_mutex_t lock;
    pthread_cond_t  made;
    Entry    *entries;
    uint32_t  count;
    uint64_t  clock;
    CacheFolder disk;
    bool      off;
    Machine   machine;              /* that code is made for                       */
    char     *target;               /* what code is made for; malloc'ed            */
    uint32_t  generation;           /* fork.h                                      */
    Entry    *slow;                 /* to improve, with a reference each           */
    bool      improves;             /* a thread does                               */
    bool      ends;
};

/* ---- keys ---- */

typedef struct KeyWriter {
    uint8_t *bytes;
    size_t   size, room;
    bool     failed;
} KeyWriter;

static void key_add(KeyWriter *w, const void *data, size_t size)
{
    if (w->failed || size > SIZE_MAX / 4 - w->size) {
        w->failed = true;
        return;
    }
    if (w->size + size > w->room) {
        size_t room = (w->size + size) * 2;
        uint8_t *grown = realloc(w->bytes, room);
        if (!grown) {
            w->failed = true;
            return;
        }
        w->bytes = grown;
        w->room = room;
    }
    if (size)
        memcpy(w->bytes + w->size, data, size);
    w->size += size;
}

static void key_add_str(KeyWriter *w, Str s)
{
    key_add(w, &s.len, sizeof s.len);
    key_add(w, s.data, s.len);
}

static bool key_make(KernelKey *key, const KernelCache *cache, const CompileJob *job,
                     size_t *assume_at)
{
    KeyWriter w = {0};
    const uint32_t numbers[] = {job->options.assume, job->options.quick, KERNEL_ABI_VERSION,
                                job->options.lanes, job->options.shuffle,
                                job->source.nsettings};
    key_add_str(&w, STR(WEFT_VERSION " " WEFT_COMPILER_ID));
    key_add_str(&w, str_of(cache->target));
    *assume_at = w.size;            /* the first of them; then quick */
    key_add(&w, numbers, sizeof numbers);
    key_add_str(&w, job->source.entry->ident.name->text);
    for (uint32_t i = 0; i < job->source.nsettings; i++) {
        key_add_str(&w, job->source.settings[i].key);
        key_add(&w, &job->source.settings[i].value, sizeof(double));
    }
    key_add_str(&w, job->source.module->source);
    if (w.failed) {
        free(w.bytes);
        return false;
    }
    *key = (KernelKey){w.bytes, w.size, bytes_hash(w.bytes, w.size)};
    return true;
}

static bool key_equal(const KernelKey *x, const KernelKey *y)
{
    return x->hash == y->hash && x->size == y->size &&
           memcmp(x->bytes, y->bytes, x->size) == 0;
}

/* ---- the cache ---- */

#define TARGET_NAME_ROOM ((size_t)64 << 10)     /* most of it the features           */

static char *target_name(const Machine *machine)
{
    Arena arena;
    arena_init(&arena, 0);
    char *name = NULL;
    if (arena_reserve(&arena, TARGET_NAME_ROOM))
        name = strdup(emit_target_name(&arena, &(EmitOptions){.machine = machine}));
    arena_fini(&arena);
    return name;
}

KernelCache *kernel_cache_create(const KernelCacheDesc *desc)
{
    KernelCache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    cache->machine = desc->machine ? *desc->machine : *emit_host();
    cache->target = target_name(&cache->machine);
    if (!cache->target) {
        free(cache);
        return NULL;
    }
    exit_prepare();
    cache->generation = fork_generation();
    pthread_mutex_init(&cache->lock, NULL);
    pthread_cond_init(&cache->made, NULL);
    cache->off = desc->off;
    if (!desc->no_disk && !desc->off)
        folder_init(&cache->disk, desc->folder,
                        desc->disk_limit ? desc->disk_limit : FOLDER_LIMIT);
    return cache;
}

static void entry_free(Entry *entry)
{
    loader_close(&entry->code);
    free(entry->recipe.ir);
    free(entry->kernel.proof.nodes);
    free(entry->kernel.proof.checks);
    free(entry->kernel.bindings);
    free(entry->key.bytes);
    free(entry);
}

/* Waits for the kernel that is being improved; others are not any more. False: its thread was
 * stopped because the program is ending. */
static bool end_improving(KernelCache *cache)
{
    bool stopped = false;
    if (fork_is_stale(cache->generation))
        return true;
    pthread_mutex_lock(&cache->lock);
    cache->ends = true;
    while (cache->improves && !stopped) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        stopped = pthread_cond_timedwait(&cache->made, &cache->lock, &until) == ETIMEDOUT &&
                  exit_is_ending();
    }
    pthread_mutex_unlock(&cache->lock);
    return !stopped;
}

void kernel_cache_release(KernelCache *cache)
{
    if (!cache || !end_improving(cache))
        return;
    while (cache->entries) {
        Entry *next = cache->entries->next;
        entry_free(cache->entries);
        cache->entries = next;
    }
    folder_fini(&cache->disk);
    if (!fork_is_stale(cache->generation)) {
        pthread_cond_destroy(&cache->made);
        pthread_mutex_destroy(&cache->lock);
    }
    free(cache->target);
    free(cache);
}

static void unlink_entry(KernelCache *cache, const Entry *entry)
{
    for (Entry **at = &cache->entries; *at; at = &(*at)->next)
        if (*at == entry) {
            *at = entry->next;
            cache->count--;
            return;
        }
}

/* Lets the kernel go that was not used for longest, if there are too many. */
static void drop_oldest(KernelCache *cache)
{
    Entry *oldest = NULL;
    uint32_t unused = 0;
    for (Entry *x = cache->entries; x; x = x->next) {
        if (x->refs)
            continue;
        unused++;
        if (!oldest || x->used < oldest->used)
            oldest = x;
    }
    if (unused <= KEEP_UNUSED)
        return;
    unlink_entry(cache, oldest);
    if (oldest->better)
        oldest->better->refs--;
    entry_free(oldest);
}

/* ---- making ---- */

static bool entry_load(Entry *entry, CompiledObject *o, const char **why)
{
    if (!loader_open(&entry->code, o->emitted.object, o->emitted.object_size, ENTRY_NAME, why))
        return false;
    entry->kernel = (Kernel){
        .run = (KernelFn *)entry->code.entry,
        .bindings = o->bindings, .nbindings = o->nbindings,
        .lanes = o->emitted.lanes, .memory_size = o->emitted.memory_size,
        .has_barrier = o->has_barrier, .turned = o->turned, .band = o->band,
        .proof = o->proof, .quick = entry->recipe.options.quick,
    };
    memcpy(entry->kernel.workgroup_size, o->workgroup_size, sizeof o->workgroup_size);
    entry->recipe.ir = o->ir;
    entry->recipe.ir_size = o->ir_size;
    o->bindings = NULL;             /* the entry owns them now */
    o->proof = (Proof){0};
    o->ir = NULL;
    return true;
}

static bool entry_make(Entry *entry, KernelCache *cache, const CompileJob *job, Diag *diag)
{
    const char *why = NULL;
    CompiledObject o = {0};
    entry->recipe.options = job->options;
    bool ok = disk_cache_read(&cache->disk, &entry->key, &o) && entry_load(entry, &o, &why);
    bool from_disk = ok;
    uint64_t made_ns = 0;
    if (!ok) {
        uint64_t begin = clock_ns();
        compiled_object_fini(&o);
        if (job->cached || !pipeline_run(&o, job, diag))
            return false;
        made_ns = clock_ns() - begin;
        disk_cache_write(&cache->disk, &entry->key, &o);
        ok = entry_load(entry, &o, &why);
        if (!ok)
            diag_add(diag, DIAG_kernel_too_large, (Span){0},
                     "the compiled kernel cannot be loaded: %s", why);
    }
    compiled_object_fini(&o);
    entry->kernel.from_disk = from_disk;
    entry->kernel.made_ns = made_ns;
    return ok;
}

static Entry *find(KernelCache *cache, const KernelKey *key)
{
    for (Entry *x = cache->entries; x && !cache->off; x = x->next)
        if (x->state != STATE_FAILED && key_equal(&x->key, key))
            return x;
    return NULL;
}

static Entry *entry_new(KernelCache *cache, KernelKey *key)
{
    Entry *entry = calloc(1, sizeof *entry);
    if (!entry)
        return NULL;
    *entry = (Entry){.key = *key, .state = STATE_MAKING, .next = cache->entries};
    *key = (KernelKey){0};          /* the entry owns it now */
    cache->entries = entry;
    cache->count++;
    return entry;
}

/* Under the lock: waits for an entry that another thread makes. */
static bool wait_for(KernelCache *cache, Entry *entry)
{
    entry->refs++;
    while (entry->state == STATE_MAKING)
        pthread_cond_wait(&cache->made, &cache->lock);
    if (entry->state == STATE_READY)
        return true;
    if (--entry->refs == 0)
        entry_free(entry);
    return false;
}

/* Under the lock: makes an entry, without the lock meanwhile. */
static bool make(KernelCache *cache, Entry *entry, const CompileJob *job, Diag *diag)
{
    entry->refs = 1;
    pthread_mutex_unlock(&cache->lock);
    bool ok = entry_make(entry, cache, job, diag);
    pthread_mutex_lock(&cache->lock);
    entry->state = ok ? STATE_READY : STATE_FAILED;
    pthread_cond_broadcast(&cache->made);
    if (ok)
        return true;
    unlink_entry(cache, entry);
    if (--entry->refs == 0)
        entry_free(entry);
    return false;
}

/* The kernel of a key, which it takes over. NULL after a diagnostic, or without memory. */
static Entry *get(KernelCache *cache, KernelKey *key, size_t assume_at, const CompileJob *job,
                  Diag *diag)
{
    Entry *found = NULL;
    bool   ok = false;
    if (fork_is_stale(cache->generation)) {
        diag_add(diag, DIAG_not_compiled, (Span){0}, FORK_MESSAGE);
        return NULL;
    }
    pthread_mutex_lock(&cache->lock);
    while ((found = find(cache, key)) && !ok) {
        ok = wait_for(cache, found);
        if (!ok)
            found = NULL;           /* it failed for the other: try ourselves */
    }
    if (!ok) {
        found = entry_new(cache, key);
        if (found) {
            found->assume_at = assume_at;
            ok = make(cache, found, job, diag);
        }
    }
    if (ok)
        found->used = ++cache->clock;
    pthread_mutex_unlock(&cache->lock);
    return ok ? found : NULL;
}

static const Kernel *got(Entry *found, KernelKey *key, Diag *diag, Span span)
{
    if (!found && !diag->errors)
        diag_add(diag, DIAG_out_of_memory, span, "no memory for a kernel");
    free(key->bytes);
    return found ? &found->kernel : NULL;
}

/* The fast version of a kernel, if it was made before. */
static const Kernel *get_cached(KernelCache *cache, CompileJob job, Diag *diag)
{
    KernelKey key = {0};
    size_t    assume_at = 0;
    job.options.quick = false;
    job.cached = true;
    if (cache->off || !key_make(&key, cache, &job, &assume_at))
        return NULL;
    Entry *found = get(cache, &key, assume_at, &job, diag);
    free(key.bytes);
    return found ? &found->kernel : NULL;
}

const Kernel *kernel_get(KernelCache *cache, const Module *m, const Decl *entry,
                         const OverrideSetting *settings, uint32_t nsettings,
                         const CompileOptions *options, Diag *diag)
{
    KernelKey  key = {0};
    size_t     assume_at = 0;
    CompileJob job = {.source = {m, entry, settings, nsettings}, .options = *options};
    job.options.machine = &cache->machine;
    if (options->quick) {
        const Kernel *fast = get_cached(cache, job, diag);
        if (fast)
            return fast;
    }
    bool       ok = key_make(&key, cache, &job, &assume_at);
    return got(ok ? get(cache, &key, assume_at, &job, diag) : NULL, &key, diag, entry->span);
}

void kernel_release(KernelCache *cache, const Kernel *kernel)
{
    if (!kernel || fork_is_stale(cache->generation))
        return;
    pthread_mutex_lock(&cache->lock);
    for (Entry *x = cache->entries; x; x = x->next)
        if (&x->kernel == kernel) {
            x->refs--;
            break;
        }
    drop_oldest(cache);
    pthread_mutex_unlock(&cache->lock);
}

/* ---- dispatches ---- */

void kernel_groups(uint32_t out[3], const uint32_t groups[3], bool turned)
{
    out[0] = groups[turned ? 1 : 0];
    out[1] = groups[turned ? 0 : 1];
    out[2] = groups[2];
}

/* ---- assumptions ---- */

bool kernel_suits(const Kernel *kernel, const KernelDispatch *dispatch,
                  const KernelShared *shared, ProofBox *box)
{
    ProofBuffer buffers[KERNEL_MAX_SHARED];
    const uint32_t *n = dispatch->num_workgroups;
    *box = (ProofBox){.last = {n[0], n[1], n[2]}};
    if (kernel->proof.nchecks == 0)
        return true;
    if (kernel->nbindings > KERNEL_MAX_SHARED)
        return false;
    for (uint32_t i = 0; i < kernel->nbindings; i++) {
        bool theirs = shared && shared->bits[i / 64] >> i % 64 & 1;
        buffers[i] = (ProofBuffer){theirs ? NULL : dispatch->buffers[i].data,
                                   dispatch->buffers[i].size};
    }
    ProofGiven given = {buffers, {n[0], n[1], n[2]}};
    return proof_find_box(&kernel->proof, &given, box);
}

/* The key that the kernel with other assumptions has. */
static bool key_assuming(KernelKey *out, const Entry *entry, uint32_t assume, uint32_t quick)
{
    uint8_t *bytes = malloc(entry->key.size);
    if (!bytes)
        return false;
    memcpy(bytes, entry->key.bytes, entry->key.size);
    const uint32_t numbers[] = {assume, quick};
    memcpy(bytes + entry->assume_at, numbers, sizeof numbers);
    *out = (KernelKey){bytes, entry->key.size, bytes_hash(bytes, entry->key.size)};
    return true;
}

Assumptions kernel_assumes_less(const Kernel *kernel, bool borders)
{
    if (kernel->proof.usual && !borders)
        return ASSUME_INNER;
    return kernel->proof.inner || kernel->proof.usual ? ASSUME_BOUNDS : ASSUME_NOTHING;
}

const Kernel *kernel_assuming(KernelCache *cache, const Kernel *kernel, Assumptions what,
                              Diag *diag)
{
    const Entry  *entry = (const Entry *)kernel;
    const Recipe *recipe = &entry->recipe;
    KernelKey     key = {0};
    CompileJob    job = {.options = recipe->options, .ir = {recipe->ir, recipe->ir_size}};
    job.options.assume = what;
    bool ok = key_assuming(&key, entry, job.options.assume, job.options.quick);
    return got(ok ? get(cache, &key, entry->assume_at, &job, diag) : NULL, &key, diag,
               (Span){0});
}

/* ---- improving ---- */

#define WORTH_IMPROVING 1000000000u /* ns to compile: of kernels that take longer the fast
                                       version is made by much the same passes     */

/* The fast version has the same IR: all but its code is equal. */
static bool is_like(const Kernel *x, const Kernel *y)
{
    return x->lanes == y->lanes && x->memory_size == y->memory_size && x->band == y->band &&
           x->turned == y->turned && x->nbindings == y->nbindings;
}

static Entry *make_better(KernelCache *cache, const Entry *entry)
{
    Arena     arena;
    KernelKey key = {0};
    CompileJob job = {.options = entry->recipe.options,
                      .ir = {entry->recipe.ir, entry->recipe.ir_size}};
    Entry    *better = NULL;
    job.options.quick = false;
    arena_init(&arena, 0);
    Diag diag = {.arena = &arena};
    if (arena_reserve(&arena, DIAG_ROOM) && key_assuming(&key, entry, job.options.assume, false))
        better = get(cache, &key, entry->assume_at, &job, &diag);
    free(key.bytes);
    arena_fini(&arena);
    return better;
}

/* Under the lock, without it meanwhile. The slow entry's reference goes to its better one. */
static void improve(KernelCache *cache, Entry *entry)
{
    pthread_mutex_unlock(&cache->lock);
    Entry *better = make_better(cache, entry);
    pthread_mutex_lock(&cache->lock);
    if (better && is_like(&better->kernel, &entry->kernel)) {
        entry->better = better;
        atomic_store(&entry->kernel.run, atomic_load(&better->kernel.run));
    } else if (better) {
        better->refs--;
    }
    entry->refs--;
}

static void *improver_main(void *argument)
{
    KernelCache *cache = argument;
    pthread_mutex_lock(&cache->lock);
    while (cache->slow) {
        Entry *entry = cache->slow;
        cache->slow = entry->next_slow;
        if (cache->ends)
            entry->refs--;
        else
            improve(cache, entry);
    }
    cache->improves = false;
    pthread_cond_broadcast(&cache->made);
    pthread_mutex_unlock(&cache->lock);
    return NULL;
}

static bool start_improver(KernelCache *cache)
{
    pthread_t thread;
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, IMPROVER_STACK);
    bool ok = pthread_create(&thread, &attr, improver_main, cache) == 0;
    pthread_attr_destroy(&attr);
    return ok;
}

void kernel_improve(KernelCache *cache, const Kernel *kernel)
{
    if (!kernel->quick || kernel->made_ns > WORTH_IMPROVING || fork_is_stale(cache->generation))
        return;
    pthread_mutex_lock(&cache->lock);
    for (Entry *x = cache->entries; x; x = x->next) {
        if (&x->kernel != kernel || x->improving || !x->recipe.ir || cache->ends)
            continue;
        x->improving = true;
        x->refs++;
        x->next_slow = cache->slow;
        cache->slow = x;
        if (!cache->improves)
            cache->improves = start_improver(cache);
        break;
    }
    pthread_mutex_unlock(&cache->lock);
}
