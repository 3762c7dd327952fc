// SPDX-License-Identifier: Apache-2.0
/*
 * pipeline.h - from a typed module to an object file, stage by stage.
 */
#ifndef WEFT_COMPILE_PIPELINE_H
#define WEFT_COMPILE_PIPELINE_H

#include "compile/compile.h"
#include "compile/middle.h"
#include "emit/llvm/emit.h"

/* What to compile: a module, or the IR that another compilation of it left. */
typedef struct CompileJob {
    KernelSource   source;          /* without a module: `ir` is taken            */
    CompileOptions options;
    Str            ir;
    bool           cached;          /* kernel.c: nothing is compiled              */
} CompileJob;

/* An object file and what a caller must know of it. */
typedef struct CompiledObject {
    EmitResult     emitted;
    KernelBinding *bindings;        /* malloc'ed                                  */
    uint32_t       nbindings;
    uint32_t       workgroup_size[3];
    bool           has_barrier;
    bool           turned;
    uint32_t       band;
    Proof          proof;           /* nodes and checks malloc'ed                 */
    char          *ir;              /* malloc'ed: the IR as text, before anything is
                                       assumed; NULL if nothing is                */
    uint32_t       ir_size;
} CompiledObject;

/* False after a diagnostic. */
bool pipeline_run(CompiledObject *out, const CompileJob *job, Diag *diag);
void compiled_object_fini(CompiledObject *o);

#endif
