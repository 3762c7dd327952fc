/* SPDX-License-Identifier: Apache-2.0 */
/*
 * byhand.c - one kernel in Vulkan, as one writes it by hand.
 */
#include "support/byhand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void by_hand_must(VkResult result, const char *what)
{
    if (result == VK_SUCCESS)
        return;
    fprintf(stderr, "%s fails with %d\n", what, (int)result);
    exit(2);
}

/* ---- the device ---- */

void by_hand_open(ByHand *h)
{
    const float priority = 1;
    uint32_t    one = 1;
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                     .pApplicationInfo = &app};
    *h = (ByHand){0};
    MUST(vkCreateInstance(&instance, NULL, &h->instance));
    if (vkEnumeratePhysicalDevices(h->instance, &one, &h->physical) < 0 || one == 0)
        by_hand_must(VK_ERROR_INITIALIZATION_FAILED, "finding a Vulkan device");
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    MUST(vkCreateDevice(h->physical, &device, NULL, &h->device));
    vkGetDeviceQueue(h->device, 0, 0, &h->queue);
}

/* ---- buffers ---- */

/* Drivers without a GPU have such memory, and so have GPUs inside a processor. */
static uint32_t shared_type(const ByHand *h, uint32_t bits)
{
    const VkMemoryPropertyFlags want = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
                                       | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
                                       | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    VkPhysicalDeviceMemoryProperties all;
    vkGetPhysicalDeviceMemoryProperties(h->physical, &all);
    for (uint32_t i = 0; i < all.memoryTypeCount; i++)
        if (bits >> i & 1 && (all.memoryTypes[i].propertyFlags & want) == want)
            return i;
    by_hand_must(VK_ERROR_OUT_OF_DEVICE_MEMORY, "finding memory that the host shares");
    return 0;
}

void by_hand_buffer(ByHand *h, VkDeviceSize size)
{
    uint32_t             i = h->nbuffers++;
    VkMemoryRequirements need;
    VkBufferCreateInfo   info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size,
                                 .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT
                                          | VK_BUFFER_USAGE_TRANSFER_SRC_BIT
                                          | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    MUST(vkCreateBuffer(h->device, &info, NULL, &h->buffer[i]));
    vkGetBufferMemoryRequirements(h->device, h->buffer[i], &need);
    VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                   .allocationSize = need.size,
                                   .memoryTypeIndex = shared_type(h, need.memoryTypeBits)};
    MUST(vkAllocateMemory(h->device, &memory, NULL, &h->memory[i]));
    MUST(vkBindBufferMemory(h->device, h->buffer[i], h->memory[i], 0));
    MUST(vkMapMemory(h->device, h->memory[i], 0, VK_WHOLE_SIZE, 0, &h->data[i]));
    memset(h->data[i], 0, size);
}

/* ---- the kernel ---- */

static uint32_t *read_module(const char *path, size_t *size)
{
    FILE     *f = fopen(path, "rb");
    long      bytes = f && fseek(f, 0, SEEK_END) == 0 ? ftell(f) : 0;
    uint32_t *words = malloc((size_t)bytes + 4);
    *size = 0;
    if (f && words) {
        rewind(f);
        *size = fread(words, 1, (size_t)bytes, f);
    }
    if (f)
        fclose(f);
    if (!*size)
        by_hand_must(VK_ERROR_INITIALIZATION_FAILED, path);
    return words;
}

static void make_layouts(ByHand *h)
{
    VkDescriptorSetLayoutBinding bindings[BY_HAND_BUFFERS];
    for (uint32_t i = 0; i < h->nbuffers; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = h->nbuffers, .pBindings = bindings};
    MUST(vkCreateDescriptorSetLayout(h->device, &set, NULL, &h->set_layout));
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1, .pSetLayouts = &h->set_layout};
    MUST(vkCreatePipelineLayout(h->device, &layout, NULL, &h->layout));
}

static void make_pipeline(ByHand *h, const char *spv, const VkSpecializationInfo *numbers)
{
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    VkShaderModule           module;
    uint32_t                *words = read_module(spv, &info.codeSize);
    info.pCode = words;
    MUST(vkCreateShaderModule(h->device, &info, NULL, &module));
    VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = h->layout,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = "main",
                  .pSpecializationInfo = numbers}};
    MUST(vkCreateComputePipelines(h->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &h->pipeline));
    vkDestroyShaderModule(h->device, module, NULL);
    free(words);
}

static void make_set(ByHand *h)
{
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BY_HAND_BUFFERS};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    MUST(vkCreateDescriptorPool(h->device, &pool, NULL, &h->sets));
    VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                       .descriptorPool = h->sets, .descriptorSetCount = 1,
                                       .pSetLayouts = &h->set_layout};
    MUST(vkAllocateDescriptorSets(h->device, &set, &h->set));
    for (uint32_t i = 0; i < h->nbuffers; i++) {
        VkDescriptorBufferInfo buffer = {h->buffer[i], 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = h->set, .dstBinding = i, .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = &buffer};
        vkUpdateDescriptorSets(h->device, 1, &write, 0, NULL);
    }
}

static void make_commands(ByHand *h)
{
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT};
    MUST(vkCreateCommandPool(h->device, &pool, NULL, &h->pool));
    VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = h->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
    MUST(vkAllocateCommandBuffers(h->device, &buffer, &h->commands));
}

void by_hand_kernel(ByHand *h, const char *spv, const VkSpecializationInfo *numbers)
{
    make_layouts(h);
    make_pipeline(h, spv, numbers);
    make_set(h);
    make_commands(h);
}

/* ---- commands ---- */

void by_hand_dispatch(ByHand *h, uint32_t x, uint32_t y)
{
    vkCmdBindPipeline(h->commands, VK_PIPELINE_BIND_POINT_COMPUTE, h->pipeline);
    if (h->nbuffers)
        vkCmdBindDescriptorSets(h->commands, VK_PIPELINE_BIND_POINT_COMPUTE, h->layout, 0, 1,
                                &h->set, 0, NULL);
    vkCmdDispatch(h->commands, x, y, 1);
}

void by_hand_barrier(ByHand *h, VkPipelineStageFlags from, VkAccessFlags written,
                     VkPipelineStageFlags to, VkAccessFlags read)
{
    VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                           .srcAccessMask = written, .dstAccessMask = read};
    vkCmdPipelineBarrier(h->commands, from, to, 0, 1, &all, 0, NULL, 0, NULL);
}

/* ---- the end ---- */

void by_hand_close(ByHand *h)
{
    vkDestroyCommandPool(h->device, h->pool, NULL);
    vkDestroyDescriptorPool(h->device, h->sets, NULL);
    vkDestroyPipeline(h->device, h->pipeline, NULL);
    vkDestroyPipelineLayout(h->device, h->layout, NULL);
    vkDestroyDescriptorSetLayout(h->device, h->set_layout, NULL);
    for (uint32_t i = 0; i < h->nbuffers; i++) {
        vkDestroyBuffer(h->device, h->buffer[i], NULL);
        vkFreeMemory(h->device, h->memory[i], NULL);
    }
    vkDestroyDevice(h->device, NULL);
    vkDestroyInstance(h->instance, NULL);
}
