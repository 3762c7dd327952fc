// SPDX-License-Identifier: Apache-2.0
/*
 * reorder.c - see the header.
 */
#include "reorder.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macro.h"

/* Functions in front of which there is one of ours, and others that ours call. */
#define FRONTS(X)                                                                        \
    X(AllocateCommandBuffers) X(BeginCommandBuffer) X(QueueSubmit) X(DeviceWaitIdle)     \
    X(DestroyDevice) X(CmdBindPipeline) X(CmdBindDescriptorSets) X(CmdPushConstants)     \
    X(CmdDispatch) X(CmdDispatchIndirect) X(CmdPipelineBarrier) X(CmdCopyBuffer)         \
    X(CmdFillBuffer) X(CmdUpdateBuffer) X(CmdResetQueryPool) X(CmdWriteTimestamp)        \
    X(CmdCopyQueryPoolResults)
#define CALLED(X)                                                                        \
    X(CreateCommandPool) X(DestroyCommandPool) X(ResetCommandPool) X(EndCommandBuffer)   \
    X(QueueWaitIdle)

static struct {
#define X(name) PFN_vk##name name;
    FRONTS(X) CALLED(X)
#undef X
} real;

#define MAX_SETS    8u
#define MAX_PUSH    256u
#define MAX_PENDING 8192u           /* commands; more than that are run at once    */

static void give_up(const char *why)
{
    fprintf(stderr, "reorder: %s\n", why);
    abort();
}

/* ---- lists of commands ---- */

typedef struct Bound {
    VkPipeline       pipeline;
    VkPipelineLayout layout, push_layout;
    VkDescriptorSet  sets[MAX_SETS];
    uint32_t         npush;
    uint8_t          push[MAX_PUSH];
} Bound;

/* The last four keep their place among the others. */
typedef enum Kind { DISPATCH, INDIRECT, COPY, FILL, UPDATE, BARRIER, RESET, STAMP, RESULTS } Kind;

typedef struct Command {
    Kind             kind;
    Bound            bound;         /* of dispatches                               */
    uint32_t         groups[3];
    VkBuffer         from, to;
    VkBufferCopy     region;        /* FILL, UPDATE, RESULTS: dstOffset, size or stride;
                                       INDIRECT: srcOffset                         */
    void            *data;          /* of UPDATE; of the list that it was recorded in */
    VkPipelineStageFlags before, after;
    VkMemoryBarrier  barrier;
    VkQueryPool      queries;
    uint32_t         first, count, flags;
} Command;

typedef struct Commands {
    Command *list;
    uint32_t count, room;
} Commands;

static Command *push(Commands *c)
{
    if (c->count == c->room) {
        c->room = c->room ? 2 * c->room : 64;
        c->list = realloc(c->list, c->room * sizeof *c->list);
        if (!c->list)
            give_up("no memory");
    }
    c->list[c->count] = (Command){0};
    return &c->list[c->count++];
}

/* A command buffer. */
typedef struct Record {
    VkCommandBuffer buffer;
    VkDevice        device;
    Bound           bound;
    Commands        commands;
} Record;

/* What a device has been given and has not done. */
typedef struct Pending {
    VkDevice        device;         /* NULL: free                                  */
    VkQueue         queue;
    VkCommandPool   pool;
    VkCommandBuffer buffer;
    Commands        commands;
    VkFence         fences[1024];
    uint32_t        nfences;
} Pending;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Record          records[1024];
static Pending         pendings[16];

/* With the lock. */
static Record *record_of(VkCommandBuffer buffer)
{
    uint32_t i = 0;
    while (i < COUNTOF(records) && records[i].buffer && records[i].buffer != buffer)
        i++;
    if (i == COUNTOF(records))
        give_up("too many command buffers");
    records[i].buffer = buffer;
    return &records[i];
}

static Pending *pending_of(VkDevice device)
{
    Pending *none = NULL;
    for (uint32_t i = 0; i < COUNTOF(pendings); i++) {
        if (pendings[i].device == device)
            return &pendings[i];
        if (!pendings[i].device)
            none = &pendings[i];
    }
    if (!none)
        give_up("too many devices");
    none->device = device;
    return none;
}

