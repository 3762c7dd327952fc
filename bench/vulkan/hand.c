/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hand.c - the work of a benchmark in Vulkan, as one writes it by hand for one kernel.
 *
 * in     a shader that glslang made, arrays
 * out    launches: a command buffer is recorded, submitted and waited for
 * knows  the first device, memory that host and device share
 * not    Weft
 */
#include "vulkan/hand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

struct Hand {
    const Work      *work;
    VkInstance       instance;
    VkPhysicalDevice physical;
    VkPhysicalDeviceProperties properties;
    VkDevice         device;
    VkQueue          queue;
    VkBuffer         buffer[MAX_BUFFERS];
    VkDeviceMemory   memory[MAX_BUFFERS];
    void            *data[MAX_BUFFERS];
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool descriptors;
    VkDescriptorSet  set;
    VkPipelineLayout layout;
    VkPipeline       pipeline;
    VkCommandPool    pool;
    VkCommandBuffer  commands;
    VkFence          fence;
};

static void must(VkResult result, const char *what)
{
    if (result != VK_SUCCESS)
        stop("%s fails with %d", what, (int)result);
}
#define MUST(call) must(call, #call)

/* ---- the device ---- */

static void open_device(Hand *h)
{
    const float priority = 1;
    uint32_t    one = 1;
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                     .pApplicationInfo = &app};
    MUST(vkCreateInstance(&instance, NULL, &h->instance));
    if (vkEnumeratePhysicalDevices(h->instance, &one, &h->physical) < 0 || one == 0)
        stop("there is no Vulkan device");
    vkGetPhysicalDeviceProperties(h->physical, &h->properties);
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    MUST(vkCreateDevice(h->physical, &device, NULL, &h->device));
    vkGetDeviceQueue(h->device, 0, 0, &h->queue);
}

static uint32_t shared_type(const Hand *h, uint32_t bits)
{
    const VkMemoryPropertyFlags want = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
                                       | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
                                       | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    VkPhysicalDeviceMemoryProperties memory;
    vkGetPhysicalDeviceMemoryProperties(h->physical, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++)
        if (bits >> i & 1 && (memory.memoryTypes[i].propertyFlags & want) == want)
            return i;
    stop("the device does not share memory with the host");
    return 0;
}

static void make_buffer(Hand *h, uint32_t i)
{
    const Array *a = &h->work->array[i];
    VkMemoryRequirements need;
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = a->size,
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
                                        | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    MUST(vkCreateBuffer(h->device, &info, NULL, &h->buffer[i]));
    vkGetBufferMemoryRequirements(h->device, h->buffer[i], &need);
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                   .allocationSize = need.size,
                                   .memoryTypeIndex = shared_type(h, need.memoryTypeBits)};
    MUST(vkAllocateMemory(h->device, &memory, NULL, &h->memory[i]));
    MUST(vkBindBufferMemory(h->device, h->buffer[i], h->memory[i], 0));
    MUST(vkMapMemory(h->device, h->memory[i], 0, VK_WHOLE_SIZE, 0, &h->data[i]));
    memcpy(h->data[i], a->data, a->size);
}

/* ---- the pipeline ---- */

static uint32_t *read_shader(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        stop("%s cannot be read", path);
    long bytes = ftell(f);
    rewind(f);
    uint32_t *words = malloc((size_t)bytes + 4);
    *size = (size_t)bytes;
    if (!words || fread(words, 1, *size, f) != *size)
        stop("%s cannot be read", path);
    fclose(f);
    return words;
}

static void make_layouts(Hand *h)
{
    VkDescriptorSetLayoutBinding bindings[MAX_BUFFERS];
    for (uint32_t i = 0; i < h->work->narrays; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = h->work->narrays, .pBindings = bindings};
    MUST(vkCreateDescriptorSetLayout(h->device, &set, NULL, &h->set_layout));
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1, .pSetLayouts = &h->set_layout};
    MUST(vkCreatePipelineLayout(h->device, &layout, NULL, &h->layout));
}

static void make_pipeline(Hand *h, const char *spv)
{
    VkSpecializationMapEntry entries[MAX_SIZES];
    for (uint32_t i = 0; i < MAX_SIZES; i++)
        entries[i] = (VkSpecializationMapEntry){i, i * 4, 4};
    VkSpecializationInfo sizes = {MAX_SIZES, entries, sizeof h->work->size, h->work->size};
    size_t    size;
    uint32_t *words = read_shader(spv, &size);
    VkShaderModule module;
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
                                     .codeSize = size, .pCode = words};
    MUST(vkCreateShaderModule(h->device, &info, NULL, &module));
    VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = h->layout,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = "main",
                  .pSpecializationInfo = &sizes}};
    MUST(vkCreateComputePipelines(h->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &h->pipeline));
    vkDestroyShaderModule(h->device, module, NULL);
    free(words);
}

