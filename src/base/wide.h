// SPDX-License-Identifier: Apache-2.0
/*
 * wide.h - vectors of eight doubles or sixteen floats, for host code that is bound by
 * arithmetic: factorisations of matrices.
 *
 * A function marked WIDE_CODE is compiled several times, for machines with and without wide
 * vectors, and the loader picks one. Elsewhere (other machines, other compilers, sanitizers)
 * it is compiled once, and vectors become several narrow ones. Such functions are static: the
 * symbols of a global one's versions ignore hidden visibility.
 *
 * knows  the compiler
 * not    anything else
 */
#ifndef WEFT_BASE_WIDE_H
#define WEFT_BASE_WIDE_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__linux__)
#define WIDE_CODE __attribute__((target_clones("avx512f", "fma", "default")))
#else
#define WIDE_CODE
#endif

/* The line of memory at `place` will be read soon; any address is allowed. */
#define WIDE_PREFETCH(place) __builtin_prefetch(place)

/* Unaligned in memory. Operators work on each element; a scalar operand is broadcast. */
typedef double Wide8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef float  Wide16 __attribute__((vector_size(64), aligned(4), may_alias));

/* Inlined into its callers, so that it is compiled for the same machine. */
#define WIDE_INLINE static inline __attribute__((always_inline))

#endif
