// SPDX-License-Identifier: Apache-2.0
/*
 * compile.h - from a checked module to a kernel that can be called; caches.
 *
 * in     a Module, an entry point, override values, options
 * out    a Kernel: code in memory, and what the caller must provide
 * knows  the pipeline (lower, opt, analysis, emit), loading code, the caches
 * not    devices, threads, bind groups
 *
 * Threads  every function may be called from any thread at any time.
 */
#ifndef WEFT_COMPILE_COMPILE_H
#define WEFT_COMPILE_COMPILE_H

#include "check/check.h"
#include "emit/llvm/kernel_abi.h"
#include "opt/proof.h"

/* The buffer that a kernel expects in KernelDispatch.buffers[i]. */
typedef struct KernelBinding {
    uint32_t group, binding;
} KernelBinding;

typedef struct Kernel {
    KernelFn      *run;
    KernelBinding *bindings;        /* [nbindings], by group, then binding        */
    uint32_t       nbindings;
    uint32_t       workgroup_size[3];
    uint32_t       lanes;
    uint64_t       memory_size;     /* bytes a thread needs                       */
    bool           has_barrier;
    bool           turned;          /* what it takes for x is y, and the other way
                                       round, but for workgroup_size              */
    uint32_t       band;            /* rows of workgroups that one call may run; 0: one */
    bool           from_disk;       /* found in the disk cache                    */
    Proof          proof;           /* what its dispatches must fulfil            */
} Kernel;

/* Compiled kernels, in memory and on disk. One may serve many devices. */
typedef struct KernelCache KernelCache;

typedef struct KernelCacheDesc {
    const char *folder;             /* NULL: $XDG_CACHE_HOME/weft, ~/.cache/weft  */
    bool        no_disk;            /* memory only                                */
    bool        off;                /* every kernel is made anew                  */
    uint64_t    disk_limit;         /* bytes             0: 256 MiB               */
} KernelCacheDesc;

KernelCache *kernel_cache_create(const KernelCacheDesc *desc);
void         kernel_cache_release(KernelCache *cache);

/* What a kernel may take for granted of the workgroups it runs (opt/proof.h). */
typedef enum Assumptions {
    ASSUME_NOTHING,
    ASSUME_BOUNDS,                  /* indices stay inside                        */
    ASSUME_INNER,                   /* and borders are elsewhere                  */
} Assumptions;

typedef struct CompileOptions {
    uint32_t lanes;                 /* 1, 4, 8, 16, 32   0: what suits best       */
    bool     shuffle;               /* hostile: lane groups in scrambled order    */
    Assumptions assume;             /* run only where the proof holds             */
    bool     quick;                 /* soon made rather than fast. With ASSUME_INNER
                                       small kernels are so, for small dispatches */
} CompileOptions;

/*
 * The kernel of `entry` with these overrides, from the cache or made now; the
 * caller gives it back with kernel_release(). NULL after a diagnostic.
 */
const Kernel *kernel_get(KernelCache *cache, const Module *m, const Decl *entry,
                         const OverrideSetting *settings, uint32_t nsettings,
                         const CompileOptions *options, Diag *diag);
void          kernel_release(KernelCache *cache, const Kernel *kernel);

/* How a kernel counts the workgroups of a dispatch that is given as `groups`. */
void          kernel_groups(uint32_t out[3], const uint32_t groups[3], bool turned);
/* The workgroups of this dispatch that fulfil what the kernel assumes. False: none. */
bool          kernel_suits(const Kernel *kernel, const KernelDispatch *dispatch,
                           ProofBox *box);
/*
 * The same kernel with fewer assumptions, of one that has some. The caller gives it
 * back with kernel_release(). NULL after a diagnostic.
 */
const Kernel *kernel_assuming_less(KernelCache *cache, const Kernel *kernel, Diag *diag);

/* What comes before: the module of a text; NULL after a diagnostic. In `arena`, and
 * under the caller's arena_try(). */
const Module *compile_front(Arena *arena, Str source, Diag *diag);

/* Whether this machine runs kernels that use f16. */
bool compile_has_f16(void);

/* Writes what the pipeline has after `stage` (a name of compile_stages()). */
bool compile_dump(Text *out, const char *stage, const Module *m, const Decl *entry,
                  const OverrideSetting *settings, uint32_t nsettings,
                  const CompileOptions *options, Diag *diag);
/* "tokens", "ast", "typed", "lower", ..., "asm"; NULL at the end. */
const char *const *compile_stages(void);

#endif
