// SPDX-License-Identifier: Apache-2.0
/*
 * monitor.c - counts and histograms, baselines of kernels, alerts.
 *
 * in     executions that ended, memory that changed, devices that were lost
 * out    snapshots; a running median for each kernel, size and device; alerts
 * knows  that single slow runs mean nothing: an alert needs several, and beyond their usual
 *        distance from the median
 * not    what is done about alerts
 *
 * Everything here is under the lock of the pool, but monitor_tell().
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool/pool_priv.h"

#define BASELINES      4096u            /* a power of two                              */
#define PROBES         8u               /* places that a key may be at                 */
#define BASELINE_LEAST 16u              /* runs before an alert                        */
#define RECENT         COUNTOF(((Baseline *)0)->recent)
#define DEVIATIONS     4.0
#define LEAST_SLOWER   20000.0          /* ns: less is the scheduler of the machine    */
#define REARM          0.05             /* of the limit, before an alert may come again */
#define ERRORS_LEAST   3u               /* failures in the window                      */
#define OUTCOMES_LEAST 20u

bool monitor_init(Monitor *m)
{
    m->baselines = calloc(BASELINES, sizeof *m->baselines);
    return m->baselines != NULL;
}

void monitor_fini(Monitor *m)
{
    free(m->baselines);
}

/* ---- alerts ---- */

static void alert(weft_pool *pool, weft_alert a, const char *subject, const char *message)
{
    pool->monitor.all.alerts++;
    if (a.device < MAX_DEVICES)
        pool->monitor.device[a.device].alerts++;
    AlertNode *n = pool->desc.alert ? calloc(1, sizeof *n) : NULL;
    if (!n)
        return;
    snprintf(n->subject, sizeof n->subject, "%s", subject);
    snprintf(n->message, sizeof n->message, "%s", message);
    n->alert = a;
    n->alert.subject = n->subject;
    n->alert.message = n->message;
    if (pool->alerts_last)
        pool->alerts_last->next = n;
    else
        pool->alerts_first = n;
    pool->alerts_last = n;
}

void monitor_tell(weft_pool *pool, AlertNode *alerts)
{
    while (alerts) {
        AlertNode *next = alerts->next;
        pool->desc.alert(pool->desc.user, &alerts->alert);
        free(alerts);
        alerts = next;
    }
}

void monitor_device(weft_pool *pool, PoolDevice *d, const char *what)
{
    char text[240];
    snprintf(text, sizeof text, "the device '%.80s' %s%s%.100s", d->found.name, what,
             d->state == WEFT_DEVICE_LOST ? ": " : "", d->state == WEFT_DEVICE_LOST ? d->why : "");
    alert(pool, (weft_alert){.kind = WEFT_ALERT_DEVICE, .device = d->index,
                             .value = d->losses, .limit = pool->desc.give_up},
          d->found.name, text);
}

/* ---- memory ---- */

static void check_memory(weft_pool *pool, bool *alerted, uint32_t device, const char *name,
                         uint64_t used, uint64_t budget)
{
    double share = (double)used / (double)budget, limit = pool->desc.alert_memory;
    if (share < limit - REARM)
        *alerted = false;
    if (*alerted || share <= limit)
        return;
    char text[240];
    snprintf(text, sizeof text, "%.80s: %.0f %% of the memory budget of %llu bytes are in use",
             name, 100 * share, (unsigned long long)budget);
    *alerted = true;
    alert(pool, (weft_alert){.kind = WEFT_ALERT_MEMORY, .device = device, .value = share,
                             .limit = limit}, name, text);
}

void monitor_memory(weft_pool *pool, PoolDevice *d)
{
    Monitor *m = &pool->monitor;
    if (d->memory_budget != UINT64_MAX)
        check_memory(pool, &m->memory_alerted[d->index], d->index, d->found.name,
                     d->memory_used, d->memory_budget);
    if (pool->desc.memory_limit)
        check_memory(pool, &m->limit_alerted, UINT32_MAX, "pool", pool->memory_used,
                     pool->desc.memory_limit);
}

/* ---- baselines ---- */

static uint64_t key_hash(uint64_t hash, uint32_t device, uint64_t invocations)
{
    uint64_t h = (hash ^ (uint64_t)device << 56 ^ invocations) * 0xFF51AFD7ED558CCDu;
    return h ^ h >> 32;
}

