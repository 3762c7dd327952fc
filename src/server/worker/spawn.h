// SPDX-License-Identifier: Apache-2.0
/*
 * spawn.h - starts a worker process with a socket to it.
 *
 * in     a command line
 * out    a process whose only open descriptor beside the standard ones is its socket
 * not    what the process does
 */
#ifndef WEFT_SERVER_SPAWN_H
#define WEFT_SERVER_SPAWN_H

#include <sys/types.h>

#define SPAWN_FD "--fd=3"               /* of the command line: the socket                */

/* Our end of the socket; -1: it could not be started. `program` NULL: this one. */
int spawn_process(const char *program, const char *const *argv, pid_t *pid);

#endif
