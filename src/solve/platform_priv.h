// SPDX-License-Identifier: Apache-2.0
/*
 * platform_priv.h - what solvers ask of the operating system: threads, and a library that the
 * user may have installed. Everything else in this folder is plain C.
 */
#ifndef WEFT_SOLVE_PLATFORM_PRIV_H
#define WEFT_SOLVE_PLATFORM_PRIV_H

#include <stdbool.h>
#include <stdint.h>

/* Threads that share the work of loops. NULL is a team of the caller alone. */
typedef struct Team Team;

/* At most `threads`, the caller included; 0: as many as are useful. NULL where one is enough or
 * none can be made. */
Team    *team_create(uint32_t threads);
void     team_release(Team *team);
uint32_t team_size(const Team *team);
/* Calls work(context, i, member) for i from 0 to count - 1, in any order, on several threads;
 * `member` is below team_size(). Returns when all are done. Which member takes which i varies:
 * results must not depend on it. */
void     team_run(Team *team, void (*work)(void *context, uint32_t i, uint32_t member),
                  void *context, uint32_t count);

/* NULL if no such library can be opened. It stays open. */
void *platform_open(const char *name);
void (*platform_symbol(void *library, const char *name))(void);

#endif
