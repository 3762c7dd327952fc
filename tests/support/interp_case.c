/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interp_case.c - interprets the kernel of a run test with its buffers.
 */
#include "support/interp.h"
#include "support/runfile.h"

const char *interp_case(Arena *a, RunCase *c, const Ir *ir, bool backwards)
{
    InterpDesc desc = {
        .ir = ir,
        .buffers = ARENA_ARRAY(a, InterpBuffer, c->buffers.len),
        .num_workgroups = {c->groups[0], c->groups[1], c->groups[2]},
        .subgroup_size = c->subgroup_size,
        .backwards = backwards,
    };
    runfile_fill(a, c);
    for (uint32_t i = 0; i < c->buffers.len; i++) {
        const RunBuffer *b = &c->buffers.data[i];
        if (b->var->var.space == SPACE_IMMEDIATE) {
            desc.immediates = b->data;
            desc.immediate_size = b->size;
            continue;
        }
        desc.buffers[desc.nbuffers++] = (InterpBuffer){
            b->var->var.group, b->var->var.binding, b->data, b->size,
        };
    }
    const char *wrong = interp_run(a, &desc);
    return wrong ? wrong : runfile_difference(a, c);
}
