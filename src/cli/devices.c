// SPDX-License-Identifier: Apache-2.0
/*
 * devices.c - `weft devices`: what there is to run on.
 *
 * in     nothing
 * out    each adapter with its features and limits, the most preferred first; which one
 *        is the default, and why
 * knows  that webgpu.h has no list of adapters: Weft's are asked for by their numbers,
 *        those of others by their kinds
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/device.h"
#include "cli/profile.h"

static const Option options[] = {
    {"json", 0, NULL, "print JSON, for programs"},
    {"profile", 0, NULL, "measure rates, bandwidth and latency, once, and plot them"},
    {"again", 0, NULL, "with --profile: measure again"},
    {0},
};

typedef struct Found {
    AdapterInfo info;
    WGPULimits limits;
    VEC(const char *) features;
} Found;

typedef VEC(Found) Adapters;

/* ---- names ---- */

static const char *feature_name(WGPUFeatureName feature)
{
    static const struct { WGPUFeatureName feature; const char *name; } names[] = {
        {WGPUFeatureName_CoreFeaturesAndLimits, "core-features-and-limits"},
        {WGPUFeatureName_DepthClipControl, "depth-clip-control"},
        {WGPUFeatureName_Depth32FloatStencil8, "depth32float-stencil8"},
        {WGPUFeatureName_TextureCompressionBC, "texture-compression-bc"},
        {WGPUFeatureName_TextureCompressionBCSliced3D, "texture-compression-bc-sliced-3d"},
        {WGPUFeatureName_TextureCompressionETC2, "texture-compression-etc2"},
        {WGPUFeatureName_TextureCompressionASTC, "texture-compression-astc"},
        {WGPUFeatureName_TextureCompressionASTCSliced3D, "texture-compression-astc-sliced-3d"},
        {WGPUFeatureName_TimestampQuery, "timestamp-query"},
        {WGPUFeatureName_IndirectFirstInstance, "indirect-first-instance"},
        {WGPUFeatureName_ShaderF16, "shader-f16"},
        {WGPUFeatureName_RG11B10UfloatRenderable, "rg11b10ufloat-renderable"},
        {WGPUFeatureName_BGRA8UnormStorage, "bgra8unorm-storage"},
        {WGPUFeatureName_Float32Filterable, "float32-filterable"},
        {WGPUFeatureName_Float32Blendable, "float32-blendable"},
        {WGPUFeatureName_ClipDistances, "clip-distances"},
        {WGPUFeatureName_DualSourceBlending, "dual-source-blending"},
        {WGPUFeatureName_Subgroups, "subgroups"},
        {WGPUFeatureName_TextureFormatsTier1, "texture-formats-tier1"},
        {WGPUFeatureName_TextureFormatsTier2, "texture-formats-tier2"},
        {WGPUFeatureName_PrimitiveIndex, "primitive-index"},
        {WGPUFeatureName_TextureComponentSwizzle, "texture-component-swizzle"},
        {WGPUFeatureName_SubgroupSizeControl, "subgroup-size-control"},
        {WGPUFeatureName_WeftShaderF64, "weft-f64"},
    };
    for (size_t i = 0; i < COUNTOF(names); i++)
        if (names[i].feature == feature)
            return names[i].name;
    return NULL;
}

/* The limits that compute kernels meet. */
#define LIMITS(X)                                                                 \
    X(maxBufferSize) X(maxStorageBufferBindingSize) X(maxUniformBufferBindingSize) \
    X(maxStorageBuffersPerShaderStage) X(maxUniformBuffersPerShaderStage)         \
    X(maxBindGroups) X(maxBindingsPerBindGroup)                                   \
    X(maxDynamicUniformBuffersPerPipelineLayout)                                  \
    X(maxDynamicStorageBuffersPerPipelineLayout)                                  \
    X(minUniformBufferOffsetAlignment) X(minStorageBufferOffsetAlignment)         \
    X(maxComputeWorkgroupStorageSize) X(maxComputeInvocationsPerWorkgroup)        \
    X(maxComputeWorkgroupSizeX) X(maxComputeWorkgroupSizeY)                       \
    X(maxComputeWorkgroupSizeZ) X(maxComputeWorkgroupsPerDimension)               \
    X(maxImmediateSize)

/* ---- looking ---- */

static bool same(const AdapterInfo *x, const AdapterInfo *y)
{
    return strcmp(x->backend, y->backend) == 0 && strcmp(x->type, y->type) == 0
        && strcmp(x->device, y->device) == 0 && strcmp(x->description, y->description) == 0;
}

/* The place in the list of what `adapter` is; `len`: it is not there. */
static uint32_t find(Device *d, const Adapters *all, WGPUAdapter adapter, Found *f)
{
    uint32_t i = 0;
    *f = (Found){0};
    library_describe(&d->lib, d->arena, adapter, &f->info, &f->limits);
    while (i < all->len && !same(&all->data[i].info, &f->info))
        i++;
    return i;
}

