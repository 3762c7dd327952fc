// SPDX-License-Identifier: Apache-2.0
/*
 * print.c - an Ir as text that read.c reads back.
 *
 *   kernel "main" size 64 1 1
 *   type t0 = value f32x4 stride 4
 *   type t1 = array t0 count 0 stride 16
 *   var v0 storage "body" t1 group 0 binding 0 read
 *   {
 *     %0 = const i32 0x5
 *     %3 = elem %1 %2 in_bounds
 *     %4 = loop %0 -> %5 f32 { %6 i32
 *       %7 = continue %6 of %4
 *     } { %8 i32
 *       %9 = next %8
 *     }
 *   }
 */
#include "ir/ir.h"

static const char *const kind_names[] = {"void", "bool", "i32", "f32", "f16", "f64", "place"};
static const char *const space_names[IRSPACE_COUNT] = {
    "function", "private", "workgroup", "uniform", "storage", "immediate", "constant",
};

static void print_type(Text *out, IrType t)
{
    text_printf(out, "%s", kind_names[t.kind]);
    if (t.width > 1)
        text_printf(out, "x%u", t.width);
}

/* ---- types and variables ---- */

static void print_struct(Text *out, const MemType *t)
{
    text_printf(out, "struct ");
    text_json(out, t->structure.name);
    text_printf(out, " align %u size %llu", t->align, (unsigned long long)t->size);
    for (uint32_t i = 0; i < t->structure.count; i++) {
        const MemField *f = &t->structure.fields[i];
        text_printf(out, " ");
        text_json(out, f->name);
        text_printf(out, " t%u at %u", f->type->id, f->offset);
    }
}

static void print_mem_type(Text *out, const MemType *t)
{
    text_printf(out, "type t%u = ", t->id);
    switch (t->kind) {
    case MEM_VALUE:
        text_printf(out, "value ");
        print_type(out, t->value.type);
        text_printf(out, " stride %u%s", t->value.stride, t->value.atomic ? " atomic" : "");
        break;
    case MEM_ARRAY:
        text_printf(out, "array t%u count %llu stride %u%s", t->array.of->id,
                    (unsigned long long)t->array.count, t->array.stride,
                    t->array.matrix ? " matrix" : "");
        break;
    case MEM_STRUCT:
        print_struct(out, t);
        break;
    case MEM_BYTES:
        text_printf(out, "bytes %llu", (unsigned long long)t->size);
        break;
    }
    text_char(out, '\n');
}

static void print_var(Text *out, const IrVar *v)
{
    text_printf(out, "var v%u %s ", v->id, space_names[v->space]);
    text_json(out, v->name);
    text_printf(out, " t%u", v->type->id);
    if (v->space == IRSPACE_UNIFORM || v->space == IRSPACE_STORAGE)
        text_printf(out, " group %u binding %u%s", v->group, v->binding,
                    v->read_only ? " read" : "");
    if (v->space == IRSPACE_CONSTANT && v->data) {
        text_printf(out, " data");
        for (uint64_t i = 0; i < v->type->size / 4; i++)
            text_printf(out, " 0x%x", v->data[i]);
    }
    text_char(out, '\n');
}

/* ---- instructions ---- */

static void indent(Text *out, uint32_t depth)
{
    for (uint32_t i = 0; i < depth; i++)
        text_add(out, STR("  "));
}

