// SPDX-License-Identifier: Apache-2.0
/*
 * record.c - command lists become command buffers.
 *
 * in     a GpuSubmit
 * out    a recorded VkCommandBuffer, with barriers where hazards need them
 * knows  commands, which stage of Vulkan carries each out
 * not    fences, threads (queue.c)
 *
 * One barrier orders everything before it against everything after it (hazard.h), also
 * across submits: they share a queue. The last command of a submit that wrote to memory
 * within the host's reach is a barrier towards the host.
 *
 * Indirect dispatches: a kernel of our own looks at the arguments and copies them, or
 * zeros if they are too many, to where the dispatch takes them from. So nothing is read
 * by the host in the midst of a submit.
 */
#include "gpu/vulkan/vulkan_priv.h"

#include <math.h>
#include <string.h>

#define MAX_SLOTS   128u            /* bindings of a kernel; adapter.c bounds them */
#define MOST_INLINE 4096u           /* bytes written from within a command         */
#define MOST_UPDATE 65536u          /* the same, where nothing else is left        */

#define STAGES_ALL (VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT \
                    | VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT)
#define WRITES_ALL (VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT)
#define READS_ALL  (VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_UNIFORM_READ_BIT \
                    | VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_INDIRECT_COMMAND_READ_BIT)

typedef struct Recording {
    GpuDevice    *d;
    VulkanFlight *flight;
    VkCommandBuffer commands;
    bool          host_sees;        /* what was written is within its reach       */
    const char   *why;              /* NULL: all is well                          */
    VkPipeline    pipeline;         /* that is bound                              */
    const GpuKernel  *kernel;       /* what is bound                              */
    const GpuBinding *bindings;
} Recording;

/* One buffer that a command uses. */
typedef struct Use {
    GpuBuffer  *buffer;
    HazardRange range;
} Use;

static Use use_of(GpuBuffer *buffer, uint64_t offset, uint64_t size, bool write)
{
    return (Use){buffer, {offset, offset + size, write}};
}

/* ---- barriers ---- */

static void barrier(Recording *r, VkPipelineStageFlags from, VkAccessFlags written,
                    VkPipelineStageFlags to, VkAccessFlags accesses)
{
    VkMemoryBarrier all = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = written, .dstAccessMask = accesses,
    };
    r->d->fn.CmdPipelineBarrier(r->commands, from, to, 0, 1, &all, 0, NULL, 0, NULL);
    hazards_barrier(&r->d->hazards);
}

static void add_use(Recording *r, const Use *u, VkPipelineStageFlags stage,
                    VkAccessFlags write)
{
    Hazards *h = &r->d->hazards;
    hazard_add(h, &u->buffer->use, u->range);
    h->stages |= stage;
    if (u->range.write) {
        h->writes |= write;
        r->host_sees = r->host_sees || u->buffer->memory.data;
    }
}

/* The command to come makes these uses: what they must wait for is waited for. */
static void order(Recording *r, const Use *uses, uint32_t count, VkPipelineStageFlags stage,
                  VkAccessFlags write)
{
    Hazards *h = &r->d->hazards;
    for (uint32_t i = 0; i < count; i++)
        if (hazard_conflicts(h, &uses[i].buffer->use, uses[i].range)) {
            barrier(r, h->stages, h->writes, STAGES_ALL, READS_ALL | WRITES_ALL);
            break;
        }
    for (uint32_t i = 0; i < count; i++)
        add_use(r, &uses[i], stage, write);
}

