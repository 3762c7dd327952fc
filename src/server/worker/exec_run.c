// SPDX-License-Identifier: Apache-2.0
/*
 * exec_run.c - one job: its bindings get bytes, the kernel runs, outputs are read.
 *
 * in     a JobSpec with all its data
 * out    packed outputs and figures
 * knows  webgpu.h, layouts of bindings
 * not    where the job comes from
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "server/worker/executor_priv.h"

typedef struct Slot {
    const weft_wgsl_binding *binding;
    uint64_t   size;                    /* bytes of the buffer                            */
    uint32_t   input;                   /* first input for it; UINT32_MAX: none           */
    uint32_t   output;                  /* UINT32_MAX: none                               */
    uint8_t   *bytes;                   /* [size] first contents; NULL: zeros             */
    WGPUBuffer buffer;
} Slot;

typedef struct Run {
    Executor      *x;
    const JobSpec *spec;
    ExecKernel    *kernel;
    ExecError     *e;
    Slot           slots[EXEC_BINDINGS];
    uint32_t       slot_count;
    uint32_t       groups[3];
    uint64_t       memory;
    WGPUBindGroup  bind_groups[4];
    WGPUBuffer     staging[WIRE_MAX_INPUTS];
} Run;

/* ---- planning ---- */

static Slot *slot_find(Run *r, const char *name, size_t length)
{
    for (uint32_t i = 0; i < r->slot_count; i++)
        if (strlen(r->slots[i].binding->name) == length
            && memcmp(r->slots[i].binding->name, name, length) == 0)
            return &r->slots[i];
    return NULL;
}

static bool list_slots(Run *r)
{
    const weft_entry_point *p = r->kernel->entry;
    if (p->binding_count > EXEC_BINDINGS)
        return exec_fail(r->e, WEFT_ERROR_UNSUPPORTED, "more than %u bindings", EXEC_BINDINGS);
    for (uint32_t i = 0; i < p->binding_count; i++) {
        const weft_wgsl_binding *b = &p->bindings[i];
        if (b->kind > WEFT_BINDING_READ_ONLY_STORAGE || !b->layout)
            return exec_fail(r->e, WEFT_ERROR_UNSUPPORTED, "binding '%s' is not a buffer",
                             b->name);
        if (b->group >= COUNTOF(r->bind_groups))
            return exec_fail(r->e, WEFT_ERROR_UNSUPPORTED, "binding '%s' is in group %u; "
                             "groups end at 3", b->name, b->group);
        r->slots[r->slot_count++] = (Slot){.binding = b, .input = UINT32_MAX,
                                           .output = UINT32_MAX};
    }
    return true;
}

static bool size_for_input(Run *r, uint32_t index)
{
    const WireInput *in = &r->spec->inputs[index];
    size_t           length = strcspn(in->name, ".");
    Slot            *s = slot_find(r, in->name, length);
    if (!s)
        return exec_fail(r->e, WEFT_ERROR_NOT_FOUND, "input '%s' is not a binding of '%s'",
                         in->name, r->kernel->entry->name);
    uint64_t size = in->kind == WIRE_NUMBERS
                  ? fill_size(s->binding->layout, in->size / 8, s->binding->min_size)
                  : (in->size + 3) / 4 * 4;
    if (in->kind == WIRE_NUMBERS && size == 0)
        return exec_fail(r->e, WEFT_ERROR_TYPE, "input '%s' has no type: send bytes", in->name);
    if (s->input == UINT32_MAX)
        s->input = index;
    s->size = MAX_OF(s->size, size);
    return true;
}

