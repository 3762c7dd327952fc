// SPDX-License-Identifier: Apache-2.0
/*
 * exit.h - a program that ends while a thread of ours uses a library with static objects.
 *
 * in     the beginning and the end of each such use, from any thread
 * out    exit() waits for those under way before it destroys the static objects; later
 *        ones never begin
 * not    which library it is (LLVM, drivers of Vulkan)
 */
#ifndef WEFT_BASE_EXIT_H
#define WEFT_BASE_EXIT_H

#include <stdbool.h>

/* On each thread that lets others begin such uses, before they do. */
void exit_prepare(void);
/* Other threads than the one that ends the program do not come back from here once it
 * does; that one gets false, and must not use the library any more. */
bool exit_hold(void);
/* Once for each; a thread may hold several times. */
void exit_release(void);

#endif