static void order_transfer(Recording *r, const Use *uses, uint32_t count)
{
    order(r, uses, count, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
}

/* A buffer that nothing has written to holds zeros, from its first use on. */
static void settle(Recording *r, GpuBuffer *b)
{
    if (!b->unset)
        return;
    b->unset = false;
    order_transfer(r, &(Use){b, {0, b->room, true}}, 1);
    r->d->fn.CmdFillBuffer(r->commands, b->handle, 0, VK_WHOLE_SIZE, 0);
}

/* The same before a write that may cover all of it. */
static void settle_for_write(Recording *r, GpuBuffer *b, uint64_t offset, uint64_t size)
{
    if (b->unset && offset == 0 && size == b->room)
        b->unset = false;
    settle(r, b);
}

/* ---- dispatches ---- */

/* Both lists are sorted by group and binding, and the kernel's is contained in the
 * command's. */
static void find_slots(const GpuKernel *k, const GpuBinding *bound, const GpuBinding **slots)
{
    for (uint32_t i = 0; i < k->nbindings; i++) {
        while (bound->group != k->bindings[i].group || bound->binding != k->bindings[i].binding)
            bound++;
        slots[i] = bound;
    }
}

static void use_slots(Recording *r, const GpuKernel *k, const GpuBinding *const *slots)
{
    Use uses[MAX_SLOTS];
    for (uint32_t i = 0; i < k->nbindings; i++) {
        settle(r, slots[i]->buffer);
        uses[i] = use_of(slots[i]->buffer, slots[i]->offset, slots[i]->size,
                         k->bindings[i].kind == SLOT_WRITABLE);
    }
    order(r, uses, k->nbindings, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
          VK_ACCESS_SHADER_WRITE_BIT);
}

static bool bind_sets(Recording *r, const GpuKernel *k, const GpuBinding *const *slots)
{
    uint32_t at = 0;
    while (at < k->nbindings) {
        VkDescriptorSet set = VK_NULL_HANDLE;
        uint32_t        group = k->bindings[at].group;
        VkResult        result = vulkan_sets_get(r->d, k, group, slots + at, r->flight->serial,
                                                 &set);
        if (result != VK_SUCCESS) {
            r->why = vulkan_result_text(result);
            return false;
        }
        r->d->fn.CmdBindDescriptorSets(r->commands, VK_PIPELINE_BIND_POINT_COMPUTE, k->layout,
                                       group, 1, &set, 0, NULL);
        while (at < k->nbindings && k->bindings[at].group == group)
            at++;
    }
    return true;
}

/* `groups` NULL: not known yet. */
static bool is_proved(const GpuKernel *k, const GpuBinding *const *slots,
                      const uint32_t *groups)
{
    uint64_t sizes[MAX_SLOTS];
    if (!k->unchecked || !groups)
        return false;
    for (uint32_t i = 0; i < k->nbindings; i++)
        sizes[i] = slots[i]->size;
    return spirv_proof_holds(&k->proof, sizes, k->nbindings, groups);
}

static bool bind_pipeline(Recording *r, GpuKernel *k, bool proved)
{
    VkResult   result = proved ? VK_SUCCESS : vulkan_kernel_check(r->d, k);
    VkPipeline pipeline = proved ? k->unchecked : k->pipeline;
    if (result != VK_SUCCESS) {
        r->why = vulkan_result_text(result);
        return false;
    }
    if (pipeline != r->pipeline)
        r->d->fn.CmdBindPipeline(r->commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    r->pipeline = pipeline;
    return true;
}

/* Binds what the dispatch needs and is not bound; orders it after what it must wait for. */
static bool prepare(Recording *r, GpuKernel *k, const GpuBinding *bindings,
                    const void *immediates, const uint32_t *groups)
{
    const GpuBinding *slots[MAX_SLOTS];
    BUG_IF(k->nbindings > MAX_SLOTS, "a kernel has %u bindings", k->nbindings);
    find_slots(k, bindings, slots);
    use_slots(r, k, slots);
    if (!bind_pipeline(r, k, is_proved(k, slots, groups)))
        return false;
    if ((k != r->kernel || bindings != r->bindings) && !bind_sets(r, k, slots))
        return false;
    if (k->immediates)
        r->d->fn.CmdPushConstants(r->commands, k->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                  k->immediates, immediates);
    r->kernel = k;
    r->bindings = bindings;
    return true;
}

/* Runs a kernel of the device's own. */
static bool run_helper(Recording *r, VulkanHelper helper, const GpuBinding *bindings,
                       const void *immediates, uint32_t groups)
{
    GpuKernel *k = vulkan_helper_get(r->d, helper);
    if (!k) {
        r->why = "a kernel of the device's own cannot be made";
        return false;
    }
    bool ok = prepare(r, k, bindings, immediates, (uint32_t[]){groups, 1, 1});
    if (ok)
        r->d->fn.CmdDispatch(r->commands, groups, 1, 1);
    r->bindings = NULL;             /* the caller's, and soon gone */
    return ok;
}

/* As in kernel.c. */
typedef struct IndirectMost {
    uint32_t groups[3], at, total_low, total_high;
} IndirectMost;

/* The arguments of an indirect dispatch, or none, in *out. */
static bool check_indirect(Recording *r, const GpuCommand *c, VulkanPiece *out)
{
    uint64_t align = r->d->adapter->properties.limits.minStorageBufferOffsetAlignment;
    uint64_t at = c->dispatch.indirect_offset, from = at / align * align;
    uint64_t total = c->dispatch.launch->most_groups ? c->dispatch.launch->most_groups : UINT64_MAX;
    if (!vulkan_staging_take(r->d, &r->flight->staging, 16, align, out)) {
        r->why = "there is no memory for the arguments of a dispatch";
        return false;
    }
    const GpuBinding bindings[] = {
        {0, 0, c->dispatch.indirect, from, at - from + 12},
        {0, 1, out->buffer, out->offset, 12},
    };
    IndirectMost most = {
        .groups = {c->dispatch.groups[0], c->dispatch.groups[1], c->dispatch.groups[2]},
        .at = (uint32_t)((at - from) / 4),
        .total_low = (uint32_t)total, .total_high = (uint32_t)(total >> 32),
    };
    return run_helper(r, HELPER_INDIRECT, bindings, &most, 1);
}

static void record_once(Recording *r, const GpuCommand *c)
{
    const GpuLaunch *launch = c->dispatch.launch;
    const uint32_t  *n = c->dispatch.groups;
    VulkanPiece      arguments = {0};
    bool             indirect = c->kind == GPU_DISPATCH_INDIRECT;
    if (!indirect && (!n[0] || !n[1] || !n[2]))
        return;
    r->flight->tag = r->flight->dispatches++ ? NULL : launch->tag;
    if (indirect && !check_indirect(r, c, &arguments))
        return;
    if (indirect)
        order(r, &(Use){arguments.buffer, {arguments.offset, arguments.offset + 12, false}}, 1,
              VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT, 0);
    if (!prepare(r, launch->kernel, launch->bindings, launch->immediates,
                 indirect ? NULL : n))
        return;
    if (indirect)
        r->d->fn.CmdDispatchIndirect(r->commands, arguments.buffer->handle, arguments.offset);
    else
        r->d->fn.CmdDispatch(r->commands, n[0], n[1], n[2]);
}

static void record_dispatch(Recording *r, const GpuCommand *c)
{
    record_once(r, c);
    for (uint32_t i = 0; i < c->dispatch.again && !r->why; i++)
        record_once(r, c);
}

/* ---- copies ---- */

static void copy(Recording *r, GpuBuffer *from, uint64_t from_offset, GpuBuffer *to,
                 uint64_t to_offset, uint64_t size)
{
    const Use    uses[] = {use_of(from, from_offset, size, false),
                           use_of(to, to_offset, size, true)};
    VkBufferCopy region = {from_offset, to_offset, size};
    if (!size)
        return;
    settle(r, from);
    settle_for_write(r, to, to_offset, size);
    order_transfer(r, uses, COUNTOF(uses));
    r->d->fn.CmdCopyBuffer(r->commands, from->handle, to->handle, 1, &region);
}

static void record_clear(Recording *r, const GpuCommand *c)
{
    GpuBuffer *to = c->clear.to;
    const Use  use = use_of(to, c->clear.offset, c->clear.size, true);
    if (!c->clear.size)
        return;
    settle_for_write(r, to, c->clear.offset, c->clear.size);
    order_transfer(r, &use, 1);
    r->d->fn.CmdFillBuffer(r->commands, to->handle, c->clear.offset, c->clear.size, 0);
}

/* The data is a part of the commands. */
static void write_inline(Recording *r, const GpuCommand *c)
{
    GpuBuffer  *to = c->write.to;
    const char *data = c->write.data;
    const Use   use = use_of(to, c->write.offset, c->write.size, true);
    settle_for_write(r, to, c->write.offset, c->write.size);
    order_transfer(r, &use, 1);
    for (uint64_t at = 0; at < c->write.size; at += MOST_UPDATE)
        r->d->fn.CmdUpdateBuffer(r->commands, to->handle, c->write.offset + at,
                                 MIN_OF(c->write.size - at, MOST_UPDATE), data + at);
}

/* What the host can reach may be little, and still full of earlier writes: then the driver
 * gets the data piece by piece. */
static void record_write(Recording *r, const GpuCommand *c)
{
    VulkanPiece piece;
    bool        words = c->write.size % 4 == 0;
    if (!c->write.size)
        return;
    if (c->write.size <= MOST_INLINE && words) {
        write_inline(r, c);
    } else if (vulkan_staging_take(r->d, &r->flight->staging, c->write.size, 16, &piece)) {
        memcpy(piece.data, c->write.data, c->write.size);
        copy(r, piece.buffer, piece.offset, c->write.to, c->write.offset, c->write.size);
    } else if (words) {
        write_inline(r, c);
    } else {
        r->why = "there is no memory for the data of a write";
    }
}

/* ---- times ---- */

static void record_timestamp(Recording *r, const GpuCommand *c)
{
    GpuQueries *q = c->timestamp.queries;
    r->d->fn.CmdResetQueryPool(r->commands, q->pool, c->timestamp.index, 1);
    r->d->fn.CmdWriteTimestamp(r->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, q->pool,
                               c->timestamp.index);
    q->written[c->timestamp.index] = true;
}

/* As in kernel.c: nanoseconds are ticks * factor >> shift. */
typedef struct TimesRate {
    uint32_t count, factor, shift;
} TimesRate;

static TimesRate rate_of(const GpuDevice *d, uint32_t count)
{
    int       exponent = 0;
    double    period = (double)d->adapter->properties.limits.timestampPeriod;
    frexp(period, &exponent);       /* period < 2^exponent */
    int       shift = MIN_OF(MAX_OF(31 - exponent, 1), 31);
    return (TimesRate){count, (uint32_t)ldexp(period, shift), (uint32_t)shift};
}

/* Queries that were never written are zero; Vulkan would wait for them. */
static void record_resolve(Recording *r, const GpuCommand *c)
{
    const GpuQueries *q = c->resolve.queries;
    GpuBuffer        *to = c->resolve.to;
    uint32_t          end = c->resolve.first + c->resolve.count;
    uint64_t          offset = c->resolve.offset, size = 8 * (uint64_t)c->resolve.count;
    const Use         use = use_of(to, offset, size, true);
    if (!size)
        return;
    settle_for_write(r, to, offset, size);
    order_transfer(r, &use, 1);
    for (uint32_t i = c->resolve.first, n; i < end; i += n, offset += 8 * (uint64_t)n) {
        for (n = 1; i + n < end && q->written[i + n] == q->written[i]; n++)
            ;
        if (q->written[i])
            r->d->fn.CmdCopyQueryPoolResults(r->commands, q->pool, i, n, to->handle, offset, 8,
                                             VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
        else
            r->d->fn.CmdFillBuffer(r->commands, to->handle, offset, 8 * (uint64_t)n, 0);
    }
    if (r->d->adapter->properties.limits.timestampPeriod != 1.0f) {
        TimesRate        rate = rate_of(r->d, c->resolve.count);
        const GpuBinding binding = {0, 0, to, c->resolve.offset, size};
        run_helper(r, HELPER_TIMES, &binding, &rate, (c->resolve.count + 63) / 64);
    }
}

/* ---- the list ---- */

static void record_command(Recording *r, const GpuCommand *c)
{
    switch (c->kind) {
    case GPU_DISPATCH: case GPU_DISPATCH_INDIRECT:
        record_dispatch(r, c);
        break;
    case GPU_COPY:
        copy(r, c->copy.from, c->copy.from_offset, c->copy.to, c->copy.to_offset,
             c->copy.size);
        break;
    case GPU_CLEAR:
        record_clear(r, c);
        break;
    case GPU_WRITE:
        record_write(r, c);
        break;
    case GPU_TIMESTAMP:
        record_timestamp(r, c);
        break;
    case GPU_RESOLVE:
        record_resolve(r, c);
        break;
    }
}

bool vulkan_record(GpuDevice *d, VulkanFlight *f, const GpuSubmit *s, uint32_t *at,
                   bool one_dispatch, const char **why)
{
    Recording r = {.d = d, .flight = f, .commands = f->commands};
    while (*at < s->count && !r.why) {
        record_command(&r, &s->commands[(*at)++]);
        if (one_dispatch && f->dispatches)
            break;
    }
    if (r.host_sees)
        barrier(&r, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                WRITES_ALL, STAGES_ALL | VK_PIPELINE_STAGE_HOST_BIT,
                READS_ALL | WRITES_ALL | VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
    VkResult result = d->fn.EndCommandBuffer(f->commands);
    if (result != VK_SUCCESS)
        r.why = vulkan_result_text(result);
    *why = r.why;
    return !r.why;
}