static void add(Device *d, Adapters *all, WGPUAdapter adapter)
{
    Found f;
    WGPUSupportedFeatures features = WGPU_SUPPORTED_FEATURES_INIT;
    find(d, all, adapter, &f);
    d->lib.procs.AdapterGetFeatures(adapter, &features);
    for (size_t i = 0; i < features.featureCount; i++)
        if (feature_name(features.features[i]))
            VEC_PUSH(d->arena, &f.features, feature_name(features.features[i]));
    d->lib.procs.SupportedFeaturesFreeMembers(features);
    VEC_PUSH(d->arena, all, f);
}

/* `anew`: it counts only if none like it is there already. NULL, or why there is none. */
static const char *ask(Device *d, const WGPURequestAdapterOptions *wish, bool anew, Adapters *all)
{
    WGPUAdapter adapter = NULL;
    Found       f;
    const char *why = library_find_adapter(&d->lib, d->arena, wish, &adapter);
    if (why)
        return why;
    if (!anew || find(d, all, adapter, &f) == all->len)
        add(d, all, adapter);
    d->lib.procs.AdapterRelease(adapter);
    return NULL;
}

/* Two of them may be of the same kind: numbers alone tell them apart. Why there is none
 * after the last one also says which were left out. */
static void find_numbered(Device *d, Adapters *all, const char **left_out)
{
    static const char mark[] = "left out: ";
    const char *end = NULL;
    for (uint32_t i = 0; !end; i++) {
        WGPURequestAdapterOptions     wish = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
        WGPUWeftRequestAdapterOptions number = WGPU_WEFT_REQUEST_ADAPTER_OPTIONS_INIT;
        number.name = (WGPUStringView){arena_printf(d->arena, "#%u", i), WGPU_STRLEN};
        wish.nextInChain = &number.chain;
        end = ask(d, &wish, false, all);
    }
    const char *at = strstr(end, mark);
    *left_out = at ? at + strlen(mark) : NULL;
}

static void find_kinds(Device *d, Adapters *all)
{
    const struct { WGPUBackendType backend; WGPUPowerPreference power; bool fallback; } asks[] = {
        {WGPUBackendType_Undefined, WGPUPowerPreference_Undefined, false},
        {WGPUBackendType_Undefined, WGPUPowerPreference_HighPerformance, false},
        {WGPUBackendType_Undefined, WGPUPowerPreference_LowPower, false},
        {WGPUBackendType_Vulkan, WGPUPowerPreference_HighPerformance, false},
        {WGPUBackendType_Vulkan, WGPUPowerPreference_LowPower, false},
        {WGPUBackendType_Undefined, WGPUPowerPreference_Undefined, true},
    };
    for (size_t i = 0; i < COUNTOF(asks); i++) {
        WGPURequestAdapterOptions wish = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
        wish.backendType = asks[i].backend;
        wish.powerPreference = asks[i].power;
        wish.forceFallbackAdapter = asks[i].fallback;
        ask(d, &wish, true, all);
    }
}

/* The default device; `len` if there is none, with the reason in *why. */
static uint32_t find_default(Device *d, const Adapters *all, const char **why)
{
    WGPURequestAdapterOptions wish = WGPU_REQUEST_ADAPTER_OPTIONS_INIT;
    WGPUAdapter adapter = NULL;
    Found       f;
    *why = library_find_adapter(&d->lib, d->arena, &wish, &adapter);
    if (*why)
        return all->len;
    uint32_t at = find(d, all, adapter, &f);
    d->lib.procs.AdapterRelease(adapter);
    return at;
}

/* Why adapter `at` is the default. */
static const char *reason(Device *d, const Adapters *all, uint32_t at)
{
    const Found *f = &all->data[at];
    const char  *word = getenv("WEFT_ADAPTER");
    if (!d->lib.has_options)
        return "the library prefers it";
    if (word && *word)
        return arena_printf(d->arena, "the environment has WEFT_ADAPTER=%s", word);
    if (strcmp(f->info.backend, "cpu") == 0 && at > 0)
        return "nothing in /dev belongs to a GPU; WEFT_ADAPTER=gpu takes the first one";
    if (strcmp(f->info.backend, "cpu") == 0)
        return "there is no GPU, and it comes before Vulkan without a GPU";
    return strcmp(f->info.type, "CPU") == 0 ? "there is no other" : "a GPU comes first";
}

/* ---- telling ---- */

static const char *size_text(Arena *arena, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    size_t i = 0;
    while (i + 1 < COUNTOF(units) && value >= 1024) {
        value /= 1024;
        i++;
    }
    return arena_printf(arena, "%.4g %s", value, units[i]);
}

