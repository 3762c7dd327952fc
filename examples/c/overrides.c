// SPDX-License-Identifier: Apache-2.0
/*
 * overrides.c - one shader, several pipelines: constants chosen by the program.
 *
 * in     a polynomial kernel with overrides
 * out    the same kernel specialised three ways, and what each computes
 *
 * An override is known when the pipeline is made: the compiler folds it, unrolls
 * loops that it bounds and drops what it makes unreachable. It may also be the
 * size of a workgroup, or of an array in workgroup memory.
 */
#include <math.h>

#include "common.h"

enum { LENGTH = 1000 };

static const char wgsl[] =
    "override group_size = 64u;\n"
    "@id(7) override terms : u32;\n"            /* no value: the program must give one */
    "override odd_only = false;\n"
    "@group(0) @binding(0) var<storage, read_write> x : array<f32>;\n"
    "// The first terms of exp(x), or of sinh(x): those with odd powers.\n"
    "@compute @workgroup_size(group_size)\n"
    "fn series(@builtin(global_invocation_id) id : vec3u) {\n"
    "  if id.x >= arrayLength(&x) {\n"
    "    return;\n"
    "  }\n"
    "  var sum = 0.0;\n"
    "  var term = 1.0;\n"
    "  for (var i = 0u; i < terms; i++) {\n"
    "    if !odd_only || i % 2u == 1u {\n"
    "      sum += term;\n"
    "    }\n"
    "    term *= x[id.x] / f32(i + 1u);\n"
    "  }\n"
    "  x[id.x] = sum;\n"
    "}\n";

static WGPUComputePipeline specialise(const Gpu *gpu, WGPUShaderModule module, double terms,
                                      bool odd_only, double group_size)
{
    WGPUConstantEntry constants[3] = {
        WGPU_CONSTANT_ENTRY_INIT, WGPU_CONSTANT_ENTRY_INIT, WGPU_CONSTANT_ENTRY_INIT};
    constants[0].key = text("7");               /* by its @id */
    constants[0].value = terms;
    constants[1].key = text("odd_only");        /* by its name; 0 is false */
    constants[1].value = odd_only;
    constants[2].key = text("group_size");
    constants[2].value = group_size;
    WGPUComputePipelineDescriptor desc = WGPU_COMPUTE_PIPELINE_DESCRIPTOR_INIT;
    desc.compute.module = module;
    desc.compute.constantCount = 3;
    desc.compute.constants = constants;
    return wgpuDeviceCreateComputePipeline(gpu->device, &desc);
}

/* The largest error of the kernel, for x from -1 to 1. */
static double try_it(const Gpu *gpu, WGPUComputePipeline series, double (*exact)(double),
                     uint32_t group_size)
{
    float x[LENGTH], y[LENGTH];
    for (int i = 0; i < LENGTH; i++)
        x[i] = (float)i * 2.0f / (LENGTH - 1) - 1.0f;
    WGPUBuffer buffer = buffer_create(
        gpu, WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc, sizeof x, x);
    WGPUBindGroup group = bind_group_create(gpu, series, 1, &buffer);
    dispatch(gpu, series, group, (LENGTH + group_size - 1) / group_size, 1);
    buffer_read(gpu, buffer, y, sizeof y);
    wgpuBindGroupRelease(group);
    wgpuBufferRelease(buffer);

    double largest = 0;
    for (int i = 0; i < LENGTH; i++)
        largest = fmax(largest, fabs(y[i] - exact(x[i])));
    return largest;
}

int main(void)
{
    static const struct {
        const char *name;
        double    (*exact)(double);
        uint32_t    terms, group_size;
        bool        odd_only;
        double      error;              /* the first term left out, for x = 1, or more */
    } ways[] = {
        {"exp", exp, 4, 64, false, 6e-2},
        {"exp", exp, 12, 256, false, 1e-6},
        {"sinh", sinh, 8, 32, true, 1e-5},
    };
    bool right = true;
    Gpu gpu = gpu_open();
    WGPUShaderModule module = module_create(&gpu, wgsl);
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        WGPUComputePipeline series = specialise(&gpu, module, ways[i].terms,
                                                ways[i].odd_only, ways[i].group_size);
        double error = try_it(&gpu, series, ways[i].exact, ways[i].group_size);
        printf("%-4s with %2u terms, %3u invocations a workgroup: largest error %.1e\n",
               ways[i].name, ways[i].terms, ways[i].group_size, error);
        right = right && error < ways[i].error;
        wgpuComputePipelineRelease(series);
    }
    wgpuShaderModuleRelease(module);
    gpu_close(&gpu);
    return verdict(right);
}
