// SPDX-License-Identifier: Apache-2.0
/*
 * exit.h - a program that ends while a library with static objects is in use.
 *
 * in     the beginning and the end of each use on threads of ours, and of what the library
 *        does on its own
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
/* The program is ending: threads that wanted to hold may be stopped for good. */
bool exit_is_ending(void);
/* Once for each; a thread may hold several times. */
void exit_release(void);

/* This process was forked while another thread held: the library may be in the middle of
 * anything, and must not be used. */
bool exit_is_broken(void);

/* Work that the library does on threads of its own, or that waits to begin. A program that
 * ends waits for it, but not for long: it may never end. From any thread, once each. */
void exit_work_begins(void);
void exit_work_ends(void);

#endif
