// SPDX-License-Identifier: Apache-2.0
/*
 * metrics.c - counters, gauges and histograms.
 *
 * in     events, from any thread
 * out    the text that Prometheus scrapes
 * knows  metrics.def, the exposition format
 * not    where events come from
 */
#include "server/metrics/metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/macro.h"

typedef enum Kind { COUNTER, GAUGE, HISTOGRAM } Kind;

static const struct Row {
    Kind        kind;
    const char *name, *label, *values, *meaning;
} rows[] = {
#define METRIC(kind, id, name, label, values, meaning) {kind, name, label, values, meaning},
#include "server/metrics/metrics.def"
#undef METRIC
};

static const char *const kind_names[] = {"counter", "gauge", "histogram"};

/* Upper bounds in nanoseconds: 50 us to 26 s, each twice the one before. */
static uint64_t bucket_bound(uint32_t i)
{
    return UINT64_C(50000) << i;
}

void metrics_add(Metrics *m, Metric metric, uint32_t label, int64_t n)
{
    atomic_fetch_add_explicit(&m->cells[metric].value[label], n, memory_order_relaxed);
}

void metrics_set(Metrics *m, Metric metric, uint32_t label, int64_t n)
{
    atomic_store_explicit(&m->cells[metric].value[label], n, memory_order_relaxed);
}

int64_t metrics_get(const Metrics *m, Metric metric, uint32_t label)
{
    return atomic_load_explicit(&m->cells[metric].value[label], memory_order_relaxed);
}

void metrics_time(Metrics *m, Metric metric, uint64_t ns)
{
    MetricCell *c = &m->cells[metric];
    uint32_t    i = 0;
    while (i < METRICS_BUCKETS && ns > bucket_bound(i))
        i++;
    atomic_fetch_add_explicit(&c->bucket[i], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->sum_ns, ns, memory_order_relaxed);
}

uint64_t metrics_quantile(const Metrics *m, Metric metric, double share)
{
    const MetricCell *c = &m->cells[metric];
    uint64_t total = 0, seen = 0;
    for (uint32_t i = 0; i <= METRICS_BUCKETS; i++)
        total += atomic_load_explicit(&c->bucket[i], memory_order_relaxed);
    if (total == 0)
        return 0;
    for (uint32_t i = 0; i < METRICS_BUCKETS; i++) {
        seen += atomic_load_explicit(&c->bucket[i], memory_order_relaxed);
        if ((double)seen >= share * (double)total)
            return bucket_bound(i);
    }
    return bucket_bound(METRICS_BUCKETS);
}

static void print_histogram(const struct Row *row, const MetricCell *c, Text *out)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < METRICS_BUCKETS; i++) {
        seen += atomic_load_explicit(&c->bucket[i], memory_order_relaxed);
        text_printf(out, "%s_bucket{le=\"%.9g\"} %llu\n", row->name,
                    (double)bucket_bound(i) * 1e-9, (unsigned long long)seen);
    }
    seen += atomic_load_explicit(&c->bucket[METRICS_BUCKETS], memory_order_relaxed);
    text_printf(out, "%s_bucket{le=\"+Inf\"} %llu\n%s_sum %.9f\n%s_count %llu\n", row->name,
                (unsigned long long)seen, row->name,
                (double)atomic_load_explicit(&c->sum_ns, memory_order_relaxed) * 1e-9, row->name,
                (unsigned long long)seen);
}

static void print_value(const struct Row *row, int64_t value, Text *out)
{
    if (strstr(row->name, "_seconds_total"))
        text_printf(out, " %.9f\n", (double)value * 1e-9);
    else
        text_printf(out, " %lld\n", (long long)value);
}

static void print_labelled(const struct Row *row, const MetricCell *c, Text *out)
{
    const char *at = row->values;
    for (uint32_t i = 0; *at && i < METRICS_LABELS; i++) {
        size_t length = strcspn(at, "|");
        text_printf(out, "%s{%s=\"%.*s\"}", row->name, row->label, (int)length, at);
        print_value(row, atomic_load_explicit(&c->value[i], memory_order_relaxed), out);
        at += length + (at[length] == '|');
    }
}

void metrics_print(const Metrics *m, Text *out)
{
    for (uint32_t i = 0; i < METRIC_COUNT; i++) {
        const struct Row *row = &rows[i];
        text_printf(out, "# HELP %s %s\n# TYPE %s %s\n", row->name, row->meaning, row->name,
                    kind_names[row->kind]);
        if (row->kind == HISTOGRAM) {
            print_histogram(row, &m->cells[i], out);
        } else if (*row->label) {
            print_labelled(row, &m->cells[i], out);
        } else {
            text_printf(out, "%s", row->name);
            print_value(row, metrics_get(m, (Metric)i, 0), out);
        }
    }
}

void metrics_document(Text *out)
{
    text_add(out, STR("| metric | kind | label | meaning |\n|---|---|---|---|\n"));
    for (uint32_t i = 0; i < METRIC_COUNT; i++) {
        text_printf(out, "| `%s` | %s | %s", rows[i].name, kind_names[rows[i].kind],
                    rows[i].label);
        for (const char *at = rows[i].values; *at;) {
            size_t length = strcspn(at, "|");
            text_printf(out, "%s%.*s", at == rows[i].values ? ": " : ", ", (int)length, at);
            at += length + (at[length] == '|');
        }
        text_printf(out, " | %s |\n", rows[i].meaning);
    }
}
