// SPDX-License-Identifier: Apache-2.0
/*
 * pool.c - threads that share the workgroups of a dispatch.
 *
 * in     the parts of a dispatch: boxes of workgroups, each with its kernel
 * out    all their workgroups run, each on one thread
 * knows  threads
 * not    queues, buffers
 *
 * The caller begins alone. Once it knows from its first workgroups, or from the last
 * dispatch, how long they take, it wakes the others if the rest is worth it. All take
 * runs of workgroups from one counter until none are left. Threads without work sleep.
 *
 * Where there are few cores, systems like to put a thread onto that of the one that
 * wakes it, to wait there for milliseconds: the others are kept off the caller's.
 */
#include "gpu/cpu/cpu_priv.h"

#include <stdlib.h>

#include "base/core.h"
#include "base/fork.h"

#define WORTH_WAKING  20000u        /* ns of work that is left                    */
#define SURELY_WORTH  100000u       /* the same, if it was so last time           */
#define RUN_TIME      50000u        /* ns that one run of workgroups should take  */
#define RUNS_A_THREAD 8u            /* at least, so that threads end together     */
#define MOST_UNTIMED  16u           /* workgroups at the start of a dispatch      */
#define UNTIMED_TURNS 3u            /* short dispatches of a kernel one after the
                                       other: the clock takes as long as they do  */
#define WATCH_TIME    30000u        /* ns that a thread without work looks out for the next
                                       dispatch before it sleeps: being woken takes longer */
#define FEW_CORES     8
#define STACK_SIZE    (8u << 20)

typedef struct Worker {
    Pool     *pool;
    pthread_t thread;
    Scratch   scratch;
} Worker;

struct Pool {
    pthread_mutex_t lock;
    pthread_cond_t  work;           /* a job is there, or the end                 */
    pthread_cond_t  idle;           /* a worker has left the job                  */
    PoolJob        *job;            /* NULL: none                                 */
    _Atomic uint64_t number;        /* of the job, so that each joins once        */
    _Atomic uint32_t busy;          /* workers in the job                         */
    uint32_t        asleep;         /* workers that wait to be woken              */
    bool            waits;          /* the caller sleeps until none is busy       */
    bool            ends;
    uint64_t        cores;          /* that workers may use; 0: any               */
    int             kept_off;       /* the one of them that they may not use now  */
    uint32_t        nworkers;
    Worker         *workers;
    Scratch         scratch;        /* of the caller                              */
    uint32_t generation;            /* fork.h                                     */
};

bool scratch_reserve(Scratch *s, uint64_t size)
{
    if (size <= s->size)
        return true;
    size = (size + KERNEL_ALIGN - 1) / KERNEL_ALIGN * KERNEL_ALIGN;
    void *memory = aligned_alloc(KERNEL_ALIGN, size);
    if (!memory)
        return false;
    free(s->memory);
    *s = (Scratch){memory, size};
    return true;
}

void scratch_fini(Scratch *s)
{
    free(s->memory);
    *s = (Scratch){0};
}

/* ---- running ---- */

/* Rows of workgroups that one call of the kernel runs: each column of so many is a unit. */
static uint32_t band_of(const PoolPart *p)
{
    return p->dispatch.band ? p->dispatch.band : 1;
}

/* Small dispatches have no time to divide. */
static uint32_t bands_of(const PoolPart *p)
{
    uint32_t rows = p->box.last[1] - p->box.first[1];
    return p->dispatch.band ? (rows + p->dispatch.band - 1) / p->dispatch.band : rows;
}

static uint64_t units_of(const PoolPart *p)
{
    const ProofBox *b = &p->box;
    return (uint64_t)(b->last[0] - b->first[0]) * bands_of(p) * (b->last[2] - b->first[2]);
}

/* The version of a kernel that is there now. Loaded by hand: a call through an atomic pointer is
 * a plain load in GCC. */
static KernelFn *version_of(const Kernel *k)
{
    return atomic_load_explicit(&k->run, memory_order_acquire);
}

