// SPDX-License-Identifier: Apache-2.0
/*
 * stack.h - how much is left of the calling thread's stack.
 */
#ifndef WEFT_BASE_STACK_H
#define WEFT_BASE_STACK_H

#include <stddef.h>

/* Bytes that calls may still use; 0: the system does not tell. */
size_t stack_room(void);

#endif
