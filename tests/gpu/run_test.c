/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_test.c - every run test through webgpu.h, on the device that support/device.h
 * chooses.
 *
 * in     the .wgsl files below tests/run (support/runfile.h)
 * out    a failure for each whose buffers are not as expected. Kernels that need what
 *        the device does not have are left out: f16, or another size of subgroups
 *
 *     test_gpu_run [FILE...]      default: all of them
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

#include "support/device.h"
#include "support/rundir.h"

static TestDevice device;

static bool is_enabled(const Module *m, uint32_t feature)
{
    return m->info->features.enabled & 1u << feature;
}

/* A CPU has subgroups of the size it likes. */
static bool can_run(const Module *m, const RunCase *c)
{
    if ((is_enabled(m, ENABLE_f16) && !device.has_f16)
        || (is_enabled(m, ENABLE_weft_f64) && !device.has_f64))
        return false;
    return !is_enabled(m, ENABLE_subgroups)
        || (device.has_subgroups && device.subgroup_min == c->subgroup_size
            && device.subgroup_max == c->subgroup_size);
}

static void run_case(RunDir *d, const char *path, Arena *a, const Module *m, RunCase *c)
{
    if (!can_run(m, c))
        return;
    TestRun run = {.wgsl = m->source, .entry = c->entry->ident.name->text,
                   .settings = c->overrides.data, .nsettings = c->overrides.len,
                   .groups = {c->groups[0], c->groups[1], c->groups[2]}};
    TestBuffer *buffers = ARENA_ARRAY(a, TestBuffer, c->buffers.len + 1);
    runfile_fill(a, c);
    for (uint32_t i = 0; i < c->buffers.len; i++) {
        const RunBuffer *b = &c->buffers.data[i];
        if (b->var->var.space == SPACE_IMMEDIATE) {
            run.immediate_bytes = (b->size + 3) / 4 * 4;
            uint8_t *words = ARENA_ARRAY(a, uint8_t, run.immediate_bytes);
            memcpy(words, b->data, b->size);
            run.immediates = words;
        } else {
            buffers[run.nbuffers++] = (TestBuffer){
                b->var->var.group, b->var->var.binding, b->var->var.space == SPACE_UNIFORM,
                b->data, b->size};
        }
    }
    run.buffers = buffers;
    if (device.is_vulkan && c->elsewhere > 0)
        c->within = c->absolute = c->elsewhere;
    const char *wrong = test_device_run(&device, &run);
    if (!wrong)
        wrong = runfile_difference(a, c);
    if (wrong)
        rundir_complain(d, path, c->line, "on the device", wrong);
}

int main(int argc, char **argv)
{
    test_device_open(&device);
    int status = rundir_main(argc, argv, "gpu_run", WEFT_TEST_DIR "/../run", run_case);
    test_device_close(&device);
    return status;
}
