/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.h - a kernel of WGSL text, compiled for a number of lanes and run.
 */
#ifndef WEFT_TESTS_EMIT_KERNEL_H
#define WEFT_TESTS_EMIT_KERNEL_H

#include "compile/loader.h"
#include "compile/pipeline.h"

typedef struct TestKernel {
    CompiledObject object;
    LoadedCode     code;
    void          *memory;
} TestKernel;

/* Fails the test if the text does not compile. `machine` NULL: this one. */
void test_kernel_open(TestKernel *k, const char *wgsl, uint32_t lanes,
                      const Machine *machine);
void test_kernel_close(TestKernel *k);
/* `buffers` in the order of their bindings, as many as the kernel has. */
void test_kernel_run(const TestKernel *k, const KernelBuffer *buffers, uint32_t groups);
/* `flags`: KERNEL_... */
void test_kernel_run_with(const TestKernel *k, const KernelBuffer *buffers, uint32_t groups,
                          uint32_t flags);

/* The assembly of a kernel for a machine, in `arena`. */
const char *test_kernel_assembly(Arena *arena, const char *wgsl, uint32_t lanes,
                                 const Machine *machine);

#endif
