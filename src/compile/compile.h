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
#include "vector/machine.h"

/* The buffer that a kernel expects in KernelDispatch.buffers[i]. */
typedef struct KernelBinding {
    uint32_t group, binding;
} KernelBinding;

typedef struct Kernel {
    _Atomic(KernelFn *) run;        /* another after kernel_improve(), at any time */
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
    bool           quick;           /* CompileOptions.quick: may be improved      */
    uint64_t       made_ns;         /* time to compile it; 0: from disk           */
    Proof          proof;           /* what its dispatches must fulfil            */
} Kernel;

/* Compiled kernels, in memory and on disk. One may serve many devices. */
typedef struct KernelCache KernelCache;

typedef struct KernelCacheDesc {
    const char *folder;             /* NULL: $XDG_CACHE_HOME/weft, ~/.cache/weft  */
    bool        no_disk;            /* memory only                                */
    bool        off;                /* every kernel is made anew                  */
    uint64_t    disk_limit;         /* bytes             0: 256 MiB               */
    const Machine *machine;         /* kernels are for   NULL: the host; copied   */
} KernelCacheDesc;

KernelCache *kernel_cache_create(const KernelCacheDesc *desc);
void         kernel_cache_release(KernelCache *cache);

typedef struct CompileOptions {
    uint32_t lanes;                 /* 1, 4, 8, 16, 32   0: what suits best       */
    bool     shuffle;               /* hostile: lane groups in scrambled order    */
    Assumptions assume;             /* run only where the proof holds             */
    const Machine *machine;         /* NULL: the host; of a KernelCache its own   */
    bool     quick;                 /* soon made rather than fast, unless the fast one is in
                                       a cache already. From ASSUME_INNER on small kernels
                                       are so, for small dispatches               */
} CompileOptions;

/*
 * The kernel of `entry` with these overrides, from the cache or made now; the
 * caller gives it back with kernel_release(). NULL after a diagnostic.
 */
const Kernel *kernel_get(KernelCache *cache, const Module *m, const Decl *entry,
                         const OverrideSetting *settings, uint32_t nsettings,
                         const CompileOptions *options, Diag *diag);
void          kernel_release(KernelCache *cache, const Kernel *kernel);

/*
 * Makes the fast version of a quick kernel on a thread of the cache; `run` is that one's once
 * it is there, with the same results bit by bit. Without effect for other kernels, and for
 * those that it was called for before.
 */
void          kernel_improve(KernelCache *cache, const Kernel *kernel);

/* How a kernel counts the workgroups of a dispatch that is given as `groups`. */
void          kernel_groups(uint32_t out[3], const uint32_t groups[3], bool turned);
/* Buffers, by their place in the dispatch, that others may write to while it runs: a proof
 * must not rely on what they hold. */
#define KERNEL_MAX_SHARED 256u
typedef struct KernelShared {
    uint64_t bits[KERNEL_MAX_SHARED / 64];
} KernelShared;

/* The workgroups of this dispatch that fulfil what the kernel assumes. False: none. `shared`
 * may be NULL: no buffer is. */
bool          kernel_suits(const Kernel *kernel, const KernelDispatch *dispatch,
                           const KernelShared *shared, ProofBox *box);
/* What a kernel may still assume of workgroups that do not fulfil all that this one does;
 * `borders`: they are those at the borders of a grid. */
Assumptions   kernel_assumes_less(const Kernel *kernel, bool borders);
/*
 * The same kernel with fewer assumptions, of one that has some. The caller gives it
 * back with kernel_release(). NULL after a diagnostic.
 */
const Kernel *kernel_assuming(KernelCache *cache, const Kernel *kernel, Assumptions what,
                              Diag *diag);

/* What comes before: the module of a text; NULL after a diagnostic. In `arena`, and
 * under the caller's arena_try(). */
const Module *compile_front(Arena *arena, Str source, Diag *diag);

/* Whether this machine runs kernels that use f16. */
bool compile_has_f16(void);

/* The machine called `name` (vector/machines.def). False after a diagnostic: there is none,
 * or LLVM has no code generator for it, or with `to_run` this machine cannot run its code. */
bool compile_find_machine(Machine *out, const char *name, bool to_run, Diag *diag);

/* Writes what the pipeline has after `stage` (a name of compile_stages()). */
bool compile_dump(Text *out, const char *stage, const Module *m, const Decl *entry,
                  const OverrideSetting *settings, uint32_t nsettings,
                  const CompileOptions *options, Diag *diag);
/* "tokens", "ast", "typed", "lower", ..., "asm"; NULL at the end. */
const char *const *compile_stages(void);

#endif
