// SPDX-License-Identifier: Apache-2.0
/*
 * kernel.c - pipelines, and the kernels that the device itself needs.
 *
 * in     a module, an entry point, overrides
 * out    a VkPipeline and its layouts
 * knows  what compile/spirv.h says of a kernel
 * not    SPIR-V
 */
#include "gpu/vulkan/vulkan_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/exit.h"
#include "compile/compile.h"
#include "compile/spirv.h"

/* ---- layouts ---- */

static VulkanSlotKind kind_of(const SpirvBinding *b)
{
    return b->is_uniform ? SLOT_UNIFORM : b->read_only ? SLOT_READ : SLOT_WRITABLE;
}

static bool copy_bindings(GpuKernel *k, const SpirvKernel *code)
{
    k->bindings = calloc(code->nbindings + 1, sizeof *k->bindings);
    if (!k->bindings)
        return false;
    k->nbindings = code->nbindings;
    for (uint32_t i = 0; i < code->nbindings; i++) {
        const SpirvBinding *b = &code->bindings[i];
        k->bindings[i] = (VulkanBinding){b->group, b->binding, kind_of(b)};
        k->nsets = MAX_OF(k->nsets, b->group + 1);
    }
    BUG_IF(k->nsets > VULKAN_MAX_SETS, "a kernel has a group %u", k->nsets - 1);
    return true;
}

static VkResult make_set_layout(GpuDevice *d, GpuKernel *k, uint32_t group,
                                VkDescriptorSetLayoutBinding *room)
{
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .pBindings = room,
    };
    for (uint32_t i = 0; i < k->nbindings; i++)
        if (k->bindings[i].group == group)
            room[info.bindingCount++] = (VkDescriptorSetLayoutBinding){
                .binding = k->bindings[i].binding,
                .descriptorType = k->bindings[i].kind == SLOT_UNIFORM
                                      ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER
                                      : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                .descriptorCount = 1, .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
            };
    return d->fn.CreateDescriptorSetLayout(d->device, &info, NULL, &k->sets[group]);
}

static VkResult make_layouts(GpuDevice *d, GpuKernel *k)
{
    VkResult result = VK_SUCCESS;
    VkDescriptorSetLayoutBinding *room = calloc(k->nbindings + 1, sizeof *room);
    if (!room)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t group = 0; group < k->nsets && result == VK_SUCCESS; group++)
        result = make_set_layout(d, k, group, room);
    free(room);
    if (result != VK_SUCCESS)
        return result;
    VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, k->immediates};
    VkPipelineLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = k->nsets, .pSetLayouts = k->sets,
        .pushConstantRangeCount = k->immediates ? 1 : 0, .pPushConstantRanges = &push,
    };
    return d->fn.CreatePipelineLayout(d->device, &info, NULL, &k->layout);
}

/* ---- pipelines ---- */

static VkResult make_pipeline(GpuDevice *d, const GpuKernel *k, SpirvCode code,
                              VkPipeline *out)
{
    VkShaderModule module = VK_NULL_HANDLE;
    VkShaderModuleCreateInfo source = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = code.count * sizeof *code.words, .pCode = code.words,
    };
    VkResult result = d->fn.CreateShaderModule(d->device, &source, NULL, &module);
    if (result != VK_SUCCESS)
        return result;
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = "main",
        },
        .layout = k->layout,
    };
    /* Without it the kernel is told one size for all, whatever it gets. */
    if (k->uses_subgroups && d->adapter->sizes_vary)
        info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_ALLOW_VARYING_SUBGROUP_SIZE_BIT;
    result = d->fn.CreateComputePipelines(d->device, d->cache, 1, &info, NULL, out);
    d->fn.DestroyShaderModule(d->device, module, NULL);
    return result;
}

static bool copy_proof(GpuKernel *k, const Proof *p)
{
    ProofNode  *nodes = malloc((p->nnodes + 1) * sizeof *nodes);
    ProofCheck *checks = malloc((p->nchecks + 1) * sizeof *checks);
    if (!nodes || !checks) {
        free(nodes);
        free(checks);
        return false;
    }
    if (p->nnodes)
        memcpy(nodes, p->nodes, p->nnodes * sizeof *nodes);
    memcpy(checks, p->checks, p->nchecks * sizeof *checks);
    k->proof = *p;
    k->proof.nodes = nodes;
    k->proof.checks = checks;
    return true;
}

