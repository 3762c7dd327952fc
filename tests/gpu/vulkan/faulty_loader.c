// SPDX-License-Identifier: Apache-2.0
/*
 * faulty_loader.c - a Vulkan loader in which one function fails.
 *
 * in     WEFT_FAULT=NAME:MODE[:N]; MODE is
 *          missing   the function is not there
 *          memory    the N-th call and all after it answer OUT_OF_DEVICE_MEMORY
 *          lost      the same with DEVICE_LOST
 *          once      the N-th call alone answers OUT_OF_HOST_MEMORY
 *          slow      each call takes a while
 *        WEFT_FAULT_PERIOD: nanoseconds a tick that the device claims to have
 * out    everything else as the real loader, libvulkan.so.1, does it; faulty_submits()
 */
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/macro.h"

typedef enum Mode { MODE_NONE, MODE_MISSING, MODE_MEMORY, MODE_LOST, MODE_ONCE,
               MODE_SLOW } Mode;

static struct {
    char       name[64];
    Mode       mode;
    int        from;
    atomic_int calls;
} plan;

static PFN_vkGetInstanceProcAddr real_get;
static PFN_vkGetDeviceProcAddr   real_get_device;

static void read_plan(void)
{
    static const struct { const char *word; Mode mode; } modes[] = {
        {"missing", MODE_MISSING}, {"memory", MODE_MEMORY}, {"lost", MODE_LOST},
        {"once", MODE_ONCE}, {"slow", MODE_SLOW},
    };
    const char *text = getenv("WEFT_FAULT"), *colon = text ? strchr(text, ':') : NULL;
    if (!colon || (size_t)(colon - text) >= sizeof plan.name)
        return;
    memcpy(plan.name, text, (size_t)(colon - text));
    for (size_t i = 0; i < COUNTOF(modes); i++)
        if (strncmp(colon + 1, modes[i].word, strlen(modes[i].word)) == 0)
            plan.mode = modes[i].mode;
    const char *number = strchr(colon + 1, ':');
    plan.from = number ? atoi(number + 1) : 0;
}

/* Submits that the driver was given. */
static atomic_int submits;

int faulty_submits(void);

int faulty_submits(void)
{
    return atomic_load(&submits);
}

static VkResult fault_of(const char *name)
{
    if (plan.mode <= MODE_MISSING || strcmp(name, plan.name) != 0)
        return VK_SUCCESS;
    if (plan.mode == MODE_SLOW) {
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        return VK_SUCCESS;
    }
    int call = atomic_fetch_add(&plan.calls, 1);
    if (call < plan.from || (plan.mode == MODE_ONCE && call > plan.from))
        return VK_SUCCESS;
    return plan.mode == MODE_LOST ? VK_ERROR_DEVICE_LOST
           : plan.mode == MODE_ONCE ? VK_ERROR_OUT_OF_HOST_MEMORY
                                    : VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

/* One function in front of each real one that has a result. */
#define FRONT(name, parameters, arguments)                    \
    static PFN_vk##name real_##name;                          \
    static VKAPI_ATTR VkResult VKAPI_CALL my_##name parameters \
    {                                                         \
        VkResult result = fault_of(#name);                    \
        if (strcmp(#name, "QueueSubmit") == 0)                \
            atomic_fetch_add(&submits, 1);                    \
        return result ? result : real_##name arguments;       \
    }
#include "faulty_functions.def"
#undef FRONT

/* ---- what a device claims ---- */

static PFN_vkGetPhysicalDeviceProperties real_properties;

static VKAPI_ATTR void VKAPI_CALL my_properties(VkPhysicalDevice d, VkPhysicalDeviceProperties *p)
{
    const char *period = getenv("WEFT_FAULT_PERIOD");
    real_properties(d, p);
    if (period)
        p->limits.timestampPeriod = (float)atof(period);
}

/* ---- finding ---- */

/* The function in front of `real`, or `real`. */
static PFN_vkVoidFunction front(const char *name, PFN_vkVoidFunction real)
{
    if (!real || strncmp(name, "vk", 2) != 0)
        return real;
    if (plan.mode == MODE_MISSING && strcmp(name + 2, plan.name) == 0)
        return NULL;
    if (strcmp(name, "vkGetPhysicalDeviceProperties") == 0) {
        real_properties = (PFN_vkGetPhysicalDeviceProperties)real;
        return (PFN_vkVoidFunction)my_properties;
    }
#define FRONT(function, parameters, arguments)              \
    if (strcmp(name + 2, #function) == 0) {                 \
        real_##function = (PFN_vk##function)real;           \
        return (PFN_vkVoidFunction)my_##function;           \
    }
#include "faulty_functions.def"
#undef FRONT
    return real;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device(VkDevice device, const char *name)
{
    return front(name, real_get_device(device, name));
}

PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance instance, const char *name);

PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance instance, const char *name)
{
    if (!real_get) {
        void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
        void *symbol = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
        memcpy(&real_get, &symbol, sizeof symbol);
        read_plan();
        if (!real_get)
            return NULL;
    }
    PFN_vkVoidFunction real = real_get(instance, name);
    if (real && strcmp(name, "vkGetDeviceProcAddr") == 0
        && !(plan.mode == MODE_MISSING && strcmp(plan.name, "GetDeviceProcAddr") == 0)) {
        real_get_device = (PFN_vkGetDeviceProcAddr)real;
        return (PFN_vkVoidFunction)get_device;
    }
    return front(name, real);
}
