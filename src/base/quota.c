// SPDX-License-Identifier: Apache-2.0
/*
 * quota.c - how much time of processors a container lets its processes have.
 *
 * in     the control groups of a process, of both versions
 * out    the least that any of them, or of those around them, grants
 * why    a container for two cores on a machine of sixty has sixty to see: as many
 *        threads would be stopped most of the time, and all at once
 *
 * Version 2 has cpu.max, "QUOTA PERIOD" or "max PERIOD", in microseconds; version 1 has a
 * file for each, and -1 for none. A process may see paths that are not there for it: what
 * cannot be read is no bound.
 */
#include "base/quota.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CORES 4096

/* Numbers at the start of a file; false: there are fewer, or no file. */
static bool read_numbers(const char *folder, const char *name, long long *out, int count)
{
    char path[4096], line[128] = "", *at = line;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "r");
    if (!file)
        return false;
    bool ok = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    for (int i = 0; ok && i < count; i++) {
        char *from = at;
        out[i] = strtoll(from, &at, 10);
        ok = at != from;
    }
    return ok;
}

static uint32_t whole_cores(long long quota, long long period)
{
    if (quota <= 0 || period <= 0)
        return 0;
    long long cores = quota / period + (quota % period != 0);
    return cores < MOST_CORES ? (uint32_t)cores : MOST_CORES;
}

static uint32_t granted_by(const char *folder)
{
    long long both[2];
    bool v1 = read_numbers(folder, "cpu.cfs_quota_us", &both[0], 1)
              && read_numbers(folder, "cpu.cfs_period_us", &both[1], 1);
    if (v1 || read_numbers(folder, "cpu.max", both, 2))
        return whole_cores(both[0], both[1]);
    return 0;
}

static uint32_t least(uint32_t x, uint32_t y)
{
    return !x || (y && y < x) ? y : x;
}

/* By the group `path` below `root`, and by all around it. */
static uint32_t granted_along(const char *root, const char *path)
{
    char     folder[4096];
    uint32_t cores = 0;
    size_t   top = strlen(root);
    if (snprintf(folder, sizeof folder, "%s%s", root, path) >= (int)sizeof folder)
        return 0;
    for (char *end; (end = strrchr(folder + top, '/')); *end = '\0')
        cores = least(cores, granted_by(folder));
    return least(cores, granted_by(root));
}

/* Is the controller `cpu` in a list like "cpu,cpuacct"? */
static bool has_cpu(const char *list)
{
    for (const char *at = list; *at; at += strspn(at, ",")) {
        size_t length = strcspn(at, ",");
        if (length == 3 && memcmp(at, "cpu", 3) == 0)
            return true;
        at += length;
    }
    return false;
}

/* A line is NUMBER:CONTROLLERS:PATH; version 2 names no controllers. */
static uint32_t granted_to(char *line, const char *mount)
{
    char  root[4096];
    char *list = strchr(line, ':'), *path = list ? strchr(list + 1, ':') : NULL;
    if (!path)
        return 0;
    *path++ = '\0';
    list++;
    path[strcspn(path, "\n")] = '\0';
    if (*list && !has_cpu(list))
        return 0;
    if (snprintf(root, sizeof root, "%s%s", mount, *list ? "/cpu" : "") >= (int)sizeof root)
        return 0;
    return granted_along(root, path);
}

uint32_t quota_cores(const char *groups, const char *mount)
{
    char     line[4096];
    uint32_t cores = 0;
    FILE    *file = fopen(groups, "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        cores = least(cores, granted_to(line, mount));
    fclose(file);
    return cores;
}
