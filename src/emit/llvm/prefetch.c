// SPDX-License-Identifier: Apache-2.0
/*
 * prefetch.c - memory that a loop will want in its next round.
 *
 * in     the address of a load of storage; later a function after LLVM's passes
 * out    a prefetch of what the same load reads in the next round, or one after it, if
 *        that is so far away that the machine does not expect it; each address once
 * knows  counters of loops; that machines follow accesses within a page, and that a
 *        prefetch may name any address
 */
#include "emit/llvm/place_priv.h"

#include <string.h>

#include "emit/llvm/target_priv.h"

#define FAR    4096                 /* bytes from round to round                  */
#define FURTHEST (1 << 28)          /* the same: no more than this is looked at   */
#define PLENTY 512                  /* bytes of a round that are worth the wait   */
#define AHEAD  2048                 /* bytes to read while others are on their way */
#define DEPTH  6u

typedef struct Rounds {
    const Inst *loop;
    int64_t     bytes;              /* from one to the next                       */
} Rounds;

static const Inst *counter_step(const Inst *param)
{
    const Inst *loop = param->region->owner;
    if (!loop || loop->op != IR_LOOP || loop->flow.regions[0] != param->region ||
        loop->flow.regions[1]->last->op != IR_NEXT)
        return NULL;
    const Inst *next = loop->flow.regions[1]->last->args[param->index];
    bool counts = next->op == IR_IADD && next->args[0] == param &&
                  next->args[1]->op == IR_CONST;
    return counts ? next->args[1] : NULL;
}

/* Adds how much further `inst` * scale is in the next round. */
static void add_steps(Rounds *r, const Inst *inst, int64_t scale, uint32_t depth)
{
    if (depth == 0 || inst->type.kind != SCALAR_I32 || inst->type.width != 1)
        return;
    const Inst *step = inst->op == IR_PARAM ? counter_step(inst) : NULL;
    if (step) {
        r->loop = inst->region->owner;
        r->bytes += (int32_t)step->constant.bits[0] * scale;
    } else if (inst->op == IR_IADD) {
        add_steps(r, inst->args[0], scale, depth - 1);
        add_steps(r, inst->args[1], scale, depth - 1);
    } else if (inst->op == IR_IMUL) {
        uint32_t k = inst->args[0]->op == IR_CONST ? 0 : 1;
        if (inst->args[k]->op == IR_CONST && inst->args[k]->constant.bits[0] <= FURTHEST / scale)
            add_steps(r, inst->args[1 - k], scale * inst->args[k]->constant.bits[0], depth - 1);
    }
}

void prefetch_next(Emit *e, const Address *a, LlvmValue pointer)
{
    Rounds r = {NULL, 0};
    for (uint32_t i = 0; a->var->space == IRSPACE_STORAGE && i < a->nterms; i++)
        add_steps(&r, a->terms[i].index, (int64_t)a->terms[i].stride, DEPTH);
    if (r.bytes < FAR)
        return;
    bool wide = e->facts->of[r.loop->id].wide;
    int64_t round = a->lane_stride * e->lanes * (wide ? e->groups : e->jam);
    if (round < PLENTY)
        return;
    int64_t rounds = wide && round < AHEAD ? AHEAD / round : 1;
    LlvmValue offset = const_i64(e, (uint64_t)(r.bytes * rounds));
    LlvmValue there = LLVMBuildGEP2(e->builder, e->i8, pointer, &offset, 1, "");
    intrinsic(e, "llvm.prefetch", &e->ptr, 1, 4,
              (LlvmValue[]){there, const_i32(e, 0), const_i32(e, 3), const_i32(e, 1)});
}

/* ---- after LLVM's passes: lane groups that load the same ask for it once ---- */

#define RECENT 16u                  /* prefetches that are looked back at         */

typedef struct Asked {
    LlvmValue pointer[RECENT];
    uint32_t  count;
} Asked;

static bool is_prefetch(LlvmValue inst)
{
    size_t size;
    LlvmValue called = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
    const char *name = called ? LLVMGetValueName2(called, &size) : NULL;
    return name && strncmp(name, "llvm.prefetch", 13) == 0;
}

static bool was_asked(Asked *a, LlvmValue pointer)
{
    for (uint32_t i = 0; i < MIN_OF(a->count, RECENT); i++)
        if (a->pointer[i] == pointer)
            return true;
    a->pointer[a->count++ % RECENT] = pointer;
    return false;
}

static void unite(LlvmBlock block)
{
    Asked asked = {.count = 0};
    for (LlvmValue inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
        next = LLVMGetNextInstruction(inst);
        if (is_prefetch(inst) && was_asked(&asked, LLVMGetOperand(inst, 0)))
            LLVMInstructionEraseFromParent(inst);
    }
}

void prefetch_unite(Emit *e)
{
    for (LlvmBlock b = LLVMGetFirstBasicBlock(e->function); b; b = LLVMGetNextBasicBlock(b))
        unite(b);
}