/* ---- carrying them out ---- */

static void bind(VkCommandBuffer b, const Bound *x)
{
    real.CmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, x->pipeline);
    for (uint32_t i = 0; i < MAX_SETS; i++)
        if (x->sets[i])
            real.CmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, x->layout, i, 1,
                                       &x->sets[i], 0, NULL);
    if (x->npush)
        real.CmdPushConstants(b, x->push_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, x->npush,
                              x->push);
}

static void carry_out(VkCommandBuffer b, const Command *c)
{
    const uint32_t     *n = c->groups;
    const VkBufferCopy *r = &c->region;
    if (c->kind <= INDIRECT)
        bind(b, &c->bound);
    switch (c->kind) {
    case DISPATCH: real.CmdDispatch(b, n[0], n[1], n[2]); break;
    case INDIRECT: real.CmdDispatchIndirect(b, c->from, r->srcOffset); break;
    case COPY:     real.CmdCopyBuffer(b, c->from, c->to, 1, r); break;
    case FILL:     real.CmdFillBuffer(b, c->to, r->dstOffset, r->size, 0); break;
    case UPDATE:   real.CmdUpdateBuffer(b, c->to, r->dstOffset, r->size, c->data); break;
    case BARRIER:
        real.CmdPipelineBarrier(b, c->before, c->after, 0, 1, &c->barrier, 0, NULL, 0, NULL);
        break;
    case RESET:    real.CmdResetQueryPool(b, c->queries, c->first, c->count); break;
    case STAMP:
        real.CmdWriteTimestamp(b, (VkPipelineStageFlagBits)c->flags, c->queries, c->first);
        break;
    case RESULTS:
        real.CmdCopyQueryPoolResults(b, c->queries, c->first, c->count, c->to, r->dstOffset,
                                     r->size, c->flags);
        break;
    }
}

static void reverse(VkCommandBuffer b, const Commands *c)
{
    for (uint32_t i = 0, end; i < c->count; i = end) {
        for (end = i; end < c->count && c->list[end].kind < BARRIER; end++)
            ;
        for (uint32_t k = end; k-- > i;)
            carry_out(b, &c->list[k]);
        if (end < c->count)
            carry_out(b, &c->list[end++]);
    }
}

static void make_buffer(Pending *p)
{
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    real.CreateCommandPool(p->device, &pool, NULL, &p->pool);
    VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = p->pool,
        .commandBufferCount = 1,
    };
    if (real.AllocateCommandBuffers(p->device, &buffer, &p->buffer) != VK_SUCCESS)
        give_up("no command buffer");
}

/* With the lock. */
static void run(Pending *p)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkSubmitInfo             info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                                     .commandBufferCount = 1, .pCommandBuffers = &p->buffer};
    if (!p->nfences)
        return;
    if (!p->pool)
        make_buffer(p);
    real.ResetCommandPool(p->device, p->pool, 0);
    real.BeginCommandBuffer(p->buffer, &begin);
    reverse(p->buffer, &p->commands);
    real.EndCommandBuffer(p->buffer);
    if (real.QueueSubmit(p->queue, 1, &info, VK_NULL_HANDLE) != VK_SUCCESS
        || real.QueueWaitIdle(p->queue) != VK_SUCCESS)
        give_up("the driver fails");
    for (uint32_t i = 0; i < p->nfences; i++)
        real.QueueSubmit(p->queue, 0, NULL, p->fences[i]);
    p->commands.count = p->nfences = 0;
}

void reorder_run(VkDevice device)
{
    pthread_mutex_lock(&lock);
    run(pending_of(device));
    pthread_mutex_unlock(&lock);
}

/* ---- in front of the driver ---- */

static VKAPI_ATTR VkResult VKAPI_CALL
my_AllocateCommandBuffers(VkDevice d, const VkCommandBufferAllocateInfo *info,
                          VkCommandBuffer *out)
{
    VkResult result = real.AllocateCommandBuffers(d, info, out);
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; result == VK_SUCCESS && i < info->commandBufferCount; i++)
        record_of(out[i])->device = d;
    pthread_mutex_unlock(&lock);
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL my_BeginCommandBuffer(VkCommandBuffer b,
                                                            const VkCommandBufferBeginInfo *info)
{
    pthread_mutex_lock(&lock);
    Record *r = record_of(b);
    for (uint32_t i = 0; i < r->commands.count; i++)
        free(r->commands.list[i].data);
    r->commands.count = 0;
    r->bound = (Bound){0};
    pthread_mutex_unlock(&lock);
    return real.BeginCommandBuffer(b, info);
}