/* The place of this key; the least recently used of its places if it is new. */
static Baseline *baseline_find(Monitor *m, uint64_t hash, uint32_t device, uint64_t invocations)
{
    uint64_t  at = key_hash(hash, device, invocations);
    Baseline *oldest = NULL;
    for (uint32_t i = 0; i < PROBES; i++) {
        Baseline *b = &m->baselines[(at + i) & (BASELINES - 1)];
        if (b->count && b->hash == hash && b->device == device && b->invocations == invocations)
            return b;
        if (!oldest || (oldest->count && (!b->count || b->last_use < oldest->last_use)))
            oldest = b;
    }
    if (!oldest->count)
        m->baseline_count++;
    *oldest = (Baseline){.hash = hash, .device = device, .invocations = invocations};
    return oldest;
}

static double recent_median(const Baseline *b)
{
    float    sorted[RECENT];
    uint32_t n = b->count_recent;
    memcpy(sorted, b->recent, n * sizeof *sorted);
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0 && sorted[k] < sorted[k - 1]; k--) {
            float swap = sorted[k];
            sorted[k] = sorted[k - 1];
            sorted[k - 1] = swap;
        }
    return n ? sorted[n / 2] : 0;
}

/* Moves toward the value by bounded steps: outliers change little. The first runs set it. */
static void baseline_add(Baseline *b, double ns)
{
    b->recent[b->count % RECENT] = (float)ns;
    b->count++;
    if (b->count_recent < RECENT)
        b->count_recent++;
    if (b->count <= RECENT) {
        b->middle = recent_median(b);
        b->deviation += (fabs(ns - b->middle) - b->deviation) / (double)b->count;
        return;
    }
    double off = ns - b->middle, bound = 2 * b->deviation + 0.02 * b->middle;
    double step = off > bound ? bound : off < -bound ? -bound : off;
    b->middle += step / 32;
    b->deviation += (fmin(fabs(off), 4 * bound) - b->deviation) / 32;
}

static void check_speed(weft_pool *pool, Baseline *b)
{
    double recent = recent_median(b), limit = pool->desc.alert_speed;
    double speed = recent > 0 ? b->middle / recent : 1;
    if (speed > limit + REARM)
        b->alerted = false;
    if (b->alerted || b->count < BASELINE_LEAST || speed >= limit
        || recent < b->middle + DEVIATIONS * b->deviation + LEAST_SLOWER)
        return;
    char text[240];
    snprintf(text, sizeof text, "'%.60s' takes %.3g us on '%.60s', its baseline is %.3g us",
             b->kernel, recent / 1e3, pool->devices[b->device].found.name
             ? pool->devices[b->device].found.name : "", b->middle / 1e3);
    b->alerted = true;
    alert(pool, (weft_alert){.kind = WEFT_ALERT_SPEED, .device = b->device, .value = speed,
                             .limit = limit}, b->kernel, text);
}

double monitor_baseline(weft_pool *pool, uint64_t hash, const char *kernel, uint32_t device,
                        uint64_t invocations, double run_ns)
{
    Baseline *b = baseline_find(&pool->monitor, hash, device, invocations);
    double    before = b->middle;
    if (!b->count)
        snprintf(b->kernel, sizeof b->kernel, "%s", kernel);
    b->last_use = pool->monitor.all.executions;
    /* A slow phase must not become the baseline: it learns little while it lasts. */
    baseline_add(b, run_ns);
    check_speed(pool, b);
    return before;
}

/* ---- errors ---- */

void monitor_outcome(weft_pool *pool, uint32_t d, bool failed)
{
    Monitor *m = &pool->monitor;
    uint32_t at = m->outcome_at[d]++ % ERROR_WINDOW;
    if (m->outcome_count[d] == ERROR_WINDOW)
        m->outcome_failed[d] -= m->outcomes[d][at];
    else
        m->outcome_count[d]++;
    m->outcomes[d][at] = failed;
    m->outcome_failed[d] += failed;
    double share = (double)m->outcome_failed[d] / m->outcome_count[d];
    double limit = pool->desc.alert_errors;
    if (share <= limit / 2)
        m->errors_alerted[d] = false;
    if (m->errors_alerted[d] || share <= limit || m->outcome_failed[d] < ERRORS_LEAST
        || m->outcome_count[d] < OUTCOMES_LEAST)
        return;
    char text[240];
    const char *name = pool->devices[d].found.name ? pool->devices[d].found.name : "";
    snprintf(text, sizeof text, "%u of the last %u executions on '%.80s' failed",
             m->outcome_failed[d], m->outcome_count[d], name);
    m->errors_alerted[d] = true;
    alert(pool, (weft_alert){.kind = WEFT_ALERT_ERRORS, .device = d, .value = share,
                             .limit = limit}, name, text);
}

/* ---- histograms ---- */

