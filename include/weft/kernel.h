// SPDX-License-Identifier: Apache-2.0
/*
 * weft/kernel.h - what a kernel will do, found without running it.
 *
 *     weft_kernel *k = weft_kernel_create(&(weft_kernel_desc){ .wgsl = text });
 *     for (uint32_t i = 0; i < weft_kernel_access_count(k); i++)
 *         printf("%s: %s\n", weft_kernel_access_get(k, i)->variable,
 *                weft_kernel_pattern_name(weft_kernel_access_get(k, i)->pattern));
 *     weft_kernel_release(k);
 *
 * For each memory access: its pattern over neighbouring invocations, its size, how often it
 * happens. For the whole kernel: arithmetic, bytes, branches, memory, and hints with their
 * reasons. Counts are per invocation; a loop whose end is not a constant contributes a
 * factor that names it: "params.k", "arrayLength(&x) / 64". Both ways of a branch are
 * counted, so that a count is an upper bound where the access is `conditional`.
 *
 * Ownership  weft_kernel_create() gives the caller the only reference. Every pointer that an
 *            analysis hands out lives as long as it.
 * Threads    an analysis does not change once made: any thread may read it.
 * Errors     NULL is returned only without memory. A kernel that does not compile is still an
 *            object: weft_kernel_error() is its first diagnostic.
 * Not here   running kernels (weft/pool.h), tuning them (weft_context_tune()).
 */
#ifndef WEFT_KERNEL_H
#define WEFT_KERNEL_H

#include <weft/wgsl.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weft_kernel weft_kernel;

typedef struct weft_kernel_desc {
    const char *wgsl;               /* UTF-8 text; copied                                   */
    size_t      wgsl_size;          /* bytes            0: up to the terminating NUL        */
    const char *entry;              /* NULL: the only compute entry point                   */
    const weft_override_value *constants;
    uint32_t    constant_count;
    size_t      memory_limit;       /* bytes                          0: 256 MiB            */
} weft_kernel_desc;

WEFT_API weft_kernel *weft_kernel_create(const weft_kernel_desc *desc);
WEFT_API void         weft_kernel_release(weft_kernel *kernel);
/* The first diagnostic with its place, one sentence; NULL: the analysis is complete. */
WEFT_API const char  *weft_kernel_error(const weft_kernel *kernel);

/* ---- numbers with names ---- */

/* A count that may depend on values known only when the kernel runs. */
typedef struct weft_kernel_count {
    const char *text;               /* "2 * params.k + 1"                                   */
    double      value;              /* with every name taken as 1                           */
    bool        known;              /* no name in it: `value` is exact                      */
    uint32_t    id;                 /* for weft_kernel_count_value()                        */
} weft_kernel_count;

/* The value of `count` with given values for names; names that are not given count as 1.
 * Names are spelled as in `text`. */
WEFT_API double weft_kernel_count_value(const weft_kernel *kernel,
                                        const weft_kernel_count *count,
                                        const weft_override_value *names, uint32_t name_count);
/* The names that occur in any count; NULL past the last. */
WEFT_API const char *weft_kernel_name_get(const weft_kernel *kernel, uint32_t index);

/* ---- memory ---- */

typedef enum weft_kernel_pattern {
    WEFT_PATTERN_UNIFORM = 1,       /* neighbours access the same bytes                     */
    WEFT_PATTERN_CONTIGUOUS,        /* ... the bytes beside                                 */
    WEFT_PATTERN_STRIDED,           /* ... bytes at a fixed distance                        */
    WEFT_PATTERN_GATHERED,          /* ... anywhere                                         */
} weft_kernel_pattern;

WEFT_API const char *weft_kernel_pattern_name(weft_kernel_pattern pattern);

typedef enum weft_kernel_space {
    WEFT_KERNEL_STORAGE = 1, WEFT_KERNEL_UNIFORM, WEFT_KERNEL_WORKGROUP, WEFT_KERNEL_PRIVATE,
} weft_kernel_space;

