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

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "compile/disk.h"
#include "compile/loader.h"
#include "syntax/syntax.h"

#define KEEP_UNUSED   128u          /* kernels that nobody holds                   */
#define ENTRY_NAME    "weft_kernel"

typedef enum State { STATE_MAKING, STATE_READY, STATE_FAILED } State;

/* What a kernel is made from, kept beyond the module. All malloc'ed. */
typedef struct Recipe {
    char    *source, *entry;
    uint32_t source_len, entry_len;
    OverrideSetting *settings;      /* keys malloc'ed, too                         */
    uint32_t nsettings;
    CompileOptions options;
} Recipe;

typedef struct Entry Entry;
struct Entry {
    Kernel    kernel;               /* first: a Kernel is its Entry                */
    KernelKey key;
    LoadedCode code;
    Recipe    recipe;               /* for making it again without assumptions     */
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
    char     *target;               /* what code is made for; malloc'ed            */
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

static bool key_make(KernelKey *key, const KernelCache *cache, const CompileJob *job)
{
    KeyWriter w = {0};
    const uint32_t numbers[] = {KERNEL_ABI_VERSION, job->options.lanes,
                                job->options.shuffle, job->options.assume,
                                job->options.quick, job->source.nsettings};
    key_add_str(&w, STR(WEFT_VERSION " " WEFT_COMPILER_ID));
    key_add_str(&w, str_of(cache->target));
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

static char *target_name(void)
{
    Arena arena;
    arena_init(&arena, 0);
    char *name = strdup(emit_target_name(&arena, &(EmitOptions){0}));
    arena_fini(&arena);
    return name;
}

KernelCache *kernel_cache_create(const KernelCacheDesc *desc)
{
    KernelCache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    cache->target = target_name();
    if (!cache->target) {
        free(cache);
        return NULL;
    }
    exit_prepare();
    pthread_mutex_init(&cache->lock, NULL);
    pthread_cond_init(&cache->made, NULL);
    cache->off = desc->off;
    if (!desc->no_disk && !desc->off)
        folder_init(&cache->disk, desc->folder,
                        desc->disk_limit ? desc->disk_limit : FOLDER_LIMIT);
    return cache;
}

static void recipe_fini(Recipe *r)
{
    for (uint32_t i = 0; r->settings && i < r->nsettings; i++)
        free((void *)(uintptr_t)r->settings[i].key.data);
    free(r->settings);
    free(r->source);
    free(r->entry);
    *r = (Recipe){0};
}

static char *copy_str(Str s)
{
    char *copy = malloc((size_t)s.len + 1);
    if (copy && s.len)
        memcpy(copy, s.data, s.len);
    return copy;
}

static bool recipe_init(Recipe *r, const CompileJob *job)
{
    Str entry = job->source.entry->ident.name->text;
    *r = (Recipe){.source_len = job->source.module->source.len, .entry_len = entry.len,
                  .nsettings = job->source.nsettings, .options = job->options};
    r->source = copy_str(job->source.module->source);
    r->entry = copy_str(entry);
    r->settings = calloc(job->source.nsettings + 1, sizeof *r->settings);
    bool ok = r->source && r->entry && r->settings;
    for (uint32_t i = 0; ok && i < job->source.nsettings; i++) {
        Str key = job->source.settings[i].key;
        r->settings[i] = (OverrideSetting){{copy_str(key), key.len}, job->source.settings[i].value};
        ok = r->settings[i].key.data != NULL;
    }
    return ok;
}

static void entry_free(Entry *entry)
{
    loader_close(&entry->code);
    recipe_fini(&entry->recipe);
    free(entry->kernel.proof.nodes);
    free(entry->kernel.proof.checks);
    free(entry->kernel.bindings);
    free(entry->key.bytes);
    free(entry);
}

void kernel_cache_release(KernelCache *cache)
{
    if (!cache)
        return;
    while (cache->entries) {
        Entry *next = cache->entries->next;
        entry_free(cache->entries);
        cache->entries = next;
    }
    folder_fini(&cache->disk);
    pthread_cond_destroy(&cache->made);
    pthread_mutex_destroy(&cache->lock);
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
        .proof = o->proof,
    };
    memcpy(entry->kernel.workgroup_size, o->workgroup_size, sizeof o->workgroup_size);
    o->bindings = NULL;             /* the kernel owns them now */
    o->proof = (Proof){0};
    return true;
}

static bool entry_make(Entry *entry, KernelCache *cache, const CompileJob *job, Diag *diag)
{
    const char *why = NULL;
    CompiledObject o = {0};
    if (job->options.assume && !recipe_init(&entry->recipe, job))
        return false;
    bool ok = disk_cache_read(&cache->disk, &entry->key, &o) && entry_load(entry, &o, &why);
    bool from_disk = ok;
    if (!ok) {
        compiled_object_fini(&o);
        if (!pipeline_run(&o, job, diag))
            return false;
        disk_cache_write(&cache->disk, &entry->key, &o);
        ok = entry_load(entry, &o, &why);
        if (!ok)
            diag_add(diag, DIAG_kernel_too_large, job->source.entry->span,
                     "the compiled kernel cannot be loaded: %s", why);
    }
    compiled_object_fini(&o);
    entry->kernel.from_disk = from_disk;
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

const Kernel *kernel_get(KernelCache *cache, const Module *m, const Decl *entry,
                         const OverrideSetting *settings, uint32_t nsettings,
                         const CompileOptions *options, Diag *diag)
{
    KernelKey key = {0};
    CompileJob job = {{m, entry, settings, nsettings}, *options};
    Entry *found = NULL;
    bool ok = false;
    if (!key_make(&key, cache, &job))
        goto done;
    pthread_mutex_lock(&cache->lock);
    while ((found = find(cache, &key)) && !ok) {
        ok = wait_for(cache, found);
        if (!ok)
            found = NULL;           /* it failed for the other: try ourselves */
    }
    if (!ok) {
        found = entry_new(cache, &key);
        if (!found) {
            pthread_mutex_unlock(&cache->lock);
            goto done;
        }
        ok = make(cache, found, &job, diag);
    }
    if (ok)
        found->used = ++cache->clock;
    pthread_mutex_unlock(&cache->lock);
done:
    if (!ok && !diag->errors)
        diag_add(diag, DIAG_out_of_memory, entry->span, "no memory for a kernel");
    free(key.bytes);
    return ok ? &found->kernel : NULL;
}

void kernel_release(KernelCache *cache, const Kernel *kernel)
{
    if (!kernel)
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

#define MAX_BUFFERS 256u

bool kernel_suits(const Kernel *kernel, const KernelDispatch *dispatch, ProofBox *box)
{
    ProofBuffer buffers[MAX_BUFFERS];
    const uint32_t *n = dispatch->num_workgroups;
    *box = (ProofBox){.last = {n[0], n[1], n[2]}};
    if (kernel->proof.nchecks == 0)
        return true;
    if (kernel->nbindings > MAX_BUFFERS)
        return false;
    for (uint32_t i = 0; i < kernel->nbindings; i++)
        buffers[i] = (ProofBuffer){dispatch->buffers[i].data, dispatch->buffers[i].size};
    ProofGiven given = {buffers, {n[0], n[1], n[2]}};
    return proof_find_box(&kernel->proof, &given, box);
}

typedef struct Remake {
    KernelCache  *cache;
    const Recipe *recipe;
    Arena        *arena;
    Diag         *diag;
    Module       *module;
    const Decl   *entry;
} Remake;

static void read_again(void *context)
{
    Remake *r = context;
    Str source = {r->recipe->source, r->recipe->source_len};
    r->module = syntax_parse(r->arena, source, r->diag);
    if (check_module(r->module, &(CheckOptions){0}, r->diag))
        r->entry = module_find_entry_point(r->module,
                                           (Str){r->recipe->entry, r->recipe->entry_len});
}

const Kernel *kernel_assuming_less(KernelCache *cache, const Kernel *kernel, Diag *diag)
{
    Arena arena;
    const Recipe *recipe = &((const Entry *)kernel)->recipe;
    Remake r = {.cache = cache, .recipe = recipe, .arena = &arena, .diag = diag};
    CompileOptions options = recipe->options;
    const Kernel *made = NULL;
    options.assume = kernel->proof.inner ? ASSUME_BOUNDS : ASSUME_NOTHING;
    arena_init(&arena, 0);
    if (arena_try(&arena, read_again, &r) && r.entry)
        made = kernel_get(cache, r.module, r.entry, recipe->settings, recipe->nsettings,
                          &options, diag);
    arena_fini(&arena);
    return made;
}
