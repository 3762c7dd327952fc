// SPDX-License-Identifier: Apache-2.0
/*
 * fatal.c - what LLVM cannot recover from ends a compilation, not the process.
 *
 * in     LLVM's handlers for fatal errors and for memory, and operator new's
 * out    a longjmp() to the compilation that this thread carries out
 * knows  that such a compilation is given up with all its memory: rare, and better than
 *        the end
 * not    what is compiled
 *
 * The handlers are the process's, and have no other way than the thread to tell whose
 * compilation it is. The two C++ functions have no C names; they are absent where LLVM is
 * linked in a way that hides them, and then running out of memory stays fatal.
 */
#include "emit/llvm/fatal_priv.h"

#include <llvm-c/ErrorHandling.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local jmp_buf *back;
static _Thread_local char     reason[256];
static _Thread_local bool     memory;

typedef void NewHandler(void);
typedef void BadAllocHandler(void *user, const char *why, bool crash);

/* std::set_new_handler(), llvm::install_bad_alloc_error_handler() */
extern NewHandler *set_new_handler(NewHandler *handler)
    __asm__("_ZSt15set_new_handlerPFvvE") __attribute__((weak));
extern void install_bad_alloc_handler(BadAllocHandler *handler, void *user)
    __asm__("_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_") __attribute__((weak));

static NewHandler *others;          /* the program's own handler, or NULL         */

static void escape(const char *why, bool of_memory)
{
    snprintf(reason, sizeof reason, "%s", why);
    memory = of_memory;
    longjmp(*back, 1);
}

static void on_fatal(const char *why)
{
    if (back)
        escape(why, false);
}

static void on_bad_alloc(void *user, const char *why, bool crash)
{
    (void)user;
    (void)crash;
    if (back)
        escape(why, true);
    fprintf(stderr, "LLVM ERROR: %s\n", why);       /* of another user of LLVM */
    abort();
}

/* On a thread that compiles nothing: as without us. After the return operator new tries
 * again, and throws where there is no handler. */
static void on_no_memory(void)
{
    if (back)
        escape("operator new fails", true);
    if (others)
        others();
    else
        set_new_handler(NULL);
}

void fatal_install(void)
{
    LLVMInstallFatalErrorHandler(on_fatal);
    if (install_bad_alloc_handler)
        install_bad_alloc_handler(on_bad_alloc, NULL);
}

void fatal_enter(jmp_buf *to)
{
    back = to;
    if (set_new_handler) {
        NewHandler *before = set_new_handler(on_no_memory);
        if (before != on_no_memory)
            others = before;
    }
}

void fatal_leave(void)
{
    back = NULL;
}

const char *fatal_reason(void)
{
    return reason;
}

bool fatal_is_memory(void)
{
    return memory;
}