static bool size_for_output(Run *r, uint32_t index)
{
    const WireOutput *o = &r->spec->outputs[index];
    Slot             *s = slot_find(r, o->name, strlen(o->name));
    if (!s || s->binding->kind != WEFT_BINDING_STORAGE)
        return exec_fail(r->e, WEFT_ERROR_NOT_FOUND, "output '%s' is not a read_write binding "
                         "of '%s'", o->name, r->kernel->entry->name);
    WireScalar has = fill_scalar(s->binding->layout);
    if (o->scalar != WIRE_ANY && has != WIRE_ANY && o->scalar != WIRE_U8 && has != o->scalar)
        return exec_fail(r->e, WEFT_ERROR_TYPE, "output '%s' is %s, not %s", o->name,
                         wire_scalar_name(has), wire_scalar_name(o->scalar));
    if (o->size > UINT64_MAX / 8)
        return exec_fail(r->e, WEFT_ERROR_MEMORY, "output '%s' is too large", o->name);
    s->output = index;
    s->size = MAX_OF(s->size, (o->size + 3) / 4 * 4);
    return true;
}

static bool check_sizes(Run *r)
{
    const JobSpec *spec = r->spec;
    for (uint32_t i = 0; i < r->slot_count; i++) {
        Slot *s = &r->slots[i];
        if (s->input == UINT32_MAX && s->output == UINT32_MAX)
            return exec_fail(r->e, WEFT_ERROR_INVALID, "binding '%s' has neither an input nor "
                             "an output", s->binding->name);
        if (s->size < s->binding->min_size && s->binding->layout->size == 0)
            s->size = s->binding->min_size;
        if (s->size < s->binding->min_size)
            return exec_fail(r->e, WEFT_ERROR_SHAPE, "'%s' has %llu bytes; '%s' needs %llu",
                             s->binding->name, (unsigned long long)s->size, s->binding->type,
                             (unsigned long long)s->binding->min_size);
        bool     uniform = s->binding->kind == WEFT_BINDING_UNIFORM;
        uint64_t most = uniform ? r->x->limits.maxUniformBufferBindingSize
                                : r->x->limits.maxStorageBufferBindingSize;
        if (s->size > most)
            return exec_fail(r->e, WEFT_ERROR_MEMORY, "'%s' has %llu bytes; the device's limit "
                             "is %llu", s->binding->name, (unsigned long long)s->size,
                             (unsigned long long)most);
        /* The buffer, its copy to read it back, its copy in the message. */
        r->memory += s->size * (s->output == UINT32_MAX ? 2 : 3);
        if (spec->memory_limit && r->memory > spec->memory_limit)
            return exec_fail(r->e, WEFT_ERROR_QUOTA, "the job needs more than its memory limit "
                             "of %llu bytes", (unsigned long long)spec->memory_limit);
    }
    return true;
}

/* ---- workgroups ---- */

/* Enough workgroups for one invocation an element of the largest output, the last
 * dimension of its shape along x. */
static void auto_groups(Run *r)
{
    const JobSpec *spec = r->spec;
    uint64_t extent[3] = {1, 1, 1}, best = 0;
    for (uint32_t i = 0; i < spec->output_count; i++) {
        const WireOutput *o = &spec->outputs[i];
        const weft_type  *t = slot_find(r, o->name, strlen(o->name))->binding->layout;
        uint64_t          stride = t->kind == WEFT_TYPE_ARRAY && t->stride ? t->stride : 4;
        if (o->size <= best)
            continue;
        best = o->size;
        const uint32_t *wg = r->kernel->size.workgroup_size;
        bool flat = (wg[1] == 1 && wg[2] == 1) || o->dims < 2;
        extent[0] = flat ? o->size / stride : o->shape[o->dims - 1];
        extent[1] = flat ? 1 : o->shape[o->dims - 2];
        extent[2] = 1;
        for (uint32_t d = 0; !flat && d + 2 < o->dims; d++)
            extent[2] *= o->shape[d];
    }
    for (int i = 0; i < 3; i++) {
        uint64_t wg = MAX_OF(r->kernel->size.workgroup_size[i], 1);
        r->groups[i] = (uint32_t)MIN_OF(MAX_OF((extent[i] + wg - 1) / wg, 1), UINT32_MAX);
    }
}

