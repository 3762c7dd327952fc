// SPDX-License-Identifier: Apache-2.0
/*
 * driver_bugs_test.c - what is wrong in Vulkan drivers, shown with Vulkan alone.
 *
 * in     modules that spirv-as made from driver-bugs/NAME.spvasm. Comments there say what
 *        goes in and what comes out:
 *          ; driver  llvmpipe          the start of the device's name
 *          ; version Mesa 22.3         the start of the driver's information, if it has any
 *          ; in      0x3f800000 2      words of binding 0; zeros follow
 *          ; right   0x3f000000        words of binding 1 after one workgroup
 *          ; wrong   0x7f800000        what the driver makes of it; "crash": it does not
 * out    a failure if that version of the driver does anything but what is wrong, so that
 *        what Weft does about it does not outlive it. Other versions may be right, and
 *        then this says so
 * not    Weft: nothing of it is in this program
 *
 *     test_driver_bugs FOLDER-OF-SPVASM FOLDER-OF-SPV NAME...
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vulkan/vulkan.h>

enum { WORDS = 64 };

typedef struct Case {
    char     driver[64], version[64];
    uint32_t in[WORDS], right[WORDS], wrong[WORDS];
    uint32_t count;                     /* of the words that are compared         */
    bool     crash;
} Case;

typedef struct Machine {
    VkInstance       instance;
    VkPhysicalDevice physical;
    char             name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    char             version[VK_MAX_DRIVER_INFO_SIZE];
    VkDevice         device;
    VkQueue          queue;
} Machine;

static void must(VkResult result, const char *what)
{
    if (result == VK_SUCCESS)
        return;
    fprintf(stderr, "%s fails with %d\n", what, (int)result);
    exit(2);
}
#define MUST(call) must(call, #call)

/* ---- files ---- */

static uint32_t read_words(const char *text, uint32_t *out)
{
    uint32_t n = 0;
    char    *end;
    for (; n < WORDS; n++, text = end) {
        out[n] = (uint32_t)strtoul(text, &end, 0);
        if (end == text)
            break;
    }
    return n;
}

static bool read_case(Case *c, const char *path)
{
    char  line[1024], word[16];
    int   at;
    FILE *f = fopen(path, "r");
    *c = (Case){0};
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "; %15s %n", word, &at) != 1)
            continue;
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(word, "driver") == 0)
            snprintf(c->driver, sizeof c->driver, "%s", line + at);
        else if (strcmp(word, "version") == 0)
            snprintf(c->version, sizeof c->version, "%s", line + at);
        else if (strcmp(word, "in") == 0)
            read_words(line + at, c->in);
        else if (strcmp(word, "right") == 0)
            c->count = read_words(line + at, c->right);
        else if (strcmp(word, "wrong") == 0 && strcmp(line + at, "crash") == 0)
            c->crash = true;
        else if (strcmp(word, "wrong") == 0 && read_words(line + at, c->wrong) != c->count)
            c->count = 0;
    }
    if (f)
        fclose(f);
    return c->driver[0] && c->count;
}

static uint32_t *read_module(const char *path, size_t *size)
{
    static uint32_t words[1 << 14];
    FILE *f = fopen(path, "rb");
    *size = f ? fread(words, 1, sizeof words, f) : 0;
    if (f)
        fclose(f);
    return words;
}

/* ---- Vulkan ---- */

static void find_name(Machine *m)
{
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &driver};
    vkGetPhysicalDeviceProperties2(m->physical, &all);
    snprintf(m->name, sizeof m->name, "%s", all.properties.deviceName);
    snprintf(m->version, sizeof m->version, "%s", driver.driverInfo);
}

static void open_machine(Machine *m)
{
    const float priority = 1;
    uint32_t    one = 1;
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                     .pApplicationInfo = &app};
    MUST(vkCreateInstance(&instance, NULL, &m->instance));
    if (vkEnumeratePhysicalDevices(m->instance, &one, &m->physical) < 0 || one == 0)
        must(VK_ERROR_INITIALIZATION_FAILED, "finding a device");
    find_name(m);
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                 .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    MUST(vkCreateDevice(m->physical, &device, NULL, &m->device));
    vkGetDeviceQueue(m->device, 0, 0, &m->queue);
}

static void close_machine(Machine *m)
{
    vkDestroyDevice(m->device, NULL);
    vkDestroyInstance(m->instance, NULL);
}

