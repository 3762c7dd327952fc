// SPDX-License-Identifier: Apache-2.0
/*
 * alerts.c - raises and clears alerts: speed, bandwidth, latency, memory, errors, store.
 *
 * in     figures of finished jobs
 * out    alerts in a list, in metrics and in the log
 * knows  the thresholds of the configuration
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"
#include "server/jobs/jobs_priv.h"

#define MIN_RUNS 8u                     /* of a kernel, before its speed is judged        */

static Alert *alert_find(Jobs *js, const char *name)
{
    for (uint32_t i = 0; i < ALERT_MAX; i++) {
        Alert *a = &js->alerts[i];
        if (!*a->name)
            snprintf(a->name, sizeof a->name, "%s", name);
        if (strcmp(a->name, name) == 0)
            return a;
    }
    return NULL;
}

void alert_set(Jobs *js, const char *name, bool active, const char *detail)
{
    Alert *a = js->config.mon_enabled ? alert_find(js, name) : NULL;
    if (!a || (!active && !a->active))
        return;
    if (active != a->active) {
        a->active = active;
        a->since = jobs_now_ms();
        metrics_add(js->desc.metrics, METRIC_ALERTS, 0, active ? 1 : -1);
        log_event(js->desc.log, active ? LOG_WARN : LOG_INFO,
                  active ? "alert-raised" : "alert-cleared", detail, "weft.alert", name, NULL);
    }
    a->count += active;
    snprintf(a->detail, sizeof a->detail, "%s", detail);
}

/* The runs of a kernel with these workgroups and buffers. */
static Baseline *baseline_get(Jobs *js, const Job *job, const WireDone *d)
{
    uint64_t key = job->wgsl_hash;
    for (int i = 0; i < 3; i++)
        key = (key ^ d->groups[i]) * UINT64_C(1099511628211);
    key = (key ^ d->bytes_moved) * UINT64_C(1099511628211);
    key |= 1;
    Baseline *b = &js->baselines[key / 2 % BASELINES];
    if (b->key != key)
        *b = (Baseline){.key = key};
    return b;
}

static void judge_speed(Jobs *js, const Job *job, const WireDone *d)
{
    Baseline *b = baseline_get(js, job, d);
    double    ns = MAX_OF((double)d->run_ns, 1.0);
    char      detail[256];
    b->runs++;
    b->recent_ns = b->runs == 1 ? ns : b->recent_ns * 0.75 + ns * 0.25;
    b->best_ns = b->runs == 1 ? ns : MIN_OF(b->best_ns, ns);
    /* Below 0.1 ms the clock and the scheduler decide, not the kernel. */
    if (b->runs < MIN_RUNS || b->best_ns < 1e5)
        return;
    double ratio = b->best_ns / b->recent_ns;
    snprintf(detail, sizeof detail, "a kernel runs at %.2f of its baseline of %.3f ms", ratio,
             b->best_ns * 1e-6);
    alert_set(js, "performance_ratio", ratio < js->config.perf_ratio, detail);
    alert_set(js, "performance_degradation",
              b->recent_ns / b->best_ns - 1 > js->config.alert_degradation, detail);
}

static void judge_bandwidth(Jobs *js, const Job *job, const WireDone *d)
{
    PoolFigures f = pool_figures(job_pool(js, job));
    char        detail[256];
    /* Memory-bound: the bytes alone would take longer than the operations. Few bytes say nothing
     * of the bandwidth, however long their job waited for a processor. */
    if (f.bandwidth <= 0 || d->run_ns < 1000000
        || (double)d->bytes_moved / f.bandwidth < 1e-4
        || (double)d->bytes_moved / f.bandwidth < (double)d->ops / f.arithmetic)
        return;
    double reached = (double)d->bytes_moved / ((double)d->run_ns * 1e-9) / f.bandwidth;
    snprintf(detail, sizeof detail, "a memory-bound kernel reaches %.2f of the profiled "
             "bandwidth", reached);
    alert_set(js, "memory_bandwidth", reached < js->config.perf_bandwidth, detail);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void judge_latency(Jobs *js, uint64_t overhead_ns)
{
    uint32_t room = COUNTOF(js->recent_overhead);
    js->recent_overhead[js->overhead_at++ % room] = overhead_ns;
    if (js->overhead_at % room)
        return;
    uint64_t sorted[COUNTOF(js->recent_overhead)];
    memcpy(sorted, js->recent_overhead, sizeof sorted);
    qsort(sorted, room, sizeof *sorted, compare);
    uint64_t p99 = sorted[room * 99 / 100];
    char     detail[256];
    snprintf(detail, sizeof detail, "p99 outside the kernel is %.3f ms", (double)p99 * 1e-6);
    alert_set(js, "latency_overhead", p99 > js->config.perf_latency, detail);
}

void alerts_job(Jobs *js, const Job *job, const WireDone *done, uint64_t overhead_ns)
{
    if (js->config.mon_baseline)
        judge_speed(js, job, done);
    judge_bandwidth(js, job, done);
    judge_latency(js, overhead_ns);
}

void alerts_outcome(Jobs *js, bool failed)
{
    char detail[256];
    js->recent_jobs++;
    js->recent_failures += failed;
    if (js->recent_jobs < 20)
        return;
    double rate = (double)js->recent_failures / (double)js->recent_jobs;
    snprintf(detail, sizeof detail, "%.1f %% of the last %llu jobs failed", rate * 100,
             (unsigned long long)js->recent_jobs);
    alert_set(js, "error_rate", rate > js->config.alert_errors, detail);
    if (js->recent_jobs >= 1000)
        js->recent_jobs = js->recent_failures = 0;
}

/* Cluster of the machine's memory that is in use; -1: unknown. */
static double memory_in_use(void)
{
    FILE  *file = fopen("/proc/meminfo", "re");
    char   line[128];
    double total = 0, available = -1;
    while (file && fgets(line, sizeof line, file)) {
        sscanf(line, "MemTotal: %lf", &total);
        sscanf(line, "MemAvailable: %lf", &available);
    }
    if (file)
        fclose(file);
    return total > 0 && available >= 0 ? 1 - available / total : -1;
}

void alerts_tick(Jobs *js)
{
    char   detail[256];
    double share = memory_in_use();
    if (share < 0)
        return;
    snprintf(detail, sizeof detail, "%.0f %% of the machine's memory is in use", share * 100);
    alert_set(js, "memory_usage", share > js->config.alert_memory, detail);
}

uint32_t jobs_alerts(Jobs *js, Alert *out, uint32_t room)
{
    uint32_t n = 0;
    pthread_mutex_lock(&js->lock);
    for (uint32_t i = 0; i < ALERT_MAX && n < room; i++)
        if (*js->alerts[i].name && js->alerts[i].count)
            out[n++] = js->alerts[i];
    pthread_mutex_unlock(&js->lock);
    return n;
}