/* The value of a name in the analysis: the length of a bound array, or a number that was
 * given for a member of a binding. */
static bool name_value(Run *r, const char *name, double *out)
{
    static const char length_of[] = "arrayLength(&";
    size_t start = sizeof length_of - 1, length = strlen(name);
    if (strncmp(name, length_of, start) == 0 && name[length - 1] == ')') {
        const Slot *s = slot_find(r, name + start, length - start - 1);
        if (!s || s->binding->layout->kind != WEFT_TYPE_ARRAY || !s->binding->layout->stride)
            return false;
        *out = (double)(s->size / s->binding->layout->stride);
        return true;
    }
    for (uint32_t i = 0; i < r->spec->input_count; i++) {
        const WireInput *in = &r->spec->inputs[i];
        if (in->kind == WIRE_NUMBERS && in->size == sizeof *out && strcmp(in->name, name) == 0) {
            memcpy(out, in->data, sizeof *out);
            return *out > 0;
        }
    }
    return false;
}

static double count_ops(Run *r)
{
    weft_override_value values[32];
    uint32_t            count = 0;
    const char         *name;
    for (uint32_t i = 0; count < COUNTOF(values)
                         && (name = weft_kernel_name_get(r->kernel->analysis, i)); i++)
        if (name_value(r, name, &values[count].value))
            values[count++].key = name;
    return exec_count_ops(r->kernel->analysis, values, count);
}

static bool choose_groups(Run *r, WireDone *done)
{
    const JobSpec *spec = r->spec;
    memcpy(r->groups, spec->groups, sizeof r->groups);
    if (!spec->groups[0] && !spec->groups[1] && !spec->groups[2])
        auto_groups(r);
    double invocations = 1;
    for (int i = 0; i < 3; i++) {
        if (r->groups[i] > r->x->limits.maxComputeWorkgroupsPerDimension)
            return exec_fail(r->e, WEFT_ERROR_INVALID, "%u workgroups in one dimension; at most "
                             "%u", r->groups[i], r->x->limits.maxComputeWorkgroupsPerDimension);
        invocations *= (double)r->groups[i] * r->kernel->size.workgroup_size[i];
    }
    double ops = invocations * (r->kernel->analysis ? count_ops(r) : 1);
    done->ops = ops > 1e18 ? (uint64_t)1e18 : (uint64_t)ops;
    if (spec->ops_limit && done->ops > spec->ops_limit)
        return exec_fail(r->e, WEFT_ERROR_QUOTA, "the job is estimated at %llu operations; its "
                         "compute limit is %llu", (unsigned long long)done->ops,
                         (unsigned long long)spec->ops_limit);
    memcpy(done->groups, r->groups, sizeof done->groups);
    return true;
}

/* ---- data ---- */

static bool fill_slots(Run *r)
{
    for (uint32_t i = 0; i < r->spec->input_count; i++) {
        const WireInput *in = &r->spec->inputs[i];
        size_t           length = strcspn(in->name, ".");
        Slot            *s = slot_find(r, in->name, length);
        if (!s->bytes)
            s->bytes = calloc(1, s->size);
        if (!s->bytes)
            return exec_fail(r->e, WEFT_ERROR_MEMORY, "out of memory");
        if (in->kind != WIRE_NUMBERS)
            memcpy(s->bytes, in->data, in->size);
        else if (!fill_numbers(s->bytes, s->size, s->binding->layout,
                               in->name + length + (in->name[length] == '.'),
                               (const double *)(const void *)in->data, in->size / 8,
                               in->name, r->e))
            return false;
    }
    return true;
}

static WGPUBuffer make_buffer(Run *r, uint64_t size, WGPUBufferUsage usage)
{
    WGPUBufferDescriptor wish = WGPU_BUFFER_DESCRIPTOR_INIT;
    wish.size = size;
    wish.usage = usage;
    return wgpuDeviceCreateBuffer(r->x->device, &wish);
}

