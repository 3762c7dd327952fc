// SPDX-License-Identifier: Apache-2.0
/*
 * metrics.h - counters, gauges and histograms of the server; its log.
 *
 * in     events, from any thread
 * out    the text that Prometheus scrapes; JSON lines in the Elastic Common Schema
 * knows  metrics.def
 * not    where events come from
 */
#ifndef WEFT_SERVER_METRICS_H
#define WEFT_SERVER_METRICS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

typedef enum Metric {
#define METRIC(kind, id, name, label, values, meaning) METRIC_##id,
#include "server/metrics/metrics.def"
#undef METRIC
    METRIC_COUNT
} Metric;

#define METRICS_LABELS  8u
#define METRICS_BUCKETS 20u             /* without +Inf                                   */

typedef struct MetricCell {
    _Atomic int64_t value[METRICS_LABELS];              /* nanoseconds for *_TIME counters */
    _Atomic uint64_t bucket[METRICS_BUCKETS + 1];       /* histograms                     */
    _Atomic uint64_t sum_ns;
} MetricCell;

typedef struct Metrics {
    MetricCell cells[METRIC_COUNT];
} Metrics;

/* Adds to a counter or gauge; `label` counts from 0 in the order of metrics.def. */
void    metrics_add(Metrics *m, Metric metric, uint32_t label, int64_t n);
void    metrics_set(Metrics *m, Metric metric, uint32_t label, int64_t n);
int64_t metrics_get(const Metrics *m, Metric metric, uint32_t label);
/* Adds a duration to a histogram. */
void    metrics_time(Metrics *m, Metric metric, uint64_t ns);
/* The time below which a share of a histogram's durations lie, in nanoseconds; an upper
 * bound of its bucket. 0: none yet. */
uint64_t metrics_quantile(const Metrics *m, Metric metric, double share);
/* The exposition format of Prometheus, version 0.0.4. */
void    metrics_print(const Metrics *m, Text *out);
/* A Markdown table, for docs/server.md. */
void    metrics_document(Text *out);

/* ---- log ---- */

typedef enum LogLevel { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR, LOG_OFF } LogLevel;

typedef struct Log {
    LogLevel level;                     /* lines below it are dropped                     */
    int      fd;
} Log;

/* false: `name` is no level. */
bool log_level_find(const char *name, LogLevel *level);
/* One line. `fields` are pairs of names and values in dotted notation, NULL at the end; of a
 * "traceparent" the ids of trace and span are written:
 *     log_event(log, LOG_INFO, "job-finished", "done", "weft.job", id, NULL); */
void log_event(const Log *log, LogLevel level, const char *action, const char *message, ...);

#endif
