// SPDX-License-Identifier: Apache-2.0
/*
 * behavior.h - the ways in which a statement may end (WGSL 9.7).
 */
#ifndef WEFT_CHECK_BEHAVIOR_H
#define WEFT_CHECK_BEHAVIOR_H

enum {
    BEHAVIOR_NEXT     = 1 << 0,
    BEHAVIOR_BREAK    = 1 << 1,
    BEHAVIOR_CONTINUE = 1 << 2,
    BEHAVIOR_RETURN   = 1 << 3,
};

#endif
