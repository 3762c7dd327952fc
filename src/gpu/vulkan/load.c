// SPDX-License-Identifier: Apache-2.0
/*
 * load.c - the Vulkan loader, opened at run time, and its one instance.
 *
 * in     the system's libvulkan, or the one that WEFT_VULKAN_LOADER names
 * out    functions, an instance, an adapter for each device
 * knows  layers, extensions of the instance
 * not    what an adapter needs (adapter.c)
 *
 * Whatever goes wrong here means: this machine has no Vulkan. That is no error.
 *
 * WEFT_VULKAN_VALIDATION  1: the validation layer is on if it is installed, and what
 *                         it says goes to the log; fatal: the first message ends the
 *                         process; 0: off. Not set: 1 in debug builds, 0 in others.
 */
#include "gpu/vulkan/vulkan_priv.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LAYER_NAME  "VK_LAYER_KHRONOS_validation"
#define MAX_DEVICES 64u

typedef enum Validation { VALIDATION_OFF, VALIDATION_LOG, VALIDATION_FATAL } Validation;

static Vulkan          the_vulkan;
static pthread_once_t  opened = PTHREAD_ONCE_INIT;
static pthread_mutex_t listen_lock = PTHREAD_MUTEX_INITIALIZER;
static VulkanListener *listeners;
static Validation      validation;

/* ---- hardware ---- */

/* The files by which the drivers of GPUs reach them. Without any there is none, and
 * programs that do not ask for Vulkan need not wait for its loader. */
static const char *const device_files[] = {
    "nvidiactl", "nvidia0", "nvmap", "dxg", "kgsl-3d0", "mali0", "pvr_sync",
};

/* In dri/ they are numbered, and a container may have any one of them. */
static bool has_dri(const char *dev)
{
    char path[512];
    bool found = false;
    snprintf(path, sizeof path, "%s/dri", dev);
    DIR *folder = opendir(path);
    for (const struct dirent *e; folder && !found && (e = readdir(folder));)
        found = strncmp(e->d_name, "renderD", 7) == 0 || strncmp(e->d_name, "card", 4) == 0;
    if (folder)
        closedir(folder);
    return found;
}

bool vulkan_has_hardware_in(const char *dev)
{
    char path[512];
    for (size_t i = 0; i < COUNTOF(device_files); i++) {
        snprintf(path, sizeof path, "%s/%s", dev, device_files[i]);
        if (access(path, F_OK) == 0)
            return true;
    }
    return has_dri(dev);
}

bool vulkan_has_hardware(void)
{
    const char *named = getenv("WEFT_VULKAN_LOADER");
    return (named && *named) || vulkan_has_hardware_in("/dev");
}

/* ---- what validation says ---- */

void vulkan_listen(VulkanListener *l)
{
    pthread_mutex_lock(&listen_lock);
    l->next = listeners;
    listeners = l;
    pthread_mutex_unlock(&listen_lock);
}

void vulkan_unlisten(VulkanListener *l)
{
    pthread_mutex_lock(&listen_lock);
    for (VulkanListener **at = &listeners; *at; at = &(*at)->next)
        if (*at == l) {
            *at = l->next;
            break;
        }
    pthread_mutex_unlock(&listen_lock);
}

static VKAPI_ATTR VkBool32 VKAPI_CALL
on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
           const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    char text[2048];
    (void)severity, (void)types, (void)user;
    snprintf(text, sizeof text, "Vulkan validation: %s",
             data && data->pMessage ? data->pMessage : "a message without text");
    if (validation == VALIDATION_FATAL)
        BUG("%s", text);
    pthread_mutex_lock(&listen_lock);
    for (VulkanListener *l = listeners; l; l = l->next)
        if (l->log)
            l->log(l->user, text);
    pthread_mutex_unlock(&listen_lock);
    return VK_FALSE;
}

static Validation wanted_validation(void)
{
    const char *word = getenv("WEFT_VULKAN_VALIDATION");
    if (word && strcmp(word, "fatal") == 0)
        return VALIDATION_FATAL;
    if (word && *word)
        return strcmp(word, "0") == 0 ? VALIDATION_OFF : VALIDATION_LOG;
#ifdef NDEBUG
    return VALIDATION_OFF;
#else
    return VALIDATION_LOG;
#endif
}

static bool layer_is_there(const Vulkan *v)
{
    VkLayerProperties *list = NULL;
    uint32_t           count = 0;
    bool               found = false;
    if (v->EnumerateInstanceLayerProperties(&count, NULL) != VK_SUCCESS || !count)
        return false;
    list = calloc(count, sizeof *list);
    if (list && v->EnumerateInstanceLayerProperties(&count, list) >= VK_SUCCESS)
        for (uint32_t i = 0; i < count; i++)
            found = found || strcmp(list[i].layerName, LAYER_NAME) == 0;
    free(list);
    return found;
}

/* ---- functions ---- */

#define GET(name) (PFN_vk##name)(void (*)(void))v->GetInstanceProcAddr(v->instance, "vk" #name)

static bool global_functions(Vulkan *v)
{
    bool all = true;
#define GLOBAL(name) v->name = GET(name); all = all && v->name;
#define INSTANCE(name)
#define OPTIONAL(name)
#define DEVICE(name)
#include "gpu/vulkan/functions.def"
#undef DEVICE
#undef OPTIONAL
#undef INSTANCE
#undef GLOBAL
    return all;
}