/* Memory for both buffers, which drivers without a GPU share with the host. */
static VkDeviceMemory memory_new(const Machine *m, VkDeviceSize size, uint32_t bits)
{
    const VkMemoryPropertyFlags want = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
                                       | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties all;
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = size};
    VkDeviceMemory memory;
    vkGetPhysicalDeviceMemoryProperties(m->physical, &all);
    while (info.memoryTypeIndex < all.memoryTypeCount
           && !(bits >> info.memoryTypeIndex & 1
                && (all.memoryTypes[info.memoryTypeIndex].propertyFlags & want) == want))
        info.memoryTypeIndex++;
    MUST(vkAllocateMemory(m->device, &info, NULL, &memory));
    return memory;
}

typedef struct Work {
    VkBuffer              buffers[2];
    VkDeviceMemory        memory[2];
    uint32_t             *data[2];
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool      sets;
    VkDescriptorSet       set;
    VkPipelineLayout      layout;
    VkPipeline            pipeline;
    VkCommandPool         pool;
    VkCommandBuffer       commands;
} Work;

static void make_buffers(const Machine *m, Work *w)
{
    VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                               .size = WORDS * sizeof(uint32_t),
                               .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkMemoryRequirements need;
    for (int i = 0; i < 2; i++) {
        void *data;
        MUST(vkCreateBuffer(m->device, &info, NULL, &w->buffers[i]));
        vkGetBufferMemoryRequirements(m->device, w->buffers[i], &need);
        w->memory[i] = memory_new(m, need.size, need.memoryTypeBits);
        MUST(vkBindBufferMemory(m->device, w->buffers[i], w->memory[i], 0));
        MUST(vkMapMemory(m->device, w->memory[i], 0, VK_WHOLE_SIZE, 0, &data));
        w->data[i] = memset(data, 0, info.size);
    }
}

static void make_set(const Machine *m, Work *w)
{
    VkDescriptorSetLayoutBinding bindings[2];
    for (uint32_t i = 0; i < 2; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, NULL};
    VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 2,
        .pBindings = bindings};
    MUST(vkCreateDescriptorSetLayout(m->device, &set_layout, NULL, &w->set_layout));
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2};
    VkDescriptorPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                       .maxSets = 1, .poolSizeCount = 1, .pPoolSizes = &size};
    MUST(vkCreateDescriptorPool(m->device, &pool, NULL, &w->sets));
    VkDescriptorSetAllocateInfo set = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                       .descriptorPool = w->sets, .descriptorSetCount = 1,
                                       .pSetLayouts = &w->set_layout};
    MUST(vkAllocateDescriptorSets(m->device, &set, &w->set));
    for (uint32_t i = 0; i < 2; i++) {
        VkDescriptorBufferInfo buffer = {w->buffers[i], 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                      .dstSet = w->set, .dstBinding = i, .descriptorCount = 1,
                                      .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                      .pBufferInfo = &buffer};
        vkUpdateDescriptorSets(m->device, 1, &write, 0, NULL);
    }
}

static void make_pipeline(const Machine *m, Work *w, const char *path)
{
    VkPipelineLayoutCreateInfo layout = {.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
                                         .setLayoutCount = 1, .pSetLayouts = &w->set_layout};
    VkShaderModuleCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    VkShaderModule module;
    MUST(vkCreatePipelineLayout(m->device, &layout, NULL, &w->layout));
    info.pCode = read_module(path, &info.codeSize);
    MUST(vkCreateShaderModule(m->device, &info, NULL, &module));
    VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO, .layout = w->layout,
        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  .stage = VK_SHADER_STAGE_COMPUTE_BIT, .module = module, .pName = "main"}};
    MUST(vkCreateComputePipelines(m->device, VK_NULL_HANDLE, 1, &pipeline, NULL, &w->pipeline));
    vkDestroyShaderModule(m->device, module, NULL);
}