static VKAPI_ATTR VkResult VKAPI_CALL my_QueueSubmit(VkQueue queue, uint32_t count,
                                                     const VkSubmitInfo *infos, VkFence fence)
{
    if (count != 1 || infos->commandBufferCount != 1)
        give_up("a submit is not one command buffer");
    pthread_mutex_lock(&lock);
    const Record *r = record_of(infos->pCommandBuffers[0]);
    Pending      *p = pending_of(r->device);
    p->queue = queue;
    for (uint32_t i = 0; i < r->commands.count; i++)
        *push(&p->commands) = r->commands.list[i];
    p->fences[p->nfences++] = fence;
    if (p->commands.count > MAX_PENDING || p->nfences == COUNTOF(p->fences))
        run(p);
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static VKAPI_ATTR VkResult VKAPI_CALL my_DeviceWaitIdle(VkDevice d)
{
    reorder_run(d);
    return real.DeviceWaitIdle(d);
}

static VKAPI_ATTR void VKAPI_CALL my_DestroyDevice(VkDevice d, const VkAllocationCallbacks *a)
{
    reorder_run(d);
    pthread_mutex_lock(&lock);
    Pending *p = pending_of(d);
    if (p->pool)
        real.DestroyCommandPool(d, p->pool, NULL);
    free(p->commands.list);
    *p = (Pending){0};
    pthread_mutex_unlock(&lock);
    real.DestroyDevice(d, a);
}

/* A new command, of what is bound. Only one thread records into a buffer. */
static Command *add(VkCommandBuffer b, Kind kind)
{
    pthread_mutex_lock(&lock);
    Record  *r = record_of(b);
    Command *c = push(&r->commands);
    c->kind = kind;
    c->bound = r->bound;
    pthread_mutex_unlock(&lock);
    return c;
}

static Bound *bound_of(VkCommandBuffer b)
{
    pthread_mutex_lock(&lock);
    Bound *bound = &record_of(b)->bound;
    pthread_mutex_unlock(&lock);
    return bound;
}

static VKAPI_ATTR void VKAPI_CALL my_CmdBindPipeline(VkCommandBuffer b, VkPipelineBindPoint point,
                                                     VkPipeline pipeline)
{
    (void)point;
    bound_of(b)->pipeline = pipeline;
}

/* Sets of another layout are as good as gone. */
static VKAPI_ATTR void VKAPI_CALL
my_CmdBindDescriptorSets(VkCommandBuffer b, VkPipelineBindPoint point, VkPipelineLayout layout,
                         uint32_t first, uint32_t count, const VkDescriptorSet *sets,
                         uint32_t noffsets, const uint32_t *offsets)
{
    Bound *x = bound_of(b);
    (void)point, (void)noffsets, (void)offsets;
    if (x->layout != layout)
        memset(x->sets, 0, sizeof x->sets);
    x->layout = layout;
    for (uint32_t i = 0; i < count && first + i < MAX_SETS; i++)
        x->sets[first + i] = sets[i];
}

static VKAPI_ATTR void VKAPI_CALL my_CmdPushConstants(VkCommandBuffer b, VkPipelineLayout layout,
                                                      VkShaderStageFlags stages, uint32_t offset,
                                                      uint32_t size, const void *values)
{
    Bound *x = bound_of(b);
    (void)stages;
    if (offset + size > MAX_PUSH)
        give_up("too many push constants");
    x->push_layout = layout;
    x->npush = offset + size;
    memcpy(x->push + offset, values, size);
}

static VKAPI_ATTR void VKAPI_CALL my_CmdDispatch(VkCommandBuffer b, uint32_t x, uint32_t y,
                                                 uint32_t z)
{
    memcpy(add(b, DISPATCH)->groups, (uint32_t[]){x, y, z}, 3 * sizeof(uint32_t));
}

static VKAPI_ATTR void VKAPI_CALL my_CmdDispatchIndirect(VkCommandBuffer b, VkBuffer from,
                                                         VkDeviceSize offset)
{
    Command *c = add(b, INDIRECT);
    c->from = from;
    c->region.srcOffset = offset;
}

static VKAPI_ATTR void VKAPI_CALL my_CmdCopyBuffer(VkCommandBuffer b, VkBuffer from, VkBuffer to,
                                                   uint32_t count, const VkBufferCopy *regions)
{
    for (uint32_t i = 0; i < count; i++) {
        Command *c = add(b, COPY);
        c->from = from;
        c->to = to;
        c->region = regions[i];
    }
}

static VKAPI_ATTR void VKAPI_CALL my_CmdFillBuffer(VkCommandBuffer b, VkBuffer to,
                                                   VkDeviceSize offset, VkDeviceSize size,
                                                   uint32_t value)
{
    Command *c = add(b, FILL);
    if (value != 0)
        give_up("something else than zeros");
    c->to = to;
    c->region = (VkBufferCopy){0, offset, size};
}

static VKAPI_ATTR void VKAPI_CALL my_CmdUpdateBuffer(VkCommandBuffer b, VkBuffer to,
                                                     VkDeviceSize offset, VkDeviceSize size,
                                                     const void *data)
{
    Command *c = add(b, UPDATE);
    c->to = to;
    c->region = (VkBufferCopy){0, offset, size};
    c->data = malloc(size);
    if (!c->data)
        give_up("no memory");
    memcpy(c->data, data, size);
}

static VKAPI_ATTR void VKAPI_CALL
my_CmdPipelineBarrier(VkCommandBuffer b, VkPipelineStageFlags from, VkPipelineStageFlags to,
                      VkDependencyFlags flags, uint32_t nmemory, const VkMemoryBarrier *memory,
                      uint32_t nbuffers, const VkBufferMemoryBarrier *buffers, uint32_t nimages,
                      const VkImageMemoryBarrier *images)
{
    Command *c = add(b, BARRIER);
    (void)buffers, (void)images;
    if (flags || nmemory != 1 || nbuffers || nimages)
        give_up("a barrier is not one of all memory");
    c->before = from;
    c->after = to;
    c->barrier = *memory;
}

static VKAPI_ATTR void VKAPI_CALL my_CmdResetQueryPool(VkCommandBuffer b, VkQueryPool pool,
                                                       uint32_t first, uint32_t count)
{
    Command *c = add(b, RESET);
    c->queries = pool;
    c->first = first;
    c->count = count;
}

static VKAPI_ATTR void VKAPI_CALL my_CmdWriteTimestamp(VkCommandBuffer b,
                                                       VkPipelineStageFlagBits stage,
                                                       VkQueryPool pool, uint32_t query)
{
    Command *c = add(b, STAMP);
    c->flags = (uint32_t)stage;
    c->queries = pool;
    c->first = query;
}

static VKAPI_ATTR void VKAPI_CALL
my_CmdCopyQueryPoolResults(VkCommandBuffer b, VkQueryPool pool, uint32_t first, uint32_t count,
                           VkBuffer to, VkDeviceSize offset, VkDeviceSize stride,
                           VkQueryResultFlags flags)
{
    Command *c = add(b, RESULTS);
    c->queries = pool;
    c->first = first;
    c->count = count;
    c->to = to;
    c->region = (VkBufferCopy){0, offset, stride};
    c->flags = flags;
}

/* ---- finding ---- */

PFN_vkVoidFunction reorder_front(const char *name, PFN_vkVoidFunction found, VkDevice device,
                                 PFN_vkGetDeviceProcAddr get)
{
    if (device && !real.QueueWaitIdle) {
#define X(function) real.function = (PFN_vk##function)get(device, "vk" #function);
        CALLED(X)
#undef X
    }
#define X(function)                                      \
    if (found && strcmp(name, "vk" #function) == 0) {    \
        real.function = (PFN_vk##function)found;         \
        return (PFN_vkVoidFunction)my_##function;        \
    }
    FRONTS(X)
#undef X
    return found;
}