static void make_set(Hand *h)
{
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, MAX_BUFFERS};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    MUST(vkCreateDescriptorPool(h->device, &pool, NULL, &h->descriptors));
    VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                       .descriptorPool = h->descriptors,
                                       .descriptorSetCount = 1, .pSetLayouts = &h->set_layout};
    MUST(vkAllocateDescriptorSets(h->device, &set, &h->set));
    for (uint32_t i = 0; i < h->work->narrays; i++) {
        VkDescriptorBufferInfo buffer = {h->buffer[i], 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = h->set, .dstBinding = i, .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = &buffer};
        vkUpdateDescriptorSets(h->device, 1, &write, 0, NULL);
    }
}

static void make_commands(Hand *h)
{
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT};
    MUST(vkCreateCommandPool(h->device, &pool, NULL, &h->pool));
    VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = h->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
    MUST(vkAllocateCommandBuffers(h->device, &buffer, &h->commands));
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    MUST(vkCreateFence(h->device, &fence, NULL, &h->fence));
}

/* ---- launches ---- */

static void barrier(Hand *h, VkPipelineStageFlags from, VkAccessFlags written,
                    VkPipelineStageFlags to, VkAccessFlags read)
{
    VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                           .srcAccessMask = written, .dstAccessMask = read};
    vkCmdPipelineBarrier(h->commands, from, to, 0, 1, &all, 0, NULL, 0, NULL);
}

static void record(Hand *h, const Step *s)
{
    if (s->kind == STEP_CLEAR) {
        vkCmdFillBuffer(h->commands, h->buffer[s->to], 0, VK_WHOLE_SIZE, 0);
        barrier(h, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
        return;
    }
    vkCmdBindPipeline(h->commands, VK_PIPELINE_BIND_POINT_COMPUTE, h->pipeline);
    if (h->work->narrays)
        vkCmdBindDescriptorSets(h->commands, VK_PIPELINE_BIND_POINT_COMPUTE, h->layout, 0, 1,
                                &h->set, 0, NULL);
    vkCmdDispatch(h->commands, s->groups[0], s->groups[1], 1);
}

void hand_launch(Hand *h)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
                           .pCommandBuffers = &h->commands};
    MUST(vkResetCommandPool(h->device, h->pool, 0));
    MUST(vkBeginCommandBuffer(h->commands, &begin));
    for (uint32_t i = 0; i < h->work->nsteps; i++)
        record(h, &h->work->step[i]);
    barrier(h, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    MUST(vkEndCommandBuffer(h->commands));
    MUST(vkResetFences(h->device, 1, &h->fence));
    MUST(vkQueueSubmit(h->queue, 1, &submit, h->fence));
    MUST(vkWaitForFences(h->device, 1, &h->fence, VK_TRUE, UINT64_MAX));
}

const void *hand_result(Hand *h)
{
    return h->data[h->work->out];
}

const char *hand_device(const Hand *h)
{
    return h->properties.deviceName;
}

/* ---- its life ---- */

Hand *hand_new(const char *spv, const Work *w)
{
    Hand *h = calloc(1, sizeof *h);
    if (!h)
        stop("no memory");
    h->work = w;
    open_device(h);
    for (uint32_t i = 0; i < w->narrays; i++)
        make_buffer(h, i);
    make_layouts(h);
    make_pipeline(h, spv);
    make_set(h);
    make_commands(h);
    return h;
}

void hand_free(Hand *h)
{
    vkDestroyFence(h->device, h->fence, NULL);
    vkDestroyCommandPool(h->device, h->pool, NULL);
    vkDestroyDescriptorPool(h->device, h->descriptors, NULL);
    vkDestroyPipeline(h->device, h->pipeline, NULL);
    vkDestroyPipelineLayout(h->device, h->layout, NULL);
    vkDestroyDescriptorSetLayout(h->device, h->set_layout, NULL);
    for (uint32_t i = 0; i < h->work->narrays; i++) {
        vkDestroyBuffer(h->device, h->buffer[i], NULL);
        vkFreeMemory(h->device, h->memory[i], NULL);
    }
    vkDestroyDevice(h->device, NULL);
    vkDestroyInstance(h->instance, NULL);
    free(h);
}