static void make_buffers(Run *r)
{
    for (uint32_t i = 0; i < r->slot_count; i++) {
        Slot *s = &r->slots[i];
        s->buffer = make_buffer(r, s->size, WGPUBufferUsage_CopyDst
                                | (s->binding->kind == WEFT_BINDING_UNIFORM
                                   ? WGPUBufferUsage_Uniform
                                   : WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc));
        if (s->bytes)
            wgpuQueueWriteBuffer(r->x->queue, s->buffer, 0, s->bytes, s->size);
    }
}

static void make_groups(Run *r)
{
    WGPUBindGroupEntry entries[EXEC_BINDINGS];
    for (uint32_t group = 0; group < COUNTOF(r->bind_groups); group++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < r->slot_count; i++) {
            if (r->slots[i].binding->group != group)
                continue;
            entries[count] = (WGPUBindGroupEntry)WGPU_BIND_GROUP_ENTRY_INIT;
            entries[count].binding = r->slots[i].binding->binding;
            entries[count++].buffer = r->slots[i].buffer;
        }
        if (count == 0)
            continue;
        WGPUBindGroupDescriptor wish = WGPU_BIND_GROUP_DESCRIPTOR_INIT;
        wish.layout = wgpuComputePipelineGetBindGroupLayout(r->kernel->pipeline, group);
        wish.entryCount = count;
        wish.entries = entries;
        r->bind_groups[group] = wgpuDeviceCreateBindGroup(r->x->device, &wish);
        wgpuBindGroupLayoutRelease(wish.layout);
    }
}

/* ---- running ---- */

static void on_done(WGPUQueueWorkDoneStatus status, WGPUStringView message, void *user1,
                    void *user2)
{
    (void)status;
    (void)message;
    (void)user2;
    *(bool *)user1 = true;
}

static void on_map(WGPUMapAsyncStatus status, WGPUStringView message, void *user1, void *user2)
{
    (void)message;
    *(WGPUMapAsyncStatus *)user1 = status;
    *(bool *)user2 = true;
}

static void encode(Run *r, WGPUCommandEncoder encoder)
{
    WGPUComputePassEncoder pass = wgpuCommandEncoderBeginComputePass(encoder, NULL);
    wgpuComputePassEncoderSetPipeline(pass, r->kernel->pipeline);
    for (uint32_t i = 0; i < COUNTOF(r->bind_groups); i++)
        if (r->bind_groups[i])
            wgpuComputePassEncoderSetBindGroup(pass, i, r->bind_groups[i], 0, NULL);
    wgpuComputePassEncoderDispatchWorkgroups(pass, r->groups[0], r->groups[1], r->groups[2]);
    wgpuComputePassEncoderEnd(pass);
    wgpuComputePassEncoderRelease(pass);
    for (uint32_t i = 0; i < r->slot_count; i++) {
        Slot *s = &r->slots[i];
        if (s->output == UINT32_MAX)
            continue;
        r->staging[s->output] = make_buffer(r, s->size, WGPUBufferUsage_MapRead
                                                        | WGPUBufferUsage_CopyDst);
        wgpuCommandEncoderCopyBufferToBuffer(encoder, s->buffer, 0, r->staging[s->output], 0,
                                             s->size);
    }
}

static void dispatch(Run *r, WireDone *done)
{
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(r->x->device, NULL);
    encode(r, encoder);
    WGPUCommandBuffer commands = wgpuCommandEncoderFinish(encoder, NULL);
    uint64_t start = clock_ns();
    wgpuQueueSubmit(r->x->queue, 1, &commands);
    bool finished = false;
    WGPUQueueWorkDoneCallbackInfo info = WGPU_QUEUE_WORK_DONE_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_WaitAnyOnly;
    info.callback = on_done;
    info.userdata1 = &finished;
    exec_wait(r->x, wgpuQueueOnSubmittedWorkDone(r->x->queue, info), &finished);
    done->run_ns = clock_ns() - start;
    wgpuCommandBufferRelease(commands);
    wgpuCommandEncoderRelease(encoder);
}

