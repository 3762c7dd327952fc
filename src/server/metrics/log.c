// SPDX-License-Identifier: Apache-2.0
/*
 * log.c - JSON lines in the Elastic Common Schema, on one descriptor.
 *
 * in     events with fields
 * out    one write() a line, so that lines of threads never mix
 * not    what the events mean
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/macro.h"
#include "server/metrics/metrics.h"

static const char *const level_names[] = {"debug", "info", "warn", "error", "off"};

bool log_level_find(const char *name, LogLevel *level)
{
    for (uint32_t i = 0; i < COUNTOF(level_names); i++)
        if (strcmp(level_names[i], name) == 0) {
            *level = (LogLevel)i;
            return true;
        }
    return false;
}

void log_event(const Log *log, LogLevel level, const char *action, const char *message, ...)
{
    if (level < log->level)
        return;
    Arena arena;
    arena_init(&arena, 0);
    Text            line = {.arena = &arena};
    struct timespec now;
    struct tm       utc;
    char            when[32];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &utc);
    text_printf(&line, "{\"@timestamp\":\"%s.%03ldZ\",\"log.level\":\"%s\",\"ecs.version\":"
                "\"8.11\",\"service.name\":\"weft\",\"event.action\":", when,
                now.tv_nsec / 1000000, level_names[level]);
    text_json(&line, str_of(action));
    text_add(&line, STR(",\"message\":"));
    text_json(&line, str_of(message));
    va_list args;
    va_start(args, message);
    for (const char *name; (name = va_arg(args, const char *));) {
        const char *value = va_arg(args, const char *);
        if (!value || !*value)
            continue;
        if (strcmp(name, "traceparent") == 0) {
            if (strlen(value) == 55)    /* "00-TRACE-SPAN-FLAGS" */
                text_printf(&line, ",\"trace.id\":\"%.32s\",\"span.id\":\"%.16s\"", value + 3,
                            value + 36);
            continue;
        }
        text_printf(&line, ",\"%s\":", name);
        text_json(&line, str_of(value));
    }
    va_end(args);
    text_add(&line, STR("}\n"));
    ssize_t n = write(log->fd, line.data, line.len);
    (void)n;                            /* there is nowhere to report it */
    arena_fini(&arena);
}
