// SPDX-License-Identifier: Apache-2.0
/*
 * spirv.c - the compiler for Vulkan, in the order it happens.
 *
 * in     a typed module, an entry point, override values, what the driver can do
 * out    SPIR-V, and what a device must bind
 * knows  all stages
 * not    how any of them works
 */
#include "compile/spirv.h"

#include <stdlib.h>
#include <string.h>

#include "compile/middle.h"
#include "opt/opt.h"

#define MEMORY_LIMIT ((size_t)1 << 30)  /* bytes for the IR of one kernel          */

typedef struct Run {
    KernelSource  source;
    const SpirvTarget *target;
    Diag         *diag;
    Arena        *scratch;              /* the IR                                  */
    Arena        *arena;                /* what is handed out                      */
    Ir           *ir;
    SpirvCode     code;
    Proof         proof;
    SpirvKernel  *out;
    bool          assume;
    bool          ok;
} Run;

/* Runs under arena_try() of the scratch arena. */
static void make(void *context)
{
    Run *r = context;
    r->ir = middle_run(r->scratch, &(MiddleJob){r->source, r->diag, r->target->fuses_f64, NULL,
                                                NULL});
    if (!r->ir)
        return;
    if (r->assume) {
        opt_assume(r->ir, ASSUME_BOUNDS, 0, NULL, &r->proof);
        opt_simplify(r->ir);
        opt_prune(r->ir);
        middle_verify(r->ir, "assume");
    }
    r->ok = spirv_emit(r->scratch, r->ir, r->target, r->diag, &r->code);
}

/* ---- what the device must know ---- */

/* Which variables are written, and whether there are subgroups. */
typedef struct Uses {
    bool *written;                      /* [ir->vars]                              */
    bool  subgroups;
} Uses;

static void find_uses(Uses *u, const Region *region)
{
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_STORE || (inst->op == IR_ATOMIC && inst->atomic != ATOMIC_LOAD))
            u->written[ir_place_root(inst->args[0])->id] = true;
        u->subgroups |= inst->op == IR_SUBGROUP
            || (inst->op == IR_INPUT && inst->input >= INPUT_SUBGROUP_LANE);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                find_uses(u, inst->flow.regions[i]);
    }
}

static int by_place(const void *x, const void *y)
{
    const SpirvBinding *a = x, *b = y;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->binding > b->binding) - (a->binding < b->binding);
}

static void list_vars(Run *r, const Uses *u)
{
    SpirvKernel *out = r->out;
    const Ir    *ir = r->ir;
    out->bindings = ARENA_ARRAY(r->arena, SpirvBinding, ir->vars.len + 1);
    for (uint32_t i = 0; i < ir->vars.len; i++) {
        const IrVar *var = ir->vars.data[i];
        bool uniform = var->space == IRSPACE_UNIFORM;
        if (uniform || var->space == IRSPACE_STORAGE)
            out->bindings[out->nbindings++] = (SpirvBinding){
                var->group, var->binding, uniform, !u->written[var->id]};
        else if (var->space == IRSPACE_IMMEDIATE)
            out->immediate_bytes = (uint32_t)(var->type->size + 3) / 4 * 4;
        else if (var->space == IRSPACE_WORKGROUP)
            out->workgroup_bytes += (var->type->size + 15) / 16 * 16;
    }
    qsort(out->bindings, out->nbindings, sizeof *out->bindings, by_place);
}

/* The proof numbers buffers as the IR does. */
static uint32_t binding_number(const Run *r, uint32_t buffer)
{
    for (uint32_t i = 0; i < r->ir->vars.len; i++) {
        const IrVar *var = r->ir->vars.data[i];
        if (var->space != IRSPACE_UNIFORM && var->space != IRSPACE_STORAGE)
            continue;
        if (buffer-- > 0)
            continue;
        for (uint32_t k = 0; k < r->out->nbindings; k++)
            if (r->out->bindings[k].group == var->group
                && r->out->bindings[k].binding == var->binding)
                return k;
    }
    BUG("a proof of a buffer that is not there");
}

static void copy_proof(Run *r)
{
    const Proof *p = &r->proof;
    r->out->proof = *p;
    r->out->proof.nodes = arena_copy(r->arena, p->nodes, p->nnodes * sizeof *p->nodes);
    r->out->proof.checks = arena_copy(r->arena, p->checks, p->nchecks * sizeof *p->checks);
    for (uint32_t i = 0; i < p->nnodes; i++) {
        ProofNode *n = &r->out->proof.nodes[i];
        if (n->op == PROOF_LENGTH || n->op == PROOF_WORD)
            n->a = binding_number(r, n->a);
    }
}

/* Runs under arena_try() of the arena of the result. */
static void hand_out(void *context)
{
    Run *r = context;
    Uses u = {.written = ARENA_ARRAY(r->arena, bool, r->ir->vars.len + 1)};
    *r->out = (SpirvKernel){0};
    find_uses(&u, r->ir->body);
    list_vars(r, &u);
    copy_proof(r);
    r->out->uses_subgroups = u.subgroups;
    memcpy(r->out->workgroup_size, r->ir->workgroup_size, sizeof r->out->workgroup_size);
    r->out->code = (SpirvCode){
        arena_copy(r->arena, r->code.words, r->code.count * sizeof *r->code.words),
        r->code.count};
}

static bool run(Run *r, Arena *scratch)
{
    r->scratch = scratch;
    arena_init(scratch, MEMORY_LIMIT);
    bool room = arena_try(scratch, make, r)
             && (!r->ok || arena_try(r->arena, hand_out, r));
    if (!room)
        diag_add(r->diag, DIAG_out_of_memory, r->source.entry->span,
                 "the kernel '%.*s' needs more memory to compile than it may use",
                 STR_ARG(r->source.entry->ident.name->text));
    arena_fini(scratch);
    return room && r->ok;
}

bool spirv_compile(SpirvKernel *out, Arena *arena, const Module *m, const Decl *entry,
                   const OverrideSetting *settings, uint32_t nsettings,
                   const SpirvTarget *target, Diag *diag)
{
    Arena scratch;
    Run r = {.source = {m, entry, settings, nsettings}, .target = target, .diag = diag,
             .arena = arena, .out = out};
    return run(&r, &scratch);
}

bool spirv_compile_assuming(SpirvKernel *out, Arena *arena, const Module *m,
                            const Decl *entry, const OverrideSetting *settings,
                            uint32_t nsettings, const SpirvTarget *target, Diag *diag)
{
    Arena scratch;
    Run r = {.source = {m, entry, settings, nsettings}, .target = target, .diag = diag,
             .arena = arena, .out = out, .assume = true};
    return run(&r, &scratch);
}

/* ---- at a dispatch ---- */

#define MAX_BUFFERS 256u

bool spirv_proof_holds(const Proof *proof, const uint64_t *sizes, uint32_t nbindings,
                       const uint32_t num_workgroups[3])
{
    ProofBuffer buffers[MAX_BUFFERS];   /* what is in them is on the device        */
    ProofGiven  given = {.buffers = buffers};
    ProofBox    all = {{0}, {0}};
    if (nbindings > MAX_BUFFERS)
        return false;
    for (uint32_t i = 0; i < nbindings; i++)
        buffers[i] = (ProofBuffer){.size = sizes[i]};
    for (int i = 0; i < 3; i++)
        given.num_workgroups[i] = all.last[i] = num_workgroups[i];
    return proof_holds(proof, &given, &all);
}