static bool read_output(Run *r, uint32_t index, Pack *out)
{
    const WireOutput  *o = &r->spec->outputs[index];
    WGPUBuffer         staging = r->staging[index];
    bool               mapped = false;
    WGPUMapAsyncStatus status = WGPUMapAsyncStatus_Error;
    WGPUBufferMapCallbackInfo info = WGPU_BUFFER_MAP_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_WaitAnyOnly;
    info.callback = on_map;
    info.userdata1 = &status;
    info.userdata2 = &mapped;
    uint64_t size = (o->size + 3) / 4 * 4;
    exec_wait(r->x, wgpuBufferMapAsync(staging, WGPUMapMode_Read, 0, size, info), &mapped);
    const void *bytes = status == WGPUMapAsyncStatus_Success
                      ? wgpuBufferGetConstMappedRange(staging, 0, size) : NULL;
    if (!bytes)
        return exec_fail(r->e, WEFT_ERROR_DEVICE_LOST, "output '%s' cannot be read", o->name);
    WireScalar scalar = fill_scalar(slot_find(r, o->name, strlen(o->name))->binding->layout);
    pack_u32(out, o->scalar != WIRE_ANY ? o->scalar : scalar);
    pack_bytes(out, bytes, o->size);
    wgpuBufferUnmap(staging);
    return true;
}

static bool read_outputs(Run *r, Pack *out, WireDone *done)
{
    for (uint32_t i = 0; i < r->spec->output_count; i++)
        if (!read_output(r, i, out))
            return false;
    done->output_count = r->spec->output_count;
    return !out->failed || exec_fail(r->e, WEFT_ERROR_MEMORY, "out of memory");
}

static void run_fini(Run *r)
{
    for (uint32_t i = 0; i < COUNTOF(r->bind_groups); i++)
        if (r->bind_groups[i])
            wgpuBindGroupRelease(r->bind_groups[i]);
    for (uint32_t i = 0; i < r->slot_count; i++) {
        if (r->slots[i].buffer)
            wgpuBufferRelease(r->slots[i].buffer);
        free(r->slots[i].bytes);
    }
    for (uint32_t i = 0; i < COUNTOF(r->staging); i++)
        if (r->staging[i])
            wgpuBufferRelease(r->staging[i]);
}

static uint64_t cpu_ns(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (uint64_t)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * NS_PER_S
         + (uint64_t)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000u;
}

static bool plan(Run *r, WireDone *done)
{
    if (!list_slots(r))
        return false;
    for (uint32_t i = 0; i < r->spec->input_count; i++)
        if (!size_for_input(r, i))
            return false;
    for (uint32_t i = 0; i < r->spec->output_count; i++)
        if (!size_for_output(r, i))
            return false;
    if (!check_sizes(r) || !choose_groups(r, done))
        return false;
    for (uint32_t i = 0; i < r->slot_count; i++)
        done->bytes_moved += r->slots[i].size;
    return fill_slots(r);
}

bool executor_run(Executor *x, const JobSpec *spec, Pack *out, WireDone *done, ExecError *e)
{
    Run      run = {.x = x, .spec = spec, .e = e};
    bool     cached = false;
    uint64_t start = clock_ns(), cpu = cpu_ns();
    *done = (WireDone){0};
    run.kernel = exec_kernel(x, spec, &cached, e);
    done->compile_ns = clock_ns() - start;
    done->cached = cached;
    bool ok = run.kernel && plan(&run, done);
    if (ok) {
        exec_watch(x);
        make_buffers(&run);
        make_groups(&run);
        dispatch(&run, done);
        ok = exec_caught(x, WEFT_ERROR_INVALID, e) && read_outputs(&run, out, done);
    }
    run_fini(&run);
    done->total_ns = clock_ns() - start;
    done->cpu_ns = cpu_ns() - cpu;
    return ok;
}
