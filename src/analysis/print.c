// SPDX-License-Identifier: Apache-2.0
/*
 * print.c - facts as text, for --dump=facts.
 */
#include "analysis/analysis.h"

static const char *const shape_names[] = {"unknown", "workgroup", "group", "affine",
                                          "varying"};

static void print_value(Text *out, const Facts *f, const Inst *inst)
{
    const Fact *x = &f->of[inst->id];
    if (inst->type.width == 0 || inst->type.kind == SCALAR_PLACE)
        return;
    text_printf(out, "%%%u %s %s", inst->id, ir_op_name((IrOp)inst->op),
                shape_names[x->shape]);
    if (x->shape == SHAPE_AFFINE)
        text_printf(out, " stride %d", x->stride);
    if (inst->type.kind == SCALAR_I32 && inst->type.width == 1 && x->high != UINT32_MAX)
        text_printf(out, " range %u..%u", x->low, x->high);
    text_char(out, '\n');
}

static void print_construct(Text *out, const Facts *f, const Inst *inst)
{
    const Fact *x = &f->of[inst->id];
    text_printf(out, "%%%u %s%s%s%s%s%s%s\n", inst->id, ir_op_name((IrOp)inst->op),
                x->divergent ? " divergent" : "", x->apart ? " apart" : "",
                x->continues_apart ? " continues-apart" : "", x->wide ? " wide" : "",
                x->far ? " far" : "", x->ends_soon ? " ends-soon" : "");
}

static void print_list(Text *out, const Facts *f, Inst *const *list, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        print_value(out, f, list[i]);
}

static void print_region(Text *out, const Facts *f, const Region *region)
{
    print_list(out, f, region->params, region->nparams);
    for (const Inst *inst = region->first; inst; inst = inst->next) {
        if (inst->op == IR_ELEM)
            text_printf(out, "%%%u elem %s\n", inst->id,
                        f->of[inst->id].in_bounds ? "in bounds" : "checked");
        if (!ir_op_is_construct((IrOp)inst->op)) {
            print_value(out, f, inst);
            continue;
        }
        print_construct(out, f, inst);
        for (uint32_t i = 0; i < inst->flow.nregions; i++)
            print_region(out, f, inst->flow.regions[i]);
        print_list(out, f, inst->flow.results, inst->flow.nresults);
    }
}

void analysis_print(Text *out, const Facts *f)
{
    text_printf(out, "lanes %u jam %u%s%s\n", f->lanes, f->jam, f->has_barrier ? " barrier" : "",
                f->returns_apart ? " returns-apart" : "");
    print_region(out, f, f->ir->body);
}