static void print_payload(Text *out, const Inst *inst)
{
    switch (inst->op) {
    case IR_CONST:
        for (uint32_t c = 0; c < inst->type.width; c++) {
            text_printf(out, " 0x%x", inst->constant.bits[c]);
            if (inst->type.kind == SCALAR_F64)
                text_printf(out, " 0x%x", inst->constant.bits[4 + c]);
        }
        break;
    case IR_INPUT: text_printf(out, " #%u", (unsigned)inst->input); break;
    case IR_EXTRACT: case IR_FIELD: text_printf(out, " #%u", inst->index); break;
    case IR_SWIZZLE:
        text_printf(out, " #");
        for (uint32_t c = 0; c < inst->type.width; c++)
            text_char(out, "xyzw"[inst->swizzle[c]]);
        break;
    case IR_VAR: text_printf(out, " v%u", inst->var->id); break;
    case IR_VIEW: text_printf(out, " t%u", inst->mem_view->id); break;
    case IR_ATOMIC: text_printf(out, " #%u", (unsigned)inst->atomic); break;
    case IR_BARRIER: text_printf(out, " #%u", inst->barrier); break;
    case IR_SUBGROUP: text_printf(out, " #%u", (unsigned)inst->subgroup); break;
    case IR_BREAK: case IR_CONTINUE: text_printf(out, " of %%%u", inst->target->id); break;
    case IR_UDIV: case IR_UREM:
        text_printf(out, "%s", inst->natural ? " natural" : "");
        break;
    case IR_ELEM: text_printf(out, "%s", inst->in_bounds ? " in_bounds" : ""); break;
    default: break;
    }
}

static void print_region(Text *out, const Region *region, uint32_t depth);

static void print_list(Text *out, Inst *const *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        text_printf(out, " %%%u ", list[i]->id);
        print_type(out, list[i]->type);
    }
}

static void print_construct(Text *out, const Inst *inst, uint32_t depth)
{
    if (inst->op == IR_SWITCH)
        for (uint32_t i = 0; i < inst->flow.cases.count; i++)
            text_printf(out, " case 0x%x:%u", inst->flow.cases.values[i],
                        inst->flow.cases.regions[i]);
    if (inst->flow.nresults) {
        text_printf(out, " ->");
        print_list(out, inst->flow.results, inst->flow.nresults);
    }
    for (uint32_t i = 0; i < inst->flow.nregions; i++) {
        text_add(out, STR(" {"));
        print_list(out, inst->flow.regions[i]->params, inst->flow.regions[i]->nparams);
        text_char(out, '\n');
        print_region(out, inst->flow.regions[i], depth + 1);
        indent(out, depth);
        text_char(out, '}');
    }
}

static void print_inst(Text *out, const Inst *inst, uint32_t depth)
{
    indent(out, depth);
    text_printf(out, "%%%u = %s", inst->id, ir_op_name((IrOp)inst->op));
    if (inst->type.width && inst->type.kind != SCALAR_PLACE) {
        text_char(out, ' ');
        print_type(out, inst->type);
    }
    for (uint32_t i = 0; i < inst->nargs; i++)
        text_printf(out, " %%%u", inst->args[i]->id);
    print_payload(out, inst);
    if (ir_op_is_construct((IrOp)inst->op))
        print_construct(out, inst, depth);
    text_char(out, '\n');
}

static void print_region(Text *out, const Region *region, uint32_t depth)
{
    for (const Inst *inst = region->first; inst; inst = inst->next)
        print_inst(out, inst, depth);
}

void ir_print(Text *out, const Ir *ir)
{
    text_printf(out, "kernel ");
    text_json(out, ir->name);
    text_printf(out, " size %u %u %u", ir->workgroup_size[0], ir->workgroup_size[1],
                ir->workgroup_size[2]);
    if (ir->subgroup_size)
        text_printf(out, " subgroup %u", ir->subgroup_size);
    if (ir->team)
        text_printf(out, " team %u", ir->team);
    if (ir->band)
        text_printf(out, " band %u", ir->band);
    if (ir->turned)
        text_printf(out, " turned");
    text_add(out, STR("\n"));
    for (uint32_t i = 0; i < ir->mem_types.len; i++)
        print_mem_type(out, ir->mem_types.data[i]);
    for (uint32_t i = 0; i < ir->vars.len; i++)
        print_var(out, ir->vars.data[i]);
    text_add(out, STR("{\n"));
    print_region(out, ir->body, 1);
    text_add(out, STR("}\n"));
}