/* Units [first, last) of a part, counted along x, then y, then z. */
static bool run_part(const PoolPart *p, void *memory, uint64_t first, uint64_t last)
{
    const ProofBox *b = &p->box;
    uint32_t wide = b->last[0] - b->first[0], high = bands_of(p);
    while (first < last) {
        uint64_t row = last <= wide ? 0 : first / wide, x = first - row * wide;
        uint64_t end = last - row * wide, layer = row < high ? 0 : row / high;
        uint32_t to = (uint32_t)(end < wide ? end : wide);
        uint32_t y = b->first[1] + (uint32_t)(row - layer * high) * band_of(p);
        uint32_t z = b->first[2] + (uint32_t)layer;
        if (version_of(p->kernel)(&p->dispatch, memory, b->first[0] + (uint32_t)x,
                                  b->first[0] + to, y, z))
            return false;
        first += to - x;
    }
    return true;
}

/* Units [first, last) of all parts, one part after the other. */
static bool run_range(const PoolJob *j, void *memory, uint64_t first, uint64_t last)
{
    uint64_t before = 0;
    for (uint32_t i = 0; i < j->nparts && before < last; i++) {
        uint64_t size = units_of(&j->parts[i]);
        uint64_t from = first > before ? first - before : 0;
        uint64_t to = last - before < size ? last - before : size;
        if (from < to && !run_part(&j->parts[i], memory, from, to))
            return false;
        before += size;
    }
    return true;
}

/* The fast versions of kernels that have run for long enough: later runs have them. */
static void improve_hot(PoolJob *j)
{
    uint64_t at = atomic_load_explicit(&j->hot_at, memory_order_relaxed);
    if (!at || clock_ns() < at)
        return;
    atomic_store_explicit(&j->hot_at, 0, memory_order_relaxed);
    for (uint32_t i = 0; i < j->nparts; i++)
        kernel_improve(j->cache, j->parts[i].kernel);
}

/* Units that this thread has run. */
static uint64_t take_runs(PoolJob *j, Scratch *scratch)
{
    uint64_t done = 0;
    if (!scratch_reserve(scratch, j->memory_size)) {
        atomic_store(&j->failed, true);
        return 0;
    }
    while (!atomic_load_explicit(&j->failed, memory_order_relaxed)) {
        uint64_t first = atomic_fetch_add(&j->next, j->step);
        if (first >= j->total)
            break;
        uint64_t last = first + j->step < j->total ? first + j->step : j->total;
        if (!run_range(j, scratch->memory, first, last))
            atomic_store(&j->failed, true);
        done += last - first;
        improve_hot(j);
    }
    return done;
}

/* Looks for a while whether *value is still `old`. */
#define WATCH(value, old)                                                                    \
    for (uint64_t end = clock_ns() + WATCH_TIME, n = 0; atomic_load(&(value)) == (old); n++) {  \
        core_pause();                                                                        \
        if (n % 64 == 63 && clock_ns() >= end)                                               \
            break;                                                                           \
    }

