// SPDX-License-Identifier: Apache-2.0
/*
 * macro.h - the compiler extensions Weft allows itself, under plain names.
 *
 * knows  the compiler
 * not    anything else; every other file is plain C11
 */
#ifndef WEFT_BASE_MACRO_H
#define WEFT_BASE_MACRO_H

#define COUNTOF(array) (sizeof(array) / sizeof((array)[0]))

/* The smaller, the larger of two numbers. Each operand is evaluated once, so it may be an
 * expensive call. Only inside functions. */
#define MIN_OF(a, b) CHOOSE_(<, __COUNTER__, a, b)
#define MAX_OF(a, b) CHOOSE_(>, __COUNTER__, a, b)
#define CHOOSE_(order, id, a, b) CHOOSE_NAMED_(order, id, a, b)
#define CHOOSE_NAMED_(order, id, a, b)                        \
    __extension__({                                           \
        __typeof__(0 ? (a) : (b)) a_##id = (a), b_##id = (b); \
        a_##id order b_##id ? a_##id : b_##id;                \
    })

/* printf-style checking: `fmt` and `args` are parameter numbers from 1. */
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))
#define NORETURN               __attribute__((noreturn))
#define MUST_CHECK             __attribute__((warn_unused_result))
#define FALL_THROUGH           __attribute__((fallthrough))

/* From here on the compiler does not know where the pointer came from: it would make one
 * call of malloc() and memset(), calloc(). */
#define FORGET_ORIGIN(pointer) __asm__("" : "+r"(pointer))

/* We are wrong, not the input: says where and aborts. */
#define BUG(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
#define BUG_IF(condition, ...)                     \
    do {                                           \
        if (condition)                             \
            bug_at(__FILE__, __LINE__, __VA_ARGS__); \
    } while (0)

NORETURN void bug_at(const char *file, int line, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

#endif
