// SPDX-License-Identifier: Apache-2.0
/*
 * core.c - which cores threads run on.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <unistd.h>

#include "base/core.h"
#include "base/quota.h"

#define MOST 64

/* Of the machine. */
static uint32_t online(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (uint32_t)cores : 1;
}

#ifdef __linux__
uint32_t core_allowed_count(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return online();
    int cores = CPU_COUNT(&set);
    return cores > 0 ? (uint32_t)cores : 1;
}

uint64_t core_allowed(void)
{
    cpu_set_t set;
    uint64_t  cores = 0;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 0;
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, &set))
            continue;
        if (i >= MOST)
            return 0;
        cores |= 1ull << i;
    }
    return cores;
}

int core_now(void)
{
    return sched_getcpu();
}

void core_restrict(pthread_t thread, uint64_t cores)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int i = 0; i < MOST; i++)
        if (cores >> i & 1)
            CPU_SET(i, &set);
    (void)pthread_setaffinity_np(thread, sizeof set, &set);
}
#else
uint32_t core_allowed_count(void)
{
    return online();
}

uint64_t core_allowed(void)
{
    return 0;
}

int core_now(void)
{
    return -1;
}

void core_restrict(pthread_t thread, uint64_t cores)
{
    (void)thread;
    (void)cores;
}
#endif

uint32_t core_useful_count(void)
{
    uint32_t allowed = core_allowed_count();
    uint32_t granted = quota_cores("/proc/self/cgroup", "/sys/fs/cgroup");
    return granted && granted < allowed ? granted : allowed;
}