static void *worker_main(void *argument)
{
    Worker *w = argument;
    Pool *p = w->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (!p->ends && (!p->job || p->number == seen)) {
            p->asleep++;
            pthread_cond_wait(&p->work, &p->lock);
            p->asleep--;
        }
        if (p->ends)
            break;
        PoolJob *job = p->job;
        seen = p->number;
        p->busy++;
        pthread_mutex_unlock(&p->lock);
        take_runs(job, &w->scratch);
        pthread_mutex_lock(&p->lock);
        if (--p->busy == 0 && p->waits)
            pthread_cond_signal(&p->idle);
        pthread_mutex_unlock(&p->lock);
        WATCH(p->number, seen);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* ---- the job ---- */

static void set_alone(PoolJob *job, bool alone)
{
    for (uint32_t i = 0; i < job->nparts; i++) {
        uint32_t *flags = &job->parts[i].dispatch.flags;
        *flags = alone ? *flags | KERNEL_ALONE : *flags & ~KERNEL_ALONE;
    }
}

/* Workers are not where the caller is. */
static void keep_off(Pool *p)
{
    int here = p->cores ? core_now() : -1;
    if (here < 0 || here >= 64 || here == p->kept_off || !(p->cores & ~(1ull << here)))
        return;
    for (uint32_t i = 0; i < p->nworkers; i++)
        core_restrict(p->workers[i].thread, p->cores & ~(1ull << here));
    p->kept_off = here;
}

static uint64_t run_together(Pool *p, PoolJob *job)
{
    set_alone(job, false);
    keep_off(p);
    pthread_mutex_lock(&p->lock);
    p->job = job;
    p->number++;
    if (p->asleep)
        pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    uint64_t done = take_runs(job, &p->scratch);
    pthread_mutex_lock(&p->lock);
    p->job = NULL;                  /* closed to new threads */
    uint32_t busy = p->busy;
    pthread_mutex_unlock(&p->lock);
    if (busy)
        WATCH(p->busy, busy);
    pthread_mutex_lock(&p->lock);
    p->waits = true;
    while (p->busy)
        pthread_cond_wait(&p->idle, &p->lock);
    p->waits = false;
    pthread_mutex_unlock(&p->lock);
    set_alone(job, true);
    return done;
}

/* How many workgroups are run before the clock is read: some that took little last time
 * may take long now. */
static uint64_t first_step(uint64_t pace)
{
    uint64_t quick = pace ? WORTH_WAKING / 4 / pace : 1;
    return quick < 1 ? 1 : quick < MOST_UNTIMED ? quick : MOST_UNTIMED;
}

/* Runs the first workgroups here, until it is known how long they take. */
static uint64_t start_alone(Pool *p, PoolJob *job, Pace *pace)
{
    uint64_t begin = clock_ns(), done = 0, time = 0;
    for (uint64_t step = first_step(pace->each); done < job->total && time < WORTH_WAKING / 4;
         step *= 2) {
        uint64_t last = done + step < job->total ? done + step : job->total;
        if (!run_range(job, p->scratch.memory, done, last)) {
            atomic_store(&job->failed, true);
            break;
        }
        done = last;
        time = clock_ns() - begin;
    }
    atomic_store(&job->next, done);
    pace->each = time / (done ? done : 1) + 1;
    return done;
}

/* The time of what is left for others to share, and by that the size of a run. */
static uint64_t plan_rest(const Pool *p, PoolJob *job, uint64_t done, uint64_t each)
{
    uint64_t left = job->total - done, runs = (uint64_t)(p->nworkers + 1) * RUNS_A_THREAD;
    uint64_t by_time = RUN_TIME / each + 1, by_share = left / runs + 1;
    job->step = by_time < by_share ? by_time : by_share;
    return left > 1 && !atomic_load(&job->failed) ? left * each : 0;
}

static void run_job(Pool *p, PoolJob *job, Pace *pace)
{
    uint64_t done = 0;
    atomic_store_explicit(&job->next, 0, memory_order_relaxed);
    atomic_store_explicit(&job->failed, false, memory_order_relaxed);
    if (!pace->each || plan_rest(p, job, 0, pace->each) < SURELY_WORTH)
        done = start_alone(p, job, pace);
    if (plan_rest(p, job, done, pace->each) <= WORTH_WAKING) {
        take_runs(job, &p->scratch);
        return;
    }
    uint64_t begin = clock_ns(), shared = run_together(p, job);
    pace->each = (clock_ns() - begin) / (shared ? shared : 1) + 1;
}

static bool is_short(const PoolJob *job, Pace *pace)
{
    if (!pace->each || job->total > MOST_UNTIMED || job->total * pace->each > WORTH_WAKING / 4
        || pace->untimed == UNTIMED_TURNS) {
        pace->untimed = 0;
        return false;
    }
    pace->untimed++;
    return true;
}

/* Bands of as many rows as kernels may run at a time, or `single` rows. */
static void set_bands(PoolJob *job, bool single)
{
    job->total = 0;
    for (uint32_t i = 0; i < job->nparts; i++) {
        PoolPart *p = &job->parts[i];
        p->dispatch.band = single ? 0 : p->kernel->band;
        p->dispatch.band_end = p->box.last[1];
        job->total += units_of(p);
    }
}

bool pool_plan(Pool *p, PoolJob *job)
{
    bool bands = false;
    job->memory_size = 0;
    job->step = 1;
    for (uint32_t i = 0; i < job->nparts; i++) {
        const Kernel *k = job->parts[i].kernel;
        job->memory_size = MAX_OF(job->memory_size, k->memory_size);
        bands |= k->band != 0;
    }
    set_bands(job, false);
    if (bands && job->total < (uint64_t)p->nworkers * RUNS_A_THREAD)
        set_bands(job, true);
    set_alone(job, true);
    return scratch_reserve(&p->scratch, job->memory_size);
}

/* The only unit of a job. */
static bool run_only(const PoolPart *p, void *memory)
{
    const uint32_t *at = p->box.first;
    return version_of(p->kernel)(&p->dispatch, memory, at[0], at[0] + 1, at[1], at[2]) == 0;
}

/* A job that cannot be shared, or is too small to share, is not timed. */
bool pool_run(Pool *p, PoolJob *job, Pace *pace)
{
    if (job->total == 1)
        return run_only(&job->parts[0], p->scratch.memory);
    bool timed = atomic_load_explicit(&job->hot_at, memory_order_relaxed) != 0;
    if ((!p->nworkers && !timed) || is_short(job, pace))
        return run_range(job, p->scratch.memory, 0, job->total);
    run_job(p, job, pace);
    return !atomic_load(&job->failed);
}

/* ---- threads ---- */

static bool start_workers(Pool *p, uint32_t wanted)
{
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) != 0)
        return false;
    pthread_attr_setstacksize(&attr, STACK_SIZE);
    for (uint32_t i = 0; i < wanted; i++) {
        p->workers[i].pool = p;
        if (pthread_create(&p->workers[i].thread, &attr, worker_main, &p->workers[i]) != 0)
            break;                  /* fewer threads are slower, not wrong */
        p->nworkers++;
    }
    pthread_attr_destroy(&attr);
    return true;
}

