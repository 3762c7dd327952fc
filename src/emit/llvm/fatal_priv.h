// SPDX-License-Identifier: Apache-2.0
/*
 * fatal_priv.h - what LLVM cannot recover from: fatal.c.
 */
#ifndef WEFT_EMIT_LLVM_FATAL_PRIV_H
#define WEFT_EMIT_LLVM_FATAL_PRIV_H

#include <setjmp.h>
#include <stdbool.h>

/* Once a process, before the first use of LLVM. */
void fatal_install(void);
/* From here on this thread's fatal errors longjmp() to `escape`; until fatal_leave(), which
 * who comes back from there calls too. */
void fatal_enter(jmp_buf *escape);
void fatal_leave(void);
/* Of the last one on this thread. */
const char *fatal_reason(void);
bool        fatal_is_memory(void);

#endif