typedef struct weft_kernel_access {
    const char *variable;
    weft_kernel_space space;
    uint32_t    group, binding;     /* storage and uniform                                  */
    uint32_t    line, column;       /* from 1                                               */
    bool        write, atomic;      /* else a load                                          */
    weft_kernel_pattern pattern;
    int64_t     stride;             /* bytes from one invocation to the next; 0 if it depends
                                       on values known only when the kernel runs            */
    const char *stride_text;        /* the same in words: "4 * params.width"                */
    uint32_t    bytes;              /* per invocation                                       */
    uint32_t    align;              /* bytes: the address of the first invocation of a row is
                                       a multiple of it                                     */
    bool        in_bounds;          /* proved: needs no check                               */
    bool        conditional;        /* inside a branch                                      */
    bool        divergent;          /* inside a branch that neighbours take differently     */
    uint32_t    loop_depth;
    weft_kernel_count times;        /* per invocation                                       */
} weft_kernel_access;

WEFT_API uint32_t weft_kernel_access_count(const weft_kernel *kernel);
/* In the order of the text. NULL if out of range. */
WEFT_API const weft_kernel_access *weft_kernel_access_get(const weft_kernel *kernel,
                                                          uint32_t index);

/* ---- the whole kernel ---- */

typedef struct weft_kernel_info {
    const char *entry;
    uint32_t    workgroup_size[3];
    uint64_t    workgroup_memory;   /* bytes                                                */
    uint32_t    barriers;           /* in the text                                          */
    uint32_t    atomics;
    uint32_t    registers;          /* estimate: values of 32 bits alive at a time          */
    uint32_t    branches, divergent_branches;   /* ifs, switches and loop exits             */
    double      divergence;         /* share of the instructions inside divergent branches,
                                       0 to 1                                               */
    weft_kernel_count float_operations;     /* per invocation; fma counts 2                 */
    weft_kernel_count integer_operations;
    weft_kernel_count functions;    /* exp, sin, pow, ...                                   */
    weft_kernel_count bytes_read;   /* of storage buffers, per invocation; what a row of the
                                       workgroup or all of it loads together counts once    */
    weft_kernel_count bytes_written;
    double      intensity;          /* float operations and functions per byte, every name
                                       taken as 1000                                        */
    weft_kernel_count extent[3];    /* invocations along x, y, z whose stores the kernel lets
                                       happen: a limit that it compares its global id with
                                       before each of them; text "" without such a limit    */
    bool        uses_axis[3];       /* results depend on the id along it                    */
    bool        resizable;          /* results do not depend on the workgroup size, along the
                                       axes that have limits                                */
    const char *resizable_reason;   /* one sentence, why or why not                         */
} weft_kernel_info;

/* Zeroed if the kernel does not compile. */
WEFT_API void weft_kernel_get_info(weft_kernel_info *out, const weft_kernel *kernel);

/* ---- hints ---- */

typedef struct weft_kernel_hint {
    const char *id;                 /* stable: "swap-axes", "vec4-loads"                    */
    uint32_t    line, column;
    const char *message;            /* what to do                                           */
    const char *reason;             /* what was found                                       */
    double      gain;               /* expected speed ratio, above 1                        */
} weft_kernel_hint;

WEFT_API uint32_t weft_kernel_hint_count(const weft_kernel *kernel);
/* By expected gain, largest first. NULL if out of range. */
WEFT_API const weft_kernel_hint *weft_kernel_hint_get(const weft_kernel *kernel,
                                                      uint32_t index);

/* Everything as JSON; lives as long as the analysis. NULL without memory. */
WEFT_API const char *weft_kernel_json(weft_kernel *kernel);

/* ---- rewriting ---- */

typedef struct weft_kernel_optimized {
    const char *original, *wgsl;    /* equal if nothing was changed                         */
    uint32_t    workgroup_size[3];  /* of `wgsl`                                            */
    bool        axes_swapped;       /* x and y of the workgroup counts must be exchanged    */
    const char *const *changes;     /* one sentence each, or why nothing was changed        */
    uint32_t    change_count;
} weft_kernel_optimized;

/* Rewrites the kernel where its results are provably the same: exchanges x and y where that
 * makes accesses contiguous, loads neighbouring words as a vec4, and gives workgroups a size
 * that suits most devices. Lives as long as the analysis. False if the kernel does not
 * compile. */
WEFT_API bool weft_kernel_optimize(weft_kernel_optimized *out, weft_kernel *kernel);

/* The kernel with another workgroup size, which gives the same results if as many invocations
 * run or more. Lives as long as the analysis. NULL if the kernel does not compile, is not
 * `resizable`, a number is 0, it would change an axis along which a store has no limit, or
 * there is no memory. */
WEFT_API const char *weft_kernel_resize(weft_kernel *kernel, const uint32_t size[3]);

#ifdef __cplusplus
}
#endif

#endif