static bool instance_functions(Vulkan *v)
{
    bool all = true;
#define GLOBAL(name)
#define INSTANCE(name) v->name = GET(name); all = all && v->name;
#define OPTIONAL(name) v->name = GET(name);
#define DEVICE(name)
#include "gpu/vulkan/functions.def"
#undef DEVICE
#undef OPTIONAL
#undef INSTANCE
#undef GLOBAL
    return all;
}

bool vulkan_device_functions(const Vulkan *v, VkDevice device, VulkanDeviceFns *out)
{
    bool all = true;
#define GLOBAL(name)
#define INSTANCE(name)
#define OPTIONAL(name)
#define DEVICE(name)                                                                     \
    out->name = (PFN_vk##name)(void (*)(void))v->GetDeviceProcAddr(device, "vk" #name);  \
    all = all && out->name;
#include "gpu/vulkan/functions.def"
#undef DEVICE
#undef OPTIONAL
#undef INSTANCE
#undef GLOBAL
    return all;
}

/* ---- the instance ---- */

static bool open_library(Vulkan *v)
{
    const char *named = getenv("WEFT_VULKAN_LOADER");
    if (named && *named)
        v->library = dlopen(named, RTLD_NOW | RTLD_LOCAL);
    else if (!(v->library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL)))
        v->library = dlopen("libvulkan.so", RTLD_NOW | RTLD_LOCAL);
    if (!v->library)
        return false;
    void *symbol = dlsym(v->library, "vkGetInstanceProcAddr");
    memcpy(&v->GetInstanceProcAddr, &symbol, sizeof symbol);
    return symbol != NULL;
}

/* The loader lists devices that are not all of Vulkan, such as those on top of Metal or
 * Direct3D, only to those who ask for them. What they lack is in rendering. */
static bool can_list_portability(const Vulkan *v)
{
    VkExtensionProperties *list = NULL;
    uint32_t               count = 0;
    bool                   found = false;
    if (v->EnumerateInstanceExtensionProperties(NULL, &count, NULL) != VK_SUCCESS || !count)
        return false;
    list = calloc(count, sizeof *list);
    if (list && v->EnumerateInstanceExtensionProperties(NULL, &count, list) >= VK_SUCCESS)
        for (uint32_t i = 0; i < count; i++)
            found = found || strcmp(list[i].extensionName,
                                    VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME) == 0;
    free(list);
    return found;
}

static VkResult create_instance(Vulkan *v)
{
    static const char *const layers[] = {LAYER_NAME};
    const char *extensions[2];
    static const VkValidationFeatureEnableEXT checks[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    VkDebugUtilsMessengerCreateInfoEXT listen = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT
                           | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = on_message,
    };
    VkValidationFeaturesEXT more = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT, .pNext = &listen,
        .enabledValidationFeatureCount = COUNTOF(checks), .pEnabledValidationFeatures = checks,
    };
    VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pEngineName = "Weft",
        .apiVersion = MIN_OF(v->version, VK_API_VERSION_1_3),
    };
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app,
        .ppEnabledExtensionNames = extensions,
    };
    if (can_list_portability(v)) {
        info.flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
        extensions[info.enabledExtensionCount++] = VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME;
    }
    if (validation != VALIDATION_OFF) {
        info.pNext = &more;
        info.enabledLayerCount = COUNTOF(layers);
        info.ppEnabledLayerNames = layers;
        extensions[info.enabledExtensionCount++] = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
    }
    VkResult result = v->CreateInstance(&info, NULL, &v->instance);
    if (result != VK_SUCCESS || !instance_functions(v))
        return result == VK_SUCCESS ? VK_ERROR_INITIALIZATION_FAILED : result;
    if (validation != VALIDATION_OFF && v->CreateDebugUtilsMessengerEXT) {
        VkDebugUtilsMessengerEXT messenger;     /* lives as long as the instance */
        return v->CreateDebugUtilsMessengerEXT(v->instance, &listen, NULL, &messenger);
    }
    return VK_SUCCESS;
}

static void find_adapters(Vulkan *v)
{
    VkPhysicalDevice devices[MAX_DEVICES];
    uint32_t         count = MAX_DEVICES;
    VkResult         result = v->EnumeratePhysicalDevices(v->instance, &count, devices);
    if (result != VK_SUCCESS && result != VK_INCOMPLETE)
        return;
    v->adapters = calloc(count + 1, sizeof *v->adapters);
    v->nadapters = v->adapters ? count : 0;
    for (uint32_t i = 0; i < v->nadapters; i++)
        vulkan_adapter_init(&v->adapters[i], v, devices[i]);
}

/* An instance that is not to be used is left as it is: what its functions are may
 * not be known. */
static void open_vulkan(void)
{
    Vulkan *v = &the_vulkan;
    if (!open_library(v) || !global_functions(v))
        return;
    if (v->EnumerateInstanceVersion(&v->version) != VK_SUCCESS
        || v->version < VK_API_VERSION_1_1)
        return;
    validation = wanted_validation();
    if (validation != VALIDATION_OFF && !layer_is_there(v))
        validation = VALIDATION_OFF;
    if (create_instance(v) == VK_SUCCESS)
        find_adapters(v);
    else if (v->instance && v->DestroyInstance)
        v->DestroyInstance(v->instance, NULL);
}

const Vulkan *vulkan_get(void)
{
    pthread_once(&opened, open_vulkan);
    return &the_vulkan;
}
