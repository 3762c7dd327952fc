// SPDX-License-Identifier: Apache-2.0
/*
 * threads.c - one device, shared by several threads.
 *
 * in     random walks
 * out    how far they lead, by thread and altogether
 *
 * Any function may be called on any thread. Objects are shared freely; an
 * encoder belongs to one thread at a time, and error scopes are each thread's
 * own. Submits are carried out in the order in which they come.
 */
#include <math.h>
#include <pthread.h>

#include "common.h"

enum { THREADS = 4, ROUNDS = 8, WALKS = 4096, GROUP = 64, STEPS = 256 };

static const char wgsl[] =
    "struct Task { seed : u32, steps : u32 }\n"
    "@group(0) @binding(0) var<uniform> task : Task;\n"
    "@group(0) @binding(1) var<storage, read_write> at : array<i32>;\n"
    "fn hash(x : u32) -> u32 {\n"
    "  var h = x * 747796405u + 2891336453u;\n"
    "  h = ((h >> ((h >> 28u) + 4u)) ^ h) * 277803737u;\n"
    "  return (h >> 22u) ^ h;\n"
    "}\n"
    "@compute @workgroup_size(64)\n"
    "fn walk(@builtin(global_invocation_id) id : vec3u) {\n"
    "  var state = hash(task.seed ^ hash(id.x));\n"
    "  for (var i = 0u; i < task.steps; i++) {\n"
    "    state = hash(state);\n"
    "    at[id.x] += select(-1, 1, (state & 1u) == 1u);\n"
    "  }\n"
    "}\n";

typedef struct Walker {
    const Gpu          *gpu;
    WGPUComputePipeline walk;           /* shared by all */
    uint32_t            seed;
    double              square;         /* mean square of the distance */
    pthread_t           thread;
} Walker;

/* What a thread does: buffers of its own, commands of its own. */
static void *run(void *user)
{
    Walker *w = (Walker *)user;
    int32_t at[WALKS];
    const uint32_t task[2] = {w->seed, STEPS};
    WGPUBuffer buffers[] = {
        buffer_create(w->gpu, WGPUBufferUsage_Uniform | WGPUBufferUsage_CopyDst, sizeof task,
                      task),
        buffer_create(w->gpu, WGPUBufferUsage_Storage | WGPUBufferUsage_CopySrc, sizeof at,
                      NULL),
    };
    WGPUBindGroup group = bind_group_create(w->gpu, w->walk, 2, buffers);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const uint32_t again[2] = {w->seed + i * THREADS, STEPS};
        wgpuQueueWriteBuffer(w->gpu->queue, buffers[0], 0, again, sizeof again);
        dispatch(w->gpu, w->walk, group, WALKS / GROUP, 1);
    }
    buffer_read(w->gpu, buffers[1], at, sizeof at);
    for (int i = 0; i < WALKS; i++)
        w->square += (double)at[i] * at[i] / WALKS;
    wgpuBindGroupRelease(group);
    wgpuBufferRelease(buffers[1]);
    wgpuBufferRelease(buffers[0]);
    return NULL;
}

int main(void)
{
    Gpu gpu = gpu_open();
    WGPUComputePipeline walk = pipeline_create(&gpu, wgsl, "walk");
    Walker walkers[THREADS];
    memset(walkers, 0, sizeof walkers);
    for (uint32_t i = 0; i < THREADS; i++) {
        walkers[i].gpu = &gpu;
        walkers[i].walk = walk;
        walkers[i].seed = i;
        if (pthread_create(&walkers[i].thread, NULL, run, &walkers[i]) != 0)
            fatal("no thread", text(""));
    }
    /* n steps of length 1 lead, in the mean of the squares, as far as sqrt(n). */
    const double wanted = sqrt(ROUNDS * STEPS);
    bool right = true;
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(walkers[i].thread, NULL);
        double distance = sqrt(walkers[i].square);
        printf("thread %u: %d walks of %d steps lead %.2f far\n", i, WALKS, ROUNDS * STEPS,
               distance);
        right = right && fabs(distance / wanted - 1) < 0.05;
    }
    printf("the square root of %d is %.2f\n", ROUNDS * STEPS, wanted);
    wgpuComputePipelineRelease(walk);
    gpu_close(&gpu);
    return verdict(right);
}
