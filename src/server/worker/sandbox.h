// SPDX-License-Identifier: Apache-2.0
/*
 * sandbox.h - what keeps a worker process away from everything but its socket.
 *
 * in     limits
 * out    a process that can compute, allocate, start threads and talk over one socket
 * knows  Linux: seccomp, namespaces, Landlock, prctl, rlimits
 * not    kernels, devices, messages
 *
 * Two steps: sandbox_begin() before the first thread starts (namespaces, Landlock and
 * limits hold for threads made later), sandbox_close() once the device is open and no file
 * is needed any more (seccomp, for all threads). The pair for GPUs is weaker: a driver opens
 * files and devices in between, and afterwards talks to the kernel with ioctl().
 */
#ifndef WEFT_SERVER_SANDBOX_H
#define WEFT_SERVER_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What holds; the order is that of sandbox_name(). */
typedef enum SandboxPart {
    SANDBOX_NO_NEW_PRIVS, SANDBOX_NAMESPACES, SANDBOX_LANDLOCK, SANDBOX_RLIMITS,
    SANDBOX_SECCOMP, SANDBOX_MDWE, SANDBOX_PART_COUNT
} SandboxPart;

const char *sandbox_name(SandboxPart part);

/* Both set bits 1 << part for what took effect. */
uint32_t sandbox_begin(uint64_t address_space);
uint32_t sandbox_close(void);
uint32_t sandbox_begin_gpu(void);
uint32_t sandbox_close_gpu(void);

/* The parts that this machine offers, tried out in a child process. */
uint32_t sandbox_probe(void);

/* Attempts open, socket, ptrace, fork, an executable mapping, and to signal the process `other`
 * and to change its limits; writes a line for each, "open EPERM". Inside a worker, for tests. */
void sandbox_attempt(pid_t other, char *out, size_t size);

#endif