static void dispatch(const Machine *m, Work *w)
{
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkMemoryBarrier all = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                           .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
                           .dstAccessMask = VK_ACCESS_HOST_READ_BIT};
    MUST(vkCreateCommandPool(m->device, &pool, NULL, &w->pool));
    VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = w->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY, .commandBufferCount = 1};
    MUST(vkAllocateCommandBuffers(m->device, &buffer, &w->commands));
    MUST(vkBeginCommandBuffer(w->commands, &begin));
    vkCmdBindPipeline(w->commands, VK_PIPELINE_BIND_POINT_COMPUTE, w->pipeline);
    vkCmdBindDescriptorSets(w->commands, VK_PIPELINE_BIND_POINT_COMPUTE, w->layout, 0, 1,
                            &w->set, 0, NULL);
    vkCmdDispatch(w->commands, 1, 1, 1);
    vkCmdPipelineBarrier(w->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                         VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, NULL, 0, NULL);
    MUST(vkEndCommandBuffer(w->commands));
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
                           .pCommandBuffers = &w->commands};
    MUST(vkQueueSubmit(m->queue, 1, &submit, VK_NULL_HANDLE));
    MUST(vkQueueWaitIdle(m->queue));
}

static void free_work(const Machine *m, Work *w)
{
    vkDestroyCommandPool(m->device, w->pool, NULL);
    vkDestroyPipeline(m->device, w->pipeline, NULL);
    vkDestroyPipelineLayout(m->device, w->layout, NULL);
    vkDestroyDescriptorPool(m->device, w->sets, NULL);
    vkDestroyDescriptorSetLayout(m->device, w->set_layout, NULL);
    for (int i = 0; i < 2; i++) {
        vkDestroyBuffer(m->device, w->buffers[i], NULL);
        vkFreeMemory(m->device, w->memory[i], NULL);
    }
}

/* ---- cases ---- */

static void print_words(const char *what, const uint32_t *words, uint32_t count)
{
    printf("  %s", what);
    for (uint32_t i = 0; i < count; i++)
        printf(" 0x%08x", (unsigned)words[i]);
    printf("\n");
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Whether this is the version that has the bug; of some there is no telling. */
static bool is_known(const Machine *m, const Case *c)
{
    return c->version[0] && starts_with(m->version, c->version);
}

/* Whether the driver does what is known of it. `got` NULL: it crashes. */
static bool judge(const Machine *m, const char *name, const Case *c, const uint32_t *got)
{
    size_t size = c->count * sizeof *got;
    if (got ? !c->crash && memcmp(got, c->wrong, size) == 0 : c->crash) {
        printf("%s: wrong, as is known\n", name);
        return true;
    }
    if (got && memcmp(got, c->right, size) == 0 && !is_known(m, c)) {
        printf("%s: right in this version of the driver\n", name);
        return true;
    }
    printf("%s: not what is known of %s, %s\n", name, m->name, m->version);
    if (!got) {
        printf("  it crashes\n");
        return false;
    }
    print_words("     ", got, c->count);
    print_words("right", c->right, c->count);
    print_words("wrong", c->wrong, c->count);
    return false;
}

/* In a process of its own, which leaves the words. False: it crashes. */
static bool run_module(const char *path, const Case *c, uint32_t *got)
{
    int status, ends[2];
    fflush(stdout);
    if (pipe(ends) != 0)
        must(VK_ERROR_INITIALIZATION_FAILED, "making a pipe");
    pid_t child = fork();
    if (child == 0) {
        Machine m = {0};
        Work    w = {0};
        open_machine(&m);
        make_buffers(&m, &w);
        make_set(&m, &w);
        make_pipeline(&m, &w, path);
        memcpy(w.data[0], c->in, sizeof c->in);
        dispatch(&m, &w);
        bool told = write(ends[1], w.data[1], sizeof c->in) == sizeof c->in;
        free_work(&m, &w);
        close_machine(&m);
        _exit(!told);
    }
    close(ends[1]);
    bool whole = read(ends[0], got, sizeof c->in) == sizeof c->in;
    close(ends[0]);
    waitpid(child, &status, 0);
    return whole && WIFEXITED(status);
}

static bool run_case(const Machine *m, const char *texts, const char *modules, const char *name)
{
    char     path[1024];
    Case     c;
    uint32_t got[WORDS];
    snprintf(path, sizeof path, "%s/%s.spvasm", texts, name);
    if (!read_case(&c, path)) {
        printf("%s: no case\n", path);
        return false;
    }
    if (!starts_with(m->name, c.driver))
        return true;
    snprintf(path, sizeof path, "%s/%s.spv", modules, name);
    return judge(m, name, &c, run_module(path, &c, got) ? got : NULL);
}

int main(int argc, char **argv)
{
    Machine m = {0};
    bool    ok = argc > 3;
    open_machine(&m);
    close_machine(&m);
    for (int i = 3; i < argc; i++)
        ok = run_case(&m, argv[1], argv[2], argv[i]) && ok;
    return !ok;
}