static void histogram_add(weft_histogram *h, uint64_t value)
{
    uint32_t bin = 0;
    for (uint64_t v = value; v > 1 && bin + 1 < WEFT_HISTOGRAM_BINS; v >>= 1)
        bin++;
    h->counts[bin]++;
    h->count++;
    h->sum += value;
    if (value > h->max)
        h->max = value;
}

double weft_histogram_quantile(const weft_histogram *h, double share)
{
    uint64_t seen = 0;
    if (!h || !h->count)
        return 0;
    double want = (share < 0 ? 0 : share > 1 ? 1 : share) * (double)h->count;
    for (uint32_t i = 0; i + 1 < WEFT_HISTOGRAM_BINS; i++) {
        seen += h->counts[i];
        if ((double)seen >= want && seen)
            return fmin(ldexp(1, (int)i + 1), (double)h->max);
    }
    return (double)h->max;
}

static void count(weft_pool_snapshot *s, const weft_execution *e)
{
    const weft_execute_report *r = &e->report;
    s->executions++;
    s->failed += r->error.kind && r->error.kind != WEFT_ERROR_CANCELLED;
    s->cancelled += r->error.kind == WEFT_ERROR_CANCELLED;
    s->timed_out += r->error.kind == WEFT_ERROR_TIMEOUT;
    s->stolen += r->stolen;
    s->batched += r->batch > 1;
    s->divided += r->parts > 1;
    s->bytes_uploaded += r->bytes_uploaded;
    s->bytes_read += r->bytes_read;
    if (r->error.kind)
        return;
    histogram_add(&s->queue_ns, r->queue_ns);
    histogram_add(&s->compile_ns, r->compile_ns);
    histogram_add(&s->upload_ns, r->upload_ns);
    histogram_add(&s->run_ns, r->run_ns);
    histogram_add(&s->read_ns, r->read_ns);
    histogram_add(&s->total_ns, r->total_ns);
}

void monitor_ended(weft_pool *pool, weft_execution *e)
{
    uint32_t        d = e->report.device_index;
    weft_error_kind kind = e->report.error.kind;
    if (!e->whole)                      /* parts count on their devices alone */
        count(&pool->monitor.all, e);
    if (d >= pool->device_count)
        return;
    if (e->report.parts <= 1)
        count(&pool->monitor.device[d], e);
    if (kind != WEFT_ERROR_CANCELLED)
        monitor_outcome(pool, d, kind != WEFT_ERROR_NONE);
}

/* ---- the calls ---- */

bool weft_pool_snapshot_get(weft_pool_snapshot *out, const weft_pool *pool, uint32_t device)
{
    weft_pool *p = NULL;
    memcpy(&p, &pool, sizeof p);        /* the lock is not part of what is constant */
    if (!p || !out || (device != UINT32_MAX && device >= p->device_count))
        return false;
    pool_lock(p);
    *out = device == UINT32_MAX ? p->monitor.all : p->monitor.device[device];
    out->contexts = p->context_count;
    out->programs = p->programs.count;
    out->host_memory = p->host_used;
    out->memory = device == UINT32_MAX ? p->memory_used : p->devices[device].memory_used;
    out->memory_peak = device == UINT32_MAX ? p->memory_peak : p->devices[device].memory_peak;
    for (uint32_t i = 0; i < p->device_count; i++) {
        if (device != UINT32_MAX && device != i)
            continue;
        out->waiting += p->devices[i].queued;
        out->running += p->devices[i].busy;
    }
    pool_unlock(p);
    return true;
}

uint32_t weft_pool_baseline_count(const weft_pool *pool)
{
    weft_pool *p = NULL;
    memcpy(&p, &pool, sizeof p);
    if (!p)
        return 0;
    pool_lock(p);
    uint32_t n = p->monitor.baseline_count;
    pool_unlock(p);
    return n;
}

bool weft_pool_baseline_get(weft_baseline *out, const weft_pool *pool, uint32_t index)
{
    weft_pool *p = NULL;
    bool       found = false;
    memcpy(&p, &pool, sizeof p);
    if (!p || !out)
        return false;
    pool_lock(p);
    for (uint32_t i = 0; i < BASELINES && !found; i++) {
        const Baseline *b = &p->monitor.baselines[i];
        if (!b->count || index-- > 0)
            continue;
        *out = (weft_baseline){.device = b->device, .invocations = b->invocations,
                               .count = b->count, .run_ns = b->middle,
                               .deviation_ns = b->deviation, .recent_ns = recent_median(b)};
        snprintf(out->kernel, sizeof out->kernel, "%s", b->kernel);
        snprintf(out->signature, sizeof out->signature, "%016llx", (unsigned long long)b->hash);
        found = true;
    }
    pool_unlock(p);
    return found;
}