static uint32_t core_count(uint64_t cores)
{
    uint32_t n = 0;
    for (; cores; cores &= cores - 1)
        n++;
    return n;
}

Pool *pool_new(uint32_t threads)
{
    Pool *p = calloc(1, sizeof *p);
    uint32_t wanted = threads > 1 ? threads - 1 : 0;
    if (!p)
        return NULL;
    p->generation = fork_generation();
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->idle, NULL);
    p->kept_off = -1;
    p->cores = core_allowed();
    if (core_count(p->cores) > FEW_CORES)
        p->cores = 0;
    p->workers = calloc(wanted + 1, sizeof *p->workers);
    if (!p->workers || !start_workers(p, wanted)) {
        pool_free(p);
        return NULL;
    }
    return p;
}

static void end_workers(Pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->ends = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (uint32_t i = 0; i < p->nworkers; i++)
        pthread_join(p->workers[i].thread, NULL);
    pthread_cond_destroy(&p->idle);
    pthread_cond_destroy(&p->work);
    pthread_mutex_destroy(&p->lock);
}

void pool_free(Pool *p)
{
    if (!p)
        return;
    if (!fork_is_stale(p->generation))
        end_workers(p);
    for (uint32_t i = 0; i < p->nworkers; i++)
        scratch_fini(&p->workers[i].scratch);
    scratch_fini(&p->scratch);
    free(p->workers);
    free(p);
}

uint32_t pool_threads(const Pool *p)
{
    return p->nworkers + 1;
}
