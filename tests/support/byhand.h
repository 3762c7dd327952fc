/* SPDX-License-Identifier: Apache-2.0 */
/*
 * byhand.h - one kernel in Vulkan, as one writes it by hand.
 *
 * in     a module of SPIR-V with storage buffers at bindings 0, 1, ... of set 0
 * out    a device, memory that it shares with the host, a pipeline, a command buffer; what
 *        goes into that is up to the caller
 * knows  the first device
 * not    Weft: it is what Weft is measured against
 *
 * What fails is told on standard error, and the program ends with 2.
 */
#ifndef WEFT_TESTS_SUPPORT_BYHAND_H
#define WEFT_TESTS_SUPPORT_BYHAND_H

#include <stdint.h>
#include <vulkan/vulkan.h>

#define BY_HAND_BUFFERS 8

typedef struct ByHand {
    VkInstance            instance;
    VkPhysicalDevice      physical;
    VkDevice              device;
    VkQueue               queue;
    uint32_t              nbuffers;
    VkBuffer              buffer[BY_HAND_BUFFERS];
    VkDeviceMemory        memory[BY_HAND_BUFFERS];
    void                 *data[BY_HAND_BUFFERS];    /* as the host sees it         */
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool      sets;
    VkDescriptorSet       set;
    VkPipelineLayout      layout;
    VkPipeline            pipeline;
    VkCommandPool         pool;
    VkCommandBuffer       commands;
} ByHand;

void by_hand_must(VkResult result, const char *what);
#define MUST(call) by_hand_must(call, #call)

void by_hand_open(ByHand *h);
/* The next one, with zeros. */
void by_hand_buffer(ByHand *h, VkDeviceSize size);
/* After the buffers. `numbers` are specialisation constants; NULL: none. */
void by_hand_kernel(ByHand *h, const char *spv, const VkSpecializationInfo *numbers);
/* Binds the pipeline and its buffers, and dispatches. */
void by_hand_dispatch(ByHand *h, uint32_t x, uint32_t y);
void by_hand_barrier(ByHand *h, VkPipelineStageFlags from, VkAccessFlags written,
                     VkPipelineStageFlags to, VkAccessFlags read);
/* Whatever there is of it. */
void by_hand_close(ByHand *h);

#endif