static bool copy_code(GpuKernel *k, SpirvCode code)
{
    uint32_t *words = malloc(code.count * sizeof *words);
    if (!words)
        return false;
    memcpy(words, code.words, code.count * sizeof *words);
    k->words = words;
    k->nwords = code.count;
    return true;
}

/* The pipeline for a driver that leaves bounds to the code, where they are proved. It is a
 * matter of speed alone: where it cannot be made there is none. The other is made when a
 * dispatch needs it, which few do. */
static void make_unchecked(GpuDevice *d, GpuKernel *k, const SpirvKernel *code,
                           const SpirvKernel *unchecked)
{
    if (unchecked->proof.nchecks && unchecked->nbindings == k->nbindings
        && copy_proof(k, &unchecked->proof) && copy_code(k, code->code)
        && make_pipeline(d, k, unchecked->code, &k->unchecked) != VK_SUCCESS)
        k->unchecked = VK_NULL_HANDLE;
}

/* `unchecked`: NULL if there is none. */
static VkResult kernel_make(GpuDevice *d, const SpirvKernel *code,
                            const SpirvKernel *unchecked, GpuKernel **out)
{
    GpuKernel *k = calloc(1, sizeof *k);
    if (!k || !copy_bindings(k, code)) {
        free(k);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    k->id = atomic_fetch_add(&d->next_id, 1) + 1;
    k->immediates = (code->immediate_bytes + 3) / 4 * 4;
    k->uses_subgroups = code->uses_subgroups;
    VkResult result = make_layouts(d, k);
    if (result == VK_SUCCESS && unchecked)
        make_unchecked(d, k, code, unchecked);
    if (result == VK_SUCCESS && !k->unchecked)
        result = make_pipeline(d, k, code->code, &k->pipeline);
    if (result != VK_SUCCESS) {
        vulkan_kernel_free(d, k);
        return result;
    }
    *out = k;
    return VK_SUCCESS;
}

VkResult vulkan_kernel_check(GpuDevice *d, GpuKernel *k)
{
    SpirvCode code = {k->words, k->nwords};
    return k->pipeline ? VK_SUCCESS : make_pipeline(d, k, code, &k->pipeline);
}

static GpuKernel *kernel_compile(GpuDevice *d, Arena *arena, const Module *m,
                                 const Decl *entry, const OverrideSetting *settings,
                                 uint32_t nsettings, Diag *diag)
{
    const SpirvTarget *target = &d->adapter->target;
    SpirvKernel        code = {0}, unchecked = {0};
    GpuKernel         *k = NULL;
    if (!spirv_compile(&code, arena, m, entry, settings, nsettings, target, diag))
        return NULL;
    bool two = !target->robust_storage
               && spirv_compile_assuming(&unchecked, arena, m, entry, settings, nsettings,
                                         target, &(Diag){.arena = arena});
    VkResult result = kernel_make(d, &code, two ? &unchecked : NULL, &k);
    if (result != VK_SUCCESS)
        diag_add(diag, DIAG_device_refused, entry->span,
                 "the driver does not take the kernel: %s", vulkan_result_text(result));
    return k;
}

/* Drivers have static objects, which must not go while one of our threads is in there. */
GpuKernel *vulkan_kernel_new(GpuDevice *d, const Module *m, const Decl *entry,
                             const OverrideSetting *settings, uint32_t nsettings, Diag *diag)
{
    Arena arena;
    if (!exit_hold()) {
        diag_add(diag, DIAG_not_compiled, entry->span, "the program is ending");
        return NULL;
    }
    arena_init(&arena, 0);
    GpuKernel *k = kernel_compile(d, &arena, m, entry, settings, nsettings, diag);
    arena_fini(&arena);
    exit_release();
    return k;
}

void vulkan_kernel_free(GpuDevice *d, GpuKernel *k)
{
    if (!k)
        return;
    d->fn.DestroyPipeline(d->device, k->pipeline, NULL);
    d->fn.DestroyPipeline(d->device, k->unchecked, NULL);
    d->fn.DestroyPipelineLayout(d->device, k->layout, NULL);
    for (uint32_t i = 0; i < k->nsets; i++)
        d->fn.DestroyDescriptorSetLayout(d->device, k->sets[i], NULL);
    free(k->words);
    free(k->proof.nodes);
    free(k->proof.checks);
    free(k->bindings);
    free(k);
}

/* ---- the device's own ---- */

static const char *const helper_sources[] = {
    /* The arguments of a dispatch at given[most.at], or zeros if there are more workgroups
     * than there may be. No dimension has more than 65535, so a product of two fits. */
    [HELPER_INDIRECT] =
        "requires immediate_address_space;\n"
        "struct Most { x : u32, y : u32, z : u32, at : u32, low : u32, high : u32 }\n"
        "var<immediate> most : Most;\n"
        "@group(0) @binding(0) var<storage, read> given : array<u32>;\n"
        "@group(0) @binding(1) var<storage, read_write> kept : array<u32, 3>;\n"
        "@compute @workgroup_size(1) fn main() {\n"
        "  let x = given[most.at]; let y = given[most.at + 1]; let z = given[most.at + 2];\n"
        "  var fits = x <= most.x && y <= most.y && z <= most.z;\n"
        "  if (fits) {\n"
        "    let plane = x * y;\n"
        "    let carry = (plane & 0xffff) * z;\n"
        "    let upper = (plane >> 16) * z + (carry >> 16);\n"
        "    let low = (upper << 16) | (carry & 0xffff);\n"
        "    let high = upper >> 16;\n"
        "    fits = high < most.high || (high == most.high && low <= most.low);\n"
        "  }\n"
        "  kept[0] = select(0u, x, fits);\n"
        "  kept[1] = select(0u, y, fits);\n"
        "  kept[2] = select(0u, z, fits);\n"
        "}\n",
    /* Ticks become nanoseconds: 64 bits times `factor`, shifted right by 1 to 31. */
    [HELPER_TIMES] =
        "requires immediate_address_space;\n"
        "struct Rate { count : u32, factor : u32, shift : u32 }\n"
        "var<immediate> rate : Rate;\n"
        "@group(0) @binding(0) var<storage, read_write> times : array<vec2u>;\n"
        "fn product(a : u32, b : u32) -> vec2u {\n"
        "  let ll = (a & 0xffff) * (b & 0xffff); let lh = (a & 0xffff) * (b >> 16);\n"
        "  let hl = (a >> 16) * (b & 0xffff); let hh = (a >> 16) * (b >> 16);\n"
        "  let middle = (ll >> 16) + (lh & 0xffff) + (hl & 0xffff);\n"
        "  return vec2u((middle << 16) | (ll & 0xffff),\n"
        "               hh + (lh >> 16) + (hl >> 16) + (middle >> 16));\n"
        "}\n"
        "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {\n"
        "  if (id.x >= rate.count) { return; }\n"
        "  let ticks = times[id.x];\n"
        "  let low = product(ticks.x, rate.factor);\n"
        "  let high = product(ticks.y, rate.factor);\n"
        "  let middle = low.y + high.x;\n"
        "  let top = high.y + select(0u, 1u, middle < low.y);\n"
        "  let back = 32 - rate.shift;\n"
        "  times[id.x] = vec2u((low.x >> rate.shift) | (middle << back),\n"
        "                      (middle >> rate.shift) | (top << back));\n"
        "}\n",
};
_Static_assert(COUNTOF(helper_sources) == HELPER_COUNT, "a helper has no source");

typedef struct Front {
    Arena        *arena;
    const char   *source;
    Diag         *diag;
    const Module *module;
} Front;

static void read_source(void *context)
{
    Front *f = context;
    f->module = compile_front(f->arena, str_of(f->source), f->diag);
}

GpuKernel *vulkan_helper_get(GpuDevice *d, VulkanHelper helper)
{
    Arena arena;
    if (d->helpers[helper])
        return d->helpers[helper];
    arena_init(&arena, 0);
    Diag  diag = {.arena = &arena};
    Front front = {.arena = &arena, .source = helper_sources[helper], .diag = &diag};
    if (arena_try(&arena, read_source, &front)) {
        BUG_IF(!front.module, "a kernel of the device's own is wrong: %s",
               diag.list.len ? diag.list.data[0].message : "");
        const Decl *entry = module_find_entry_point(front.module, STR("main"));
        BUG_IF(!entry, "a kernel of the device's own has no entry point");
        d->helpers[helper] = vulkan_kernel_new(d, front.module, entry, NULL, 0, &diag);
    }
    arena_fini(&arena);
    return d->helpers[helper];
}
