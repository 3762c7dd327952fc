// SPDX-License-Identifier: Apache-2.0
/*
 * quota.h - how much time of processors a container lets its processes have.
 */
#ifndef WEFT_BASE_QUOTA_H
#define WEFT_BASE_QUOTA_H

#include <stdint.h>

/*
 * Cores' worth of time, rounded up, that control groups grant; 0: no bound.
 *   groups   which groups a process is in, as Linux has it in /proc/self/cgroup
 *   mount    where the folders of groups are, such as /sys/fs/cgroup
 */
uint32_t quota_cores(const char *groups, const char *mount);

#endif
