// SPDX-License-Identifier: Apache-2.0
/*
 * reorder.h - commands that nothing orders are carried out in the other order.
 *
 * in     command buffers, as they are recorded and submitted
 * out    when somebody waits, all that was submitted so far: those commands between two
 *        barriers last first, also across submits, as a GPU may run them
 * knows  that a barrier here is always one of all commands; that queries have an order of
 *        their own; one queue a device
 * not    what the commands do
 */
#ifndef WEFT_TESTS_GPU_VULKAN_REORDER_H
#define WEFT_TESTS_GPU_VULKAN_REORDER_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

/* The function to take instead of `found`, or `found`. `get` is the driver's; `device` may
 * be NULL. */
PFN_vkVoidFunction reorder_front(const char *name, PFN_vkVoidFunction found, VkDevice device,
                                 PFN_vkGetDeviceProcAddr get);
/* Somebody is going to wait for the device. */
void reorder_run(VkDevice device);

#endif
