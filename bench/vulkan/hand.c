/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hand.c - the work of a benchmark in Vulkan, as one writes it by hand for one kernel.
 *
 * in     a shader that glslang made, arrays
 * out    launches: a command buffer is recorded, submitted and waited for
 * knows  what a benchmark consists of
 * not    Weft; how Vulkan is set up (tests/support/byhand.h)
 */
#include "vulkan/hand.h"

#include <stdlib.h>
#include <string.h>

#include "support/byhand.h"

_Static_assert(MAX_BUFFERS <= BY_HAND_BUFFERS, "a benchmark has more buffers");

struct Hand {
    const Work *work;
    ByHand      by;
    VkFence     fence;
    VkPhysicalDeviceProperties properties;
};

/* ---- launches ---- */

/* Step `i`. What is bound already stays. */
static void record(Hand *h, uint32_t i)
{
    const Step *s = &h->work->step[i];
    if (s->kind != STEP_CLEAR && i > 0 && s[-1].kind != STEP_CLEAR) {
        vkCmdDispatch(h->by.commands, s->groups[0], s->groups[1], 1);
        return;
    }
    if (s->kind != STEP_CLEAR) {
        by_hand_dispatch(&h->by, s->groups[0], s->groups[1]);
        return;
    }
    vkCmdFillBuffer(h->by.commands, h->by.buffer[s->to], 0, VK_WHOLE_SIZE, 0);
    by_hand_barrier(&h->by, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                    VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

static void begin(Hand *h)
{
    VkCommandBufferBeginInfo once = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                     .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    MUST(vkResetCommandPool(h->by.device, h->by.pool, 0));
    MUST(vkBeginCommandBuffer(h->by.commands, &once));
}

static void finish(Hand *h)
{
    VkDevice     device = h->by.device;
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
                           .pCommandBuffers = &h->by.commands};
    MUST(vkEndCommandBuffer(h->by.commands));
    MUST(vkResetFences(device, 1, &h->fence));
    MUST(vkQueueSubmit(h->by.queue, 1, &submit, h->fence));
    MUST(vkWaitForFences(device, 1, &h->fence, VK_TRUE, UINT64_MAX));
}

void hand_launch(Hand *h)
{
    begin(h);
    for (uint32_t i = 0; i < h->work->nsteps; i++)
        record(h, i);
    by_hand_barrier(&h->by, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    finish(h);
}

/* ---- data ---- */

void hand_write(Hand *h, uint32_t i)
{
    memcpy(h->by.data[i], h->work->array[i].data, h->work->array[i].size);
}

void hand_read(Hand *h, void *to)
{
    uint32_t     out = h->work->out;
    VkBufferCopy all = {.size = h->work->array[out].size};
    if (h->by.nbuffers == h->work->narrays)
        by_hand_buffer(&h->by, all.size);
    begin(h);
    vkCmdCopyBuffer(h->by.commands, h->by.buffer[out], h->by.buffer[h->by.nbuffers - 1], 1,
                    &all);
    by_hand_barrier(&h->by, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                    VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    finish(h);
    memcpy(to, h->by.data[h->by.nbuffers - 1], all.size);
}

const void *hand_result(Hand *h)
{
    return h->by.data[h->work->out];
}

const char *hand_device(const Hand *h)
{
    return h->properties.deviceName;
}

/* ---- its life ---- */

Hand *hand_new(const char *spv, const Work *w)
{
    VkFenceCreateInfo        fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkSpecializationMapEntry entries[MAX_SIZES];
    for (uint32_t i = 0; i < MAX_SIZES; i++)
        entries[i] = (VkSpecializationMapEntry){i, i * 4, 4};
    VkSpecializationInfo sizes = {MAX_SIZES, entries, sizeof w->size, w->size};
    Hand *h = calloc(1, sizeof *h);
    if (!h)
        stop("no memory");
    h->work = w;
    by_hand_open(&h->by);
    vkGetPhysicalDeviceProperties(h->by.physical, &h->properties);
    for (uint32_t i = 0; i < w->narrays; i++) {
        by_hand_buffer(&h->by, w->array[i].size);
        memcpy(h->by.data[i], w->array[i].data, w->array[i].size);
    }
    by_hand_kernel(&h->by, spv, &sizes);
    MUST(vkCreateFence(h->by.device, &fence, NULL, &h->fence));
    return h;
}

void hand_free(Hand *h)
{
    vkDestroyFence(h->by.device, h->fence, NULL);
    by_hand_close(&h->by);
    free(h);
}