/* `why`: it is the default; NULL: it is not. */
static void show(Cli *cli, const Found *f, const char *why)
{
    Text             *out = &cli->out;
    const WGPULimits *l = &f->limits;
    show_text(out, str_of(f->info.device));
    text_printf(out, " (%s, %s)%s\n  ", f->info.type, f->info.backend,
                why ? ", the default" : "");
    show_text(out, str_of(f->info.description));
    if (why) {
        text_add(out, STR("\n  chosen     "));
        show_text(out, str_of(why));
    }
    if (f->info.memory)
        text_printf(out, "\n  memory     %s", size_text(&cli->arena, f->info.memory));
    text_printf(out, "\n  features   ");
    for (uint32_t i = 0; i < f->features.len; i++)
        text_printf(out, "%s%s", i ? ", " : "", f->features.data[i]);
    text_printf(out, "\n  buffers    up to %s, bound as storage up to %s, as uniform up to %s\n",
                size_text(&cli->arena, l->maxBufferSize),
                size_text(&cli->arena, l->maxStorageBufferBindingSize),
                size_text(&cli->arena, l->maxUniformBufferBindingSize));
    text_printf(out, "  workgroups up to %u invocations, %u x %u x %u, with %s of their own\n",
                l->maxComputeInvocationsPerWorkgroup, l->maxComputeWorkgroupSizeX,
                l->maxComputeWorkgroupSizeY, l->maxComputeWorkgroupSizeZ,
                size_text(&cli->arena, l->maxComputeWorkgroupStorageSize));
    text_printf(out, "  subgroups  %u to %u invocations\n", f->info.subgroup_min,
                f->info.subgroup_max);
}

static void json_pair(Text *out, const char *key, const char *value)
{
    text_printf(out, "\"%s\":", key);
    json_text(out, value);
    text_char(out, ',');
}

static void json_adapter(Text *out, const Found *f, const char *why)
{
    text_char(out, '{');
    json_pair(out, "name", f->info.device);
    json_pair(out, "description", f->info.description);
    json_pair(out, "vendor", f->info.vendor);
    json_pair(out, "architecture", f->info.architecture);
    json_pair(out, "type", f->info.type);
    json_pair(out, "backend", f->info.backend);
    json_pair(out, "driver", f->info.driver);
    if (why)
        json_pair(out, "why", why);
    text_printf(out, "\"memory\":%llu,", (unsigned long long)f->info.memory);
    text_printf(out, "\"default\":%s,\"subgroup_size\":[%u,%u],\"features\":[",
                why ? "true" : "false", f->info.subgroup_min, f->info.subgroup_max);
    for (uint32_t i = 0; i < f->features.len; i++) {
        text_add(out, i ? STR(",") : STR(""));
        json_text(out, f->features.data[i]);
    }
    text_add(out, STR("],\"limits\":{"));
    const char *comma = "";
#define X(name)                                                                     \
    text_printf(out, "%s\"%s\":%llu", comma, #name, (unsigned long long)f->limits.name); \
    comma = ",";
    LIMITS(X)
#undef X
    (void)comma;
    text_add(out, STR("}}"));
}

/* `left_out`: NULL if nothing is. */
static void tell_end(Text *out, const char *left_out, bool json)
{
    if (json)
        text_add(out, STR("]"));
    if (json && left_out) {
        text_add(out, STR(",\"left_out\":"));
        json_text(out, left_out);
    } else if (left_out) {
        text_add(out, STR("\nleft out: "));
        show_text(out, str_of(left_out));
        text_char(out, '\n');
    }
    if (json)
        text_add(out, STR("}\n"));
}

static int run(Cli *cli)
{
    Device   d = {0};
    Adapters all = {0};
    bool     json = options_find(cli, "json", NULL);
    if (cli->operands.len) {
        cli_complain(cli, "takes no operand");
        return CLI_TROUBLE;
    }
    if (options_find(cli, "profile", NULL))
        return profile_show(cli, json, options_find(cli, "again", NULL));
    uint32_t    chosen = 0;
    const char *left_out = NULL, *why = device_load(&d, &cli->arena, &(DeviceDesc){0});
    if (!why) {
        if (d.lib.has_options)
            find_numbered(&d, &all, &left_out);
        else
            find_kinds(&d, &all);
        chosen = find_default(&d, &all, &why);
    }
    if (why)
        cli_complain(cli, "%s", why);
    text_add(&cli->out, json ? STR("{\"adapters\":[") : STR(""));
    for (uint32_t i = 0; i < all.len; i++) {
        const char *is_default = i == chosen ? reason(&d, &all, i) : NULL;
        if (i)
            text_add(&cli->out, json ? STR(",") : STR("\n"));
        if (json)
            json_adapter(&cli->out, &all.data[i], is_default);
        else
            show(cli, &all.data[i], is_default);
    }
    tell_end(&cli->out, left_out, json);
    device_close(&d);
    return why ? CLI_TROUBLE : CLI_OK;
}

const Command cli_devices = {
    .name = "devices", .operands = "",
    .purpose = "Show what there is to run on, with its features and limits.",
    .more = "They come in the order of preference; numbers that choose one count from 0. The\n"
            "environment variable WEFT_ADAPTER chooses another default: cpu, gpu, vulkan, a\n"
            "number, or a part of a name. WEFT_WEBGPU names another library with webgpu.h to\n"
            "ask, for 'weft run' too.\n",
    .options = options, .run = run,
};
