// SPDX-License-Identifier: Apache-2.0
/*
 * hello.c - what is there to compute with?
 *
 * in     nothing
 * out    the adapter's name, its features and limits; what a device has by
 *        default, and what it has when it is asked for all there is
 */
#include "common.h"

static void print_info(WGPUAdapter adapter)
{
    WGPUAdapterInfo info = WGPU_ADAPTER_INFO_INIT;
    wgpuAdapterGetInfo(adapter, &info);
    print_text(stdout, "adapter       ", info.description);
    print_text(stdout, "\nvendor        ", info.vendor);
    print_text(stdout, "\narchitecture  ", info.architecture);
    print_text(stdout, "\ndevice        ", info.device);
    printf("\nsubgroups     %u to %u invocations\n", info.subgroupMinSize,
           info.subgroupMaxSize);
    wgpuAdapterInfoFreeMembers(info);
}

static void print_features(WGPUAdapter adapter)
{
    static const struct {
        WGPUFeatureName feature;
        const char     *means;
    } names[] = {
        {WGPUFeatureName_TimestampQuery, "timestamps at both ends of a pass"},
        {WGPUFeatureName_ShaderF16, "enable f16;"},
        {WGPUFeatureName_Subgroups, "enable subgroups;"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        printf("%-34s%s\n", names[i].means,
               wgpuAdapterHasFeature(adapter, names[i].feature) ? "yes" : "no");
}

static void print_limits(const WGPULimits *usual, const WGPULimits *most)
{
    puts("\nlimit                                  by default      at most");
#define ROW(limit) \
    printf("%-34s%15llu%13llu\n", #limit, (unsigned long long)usual->limit, \
           (unsigned long long)most->limit)
    ROW(maxBufferSize);
    ROW(maxStorageBufferBindingSize);
    ROW(maxUniformBufferBindingSize);
    ROW(maxStorageBuffersPerShaderStage);
    ROW(maxBindGroups);
    ROW(maxComputeWorkgroupStorageSize);
    ROW(maxComputeInvocationsPerWorkgroup);
    ROW(maxComputeWorkgroupsPerDimension);
#undef ROW
}

/* A device enforces the defaults, however much more the adapter could do, unless
 * the program asks for more: so it cannot come to need it without noticing. */
static WGPULimits device_limits(Gpu *gpu, const WGPULimits *wish)
{
    WGPUDeviceDescriptor desc = WGPU_DEVICE_DESCRIPTOR_INIT;
    desc.requiredLimits = wish;
    gpu_open_device(gpu, &desc);
    WGPULimits limits = WGPU_LIMITS_INIT;
    wgpuDeviceGetLimits(gpu->device, &limits);
    return limits;
}

int main(void)
{
    Gpu usual = gpu_find(), all = gpu_find();
    print_info(usual.adapter);
    print_features(usual.adapter);

    WGPULimits most = WGPU_LIMITS_INIT;
    wgpuAdapterGetLimits(all.adapter, &most);
    WGPULimits by_default = device_limits(&usual, NULL);
    WGPULimits granted = device_limits(&all, &most);
    print_limits(&by_default, &granted);

    bool right = by_default.maxComputeInvocationsPerWorkgroup == 256
                 && granted.maxBufferSize == most.maxBufferSize
                 && granted.maxBufferSize >= by_default.maxBufferSize;
    gpu_close(&usual);
    gpu_close(&all);
    return verdict(right);
}
