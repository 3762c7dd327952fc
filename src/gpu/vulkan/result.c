// SPDX-License-Identifier: Apache-2.0
/*
 * result.c - what Vulkan's results mean, in words.
 */
#include "gpu/vulkan/vulkan_priv.h"

static const struct {
    VkResult    result;
    const char *text;
} results[] = {
#define RESULT(name, words) {name, words " (" #name ")"}
    RESULT(VK_SUCCESS, "it succeeded"),
    RESULT(VK_NOT_READY, "it is not ready yet"),
    RESULT(VK_TIMEOUT, "it took too long"),
    RESULT(VK_INCOMPLETE, "there is more than was asked for"),
    RESULT(VK_ERROR_OUT_OF_HOST_MEMORY, "the host has no memory left"),
    RESULT(VK_ERROR_OUT_OF_DEVICE_MEMORY, "the device has no memory left"),
    RESULT(VK_ERROR_INITIALIZATION_FAILED, "the driver cannot be started"),
    RESULT(VK_ERROR_DEVICE_LOST, "the device stopped working"),
    RESULT(VK_ERROR_MEMORY_MAP_FAILED, "the memory cannot be mapped"),
    RESULT(VK_ERROR_LAYER_NOT_PRESENT, "a layer is missing"),
    RESULT(VK_ERROR_EXTENSION_NOT_PRESENT, "an extension is missing"),
    RESULT(VK_ERROR_FEATURE_NOT_PRESENT, "a feature is missing"),
    RESULT(VK_ERROR_INCOMPATIBLE_DRIVER, "no driver has this version of Vulkan"),
    RESULT(VK_ERROR_TOO_MANY_OBJECTS, "there are too many objects of this kind"),
    RESULT(VK_ERROR_FRAGMENTED_POOL, "the pool is fragmented"),
    RESULT(VK_ERROR_OUT_OF_POOL_MEMORY, "the pool is used up"),
    RESULT(VK_ERROR_INVALID_EXTERNAL_HANDLE, "a handle is not of this driver"),
    RESULT(VK_ERROR_FRAGMENTATION, "the descriptors are fragmented"),
    RESULT(VK_ERROR_UNKNOWN, "the driver does not say why"),
#undef RESULT
};

const char *vulkan_result_text(VkResult result)
{
    for (size_t i = 0; i < COUNTOF(results); i++)
        if (results[i].result == result)
            return results[i].text;
    return "the driver answers with a number that Vulkan 1.1 does not have";
}
