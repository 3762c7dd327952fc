// SPDX-License-Identifier: Apache-2.0
/*
 * read_body.c - regions and instructions from text.
 *
 * in     the words after "{"
 * out    a Region, its instructions with the ids that the text gives them
 * knows  how print.c writes payloads, parameters, results and cases
 * not    whether values are visible and types fit: verify.c looks at the whole
 */
#include "ir/read_priv.h"

typedef VEC(Inst *) InstList;

/* ---- names of instructions ---- */

/* Ids may be far apart, so the table grows in leaps. */
static void make_room(Reader *r, uint32_t id)
{
    if (id >= r->by_id.cap) {
        uint32_t cap = MAX_OF(2 * r->by_id.cap, id + 1);
        Inst **grown = ARENA_ARRAY(r->arena, Inst *, cap);
        if (r->by_id.len)
            memcpy(grown, r->by_id.data, r->by_id.len * sizeof *grown);
        r->by_id.data = grown;
        r->by_id.cap = cap;
    }
    r->by_id.len = MAX_OF(r->by_id.len, id + 1);
}

/* The id that the text gives to the next instruction. */
static bool read_new_id(Reader *r, uint32_t *id)
{
    Span span = scan_span(r);
    if (!scan_ref(r, '%', READ_MAX_ID, "the name of an instruction", id))
        return false;
    if (*id < r->by_id.len && r->by_id.data[*id])
        return scan_fail(r, span, "%%%u is there already", *id);
    make_room(r, *id);
    return true;
}

static bool read_value(Reader *r, Inst **out)
{
    uint32_t id;
    Span span = scan_span(r);
    if (!scan_ref(r, '%', READ_MAX_ID, "a value", &id))
        return false;
    *out = id < r->by_id.len ? r->by_id.data[id] : NULL;
    return *out ? true : scan_fail(r, span, "there is no %%%u before this", id);
}

/* Parameters of a region, results of a construct: "%4 i32 %5 f32x2". */
static bool read_list(Reader *r, IrOp op, Region *region, InstList *list)
{
    while (scan_starts(r, '%')) {
        uint32_t id;
        Span span = scan_span(r);
        Inst *inst = ARENA_NEW(r->arena, Inst);
        *inst = (Inst){.op = (uint8_t)op, .region = region, .span = span};
        inst->index = list->len;
        if (!read_new_id(r, &id) || !scan_type(r, &inst->type))
            return false;
        inst->id = id;
        r->by_id.data[id] = inst;
        VEC_PUSH(r->arena, list, inst);
    }
    return true;
}

/* ---- payloads ---- */

static bool read_swizzle(Reader *r, Inst *inst)
{
    static const char letters[] = "xyzw";
    if (!scan_starts(r, '#') || r->word.len != 1u + inst->type.width)
        return scan_wrong(r, "a component of x, y, z, w for each of the result");
    for (uint32_t i = 0; i < inst->type.width; i++) {
        const char *at = memchr(letters, r->word.data[1 + i], 4);
        if (!at)
            return scan_wrong(r, "a list of x, y, z, w");
        inst->swizzle[i] = (uint8_t)(at - letters);
    }
    scan_next(r);
    return true;
}

static bool read_constant(Reader *r, Inst *inst)
{
    bool twice = inst->type.kind == SCALAR_F64;         /* each low half, then high */
    for (uint32_t c = 0; c < inst->type.width; c++)
        if (!scan_number32(r, &inst->constant.bits[c]) ||
            (twice && !scan_number32(r, &inst->constant.bits[4 + c])))
            return false;
    return true;
}

static bool read_target(Reader *r, Inst *inst)
{
    Span span = scan_span(r);
    if (!scan_expect(r, "of") || !read_value(r, &inst->target))
        return false;
    for (const Inst *c = inst->region->owner; c; c = c->region->owner)
        if (c == inst->target)
            return true;
    return scan_fail(r, span, "%%%u is not around this", inst->target->id);
}

static bool read_code(Reader *r, uint32_t count, const char *what, uint32_t *out)
{
    return scan_ref(r, '#', count - 1, what, out);
}

static bool read_var(Reader *r, Inst *inst)
{
    uint32_t id;
    Span span = scan_span(r);
    if (!scan_ref(r, 'v', UINT32_MAX, "a variable", &id))
        return false;
    if (id >= r->ir->vars.len)
        return scan_fail(r, span, "there is no variable v%u", id);
    inst->var = r->ir->vars.data[id];
    inst->mem = inst->var->type;
    return true;
}

static bool read_view(Reader *r, Inst *inst)
{
    uint32_t id;
    Span span = scan_span(r);
    if (!scan_ref(r, 't', UINT32_MAX, "a type of memory", &id))
        return false;
    if (id >= r->ir->mem_types.len)
        return scan_fail(r, span, "there is no type t%u", id);
    inst->mem = inst->mem_view = r->ir->mem_types.data[id];
    return true;
}

static const MemType *mem_of_place(const Inst *inst)
{
    return inst->nargs ? inst->args[0]->mem : NULL;
}

static bool read_field(Reader *r, Inst *inst)
{
    const MemType *of = mem_of_place(inst);
    Span span = scan_span(r);
    if (!read_code(r, UINT32_MAX, "a member", &inst->index))
        return false;
    if (!of || of->kind != MEM_STRUCT || inst->index >= of->structure.count)
        return scan_fail(r, span, "there is no member %u", inst->index);
    inst->mem = of->structure.fields[inst->index].type;
    return true;
}

static bool read_elem(Reader *r, Inst *inst)
{
    const MemType *of = mem_of_place(inst);
    inst->in_bounds = scan_accept(r, "in_bounds");
    if (of && of->kind == MEM_ARRAY) {
        inst->mem = of->array.of;
    } else if (of && of->kind == MEM_VALUE && of->value.type.width > 1) {
        IrType scalar = {of->value.type.kind, 1};
        inst->mem = ir_mem_value(r->ir, scalar, false, of->value.stride);
    } else {
        return scan_fail(r, inst->span, "a place that has no elements");
    }
    return true;
}

static bool read_payload(Reader *r, Inst *inst)
{
    uint32_t n = 0;
    bool ok = true;
    switch (inst->op) {
    case IR_UDIV: case IR_UREM:
        inst->natural = scan_accept(r, "natural");
        return true;
    case IR_CONST:    return read_constant(r, inst);
    case IR_EXTRACT:  return read_code(r, 4, "a component from 0 to 3", &inst->index);
    case IR_SWIZZLE:  return read_swizzle(r, inst);
    case IR_VAR:      return read_var(r, inst);
    case IR_FIELD:    return read_field(r, inst);
    case IR_ELEM:     return read_elem(r, inst);
    case IR_VIEW:     return read_view(r, inst);
    case IR_BREAK: case IR_CONTINUE: return read_target(r, inst);
    case IR_INPUT:
        ok = read_code(r, INPUT_COUNT, "the number of an input", &n);
        inst->input = (IrInput)n;
        return ok;
    case IR_ATOMIC:
        ok = read_code(r, ATOMIC_COUNT, "the number of an atomic operation", &n);
        inst->atomic = (IrAtomic)n;
        return ok;
    case IR_BARRIER:  return read_code(r, 8, "the sum of barriers", &inst->barrier);
    case IR_SUBGROUP:
        ok = read_code(r, SUBGROUP_COUNT, "the number of a subgroup operation", &n);
        inst->subgroup = (IrSubgroup)n;
        return ok;
    default:          return true;
    }
}

/* ---- constructs ---- */

static bool read_cases(Reader *r, Inst *inst)
{
    VEC(uint32_t) values = {0}, regions = {0};
    while (scan_accept(r, "case")) {
        uint32_t value, region;
        if (!scan_number32(r, &value) || !scan_expect(r, ":") || !scan_number32(r, &region))
            return false;
        VEC_PUSH(r->arena, &values, value);
        VEC_PUSH(r->arena, &regions, region);
    }
    inst->flow.cases = (IrCases){values.data, regions.data, values.len};
    return true;
}

static bool read_construct(Reader *r, Inst *inst)
{
    InstList results = {0};
    VEC(Region *) regions = {0};
    if (inst->op == IR_SWITCH && !read_cases(r, inst))
        return false;
    if (scan_accept(r, "->") && !read_list(r, IR_RESULT, inst->region, &results))
        return false;
    inst->flow.results = results.data;
    inst->flow.nresults = results.len;
    while (scan_accept(r, "{")) {
        InstList params = {0};
        Region *region = ir_region_new(r->ir, inst);
        if (!read_list(r, IR_PARAM, region, &params) || !scan_line_end(r))
            return false;
        region->params = params.data;
        region->nparams = params.len;
        VEC_PUSH(r->arena, &regions, region);
        if (!read_region(r, region))
            return false;
    }
    inst->flow.regions = regions.data;
    inst->flow.nregions = regions.len;
    return true;
}

/* ---- instructions ---- */

static bool read_op(Reader *r, IrOp *op)
{
    for (uint32_t i = 0; i < IR_OP_COUNT; i++)
        if (scan_is(r, ir_op_name((IrOp)i)) && i != IR_PARAM && i != IR_RESULT) {
            *op = (IrOp)i;
            scan_next(r);
            return true;
        }
    return scan_wrong(r, "an operation");
}

static IrType read_result_type(Reader *r, IrOp op)
{
    IrType type = ir_op_shape(op)[0] == 'p' ? IR_PLACE : IR_VOID;
    if (ir_op_shape(op)[0] == 'T' && scan_is_type(r))
        scan_type(r, &type);
    return type;
}

static bool read_inst(Reader *r, Region *region)
{
    uint32_t id = 0;
    IrOp op = IR_CONST;
    Span span = scan_span(r);
    InstList args = {0};
    if (!read_new_id(r, &id) || !scan_expect(r, "=") || !read_op(r, &op))
        return false;
    IrCursor c = {r->ir, region, NULL, span};
    IrType type = read_result_type(r, op);
    while (scan_starts(r, '%')) {
        Inst *arg;
        if (!read_value(r, &arg))
            return false;
        VEC_PUSH(r->arena, &args, arg);
    }
    Inst *inst = ir_op_as(&c, op, type, args.len, args.data);
    inst->id = id;
    r->by_id.data[id] = inst;
    if (!read_payload(r, inst) || (ir_op_is_construct(op) && !read_construct(r, inst)))
        return false;
    return scan_line_end(r);
}

bool read_region(Reader *r, Region *region)
{
    if (++r->depth > READ_MAX_DEPTH)
        return scan_fail(r, scan_span(r), "more than %u regions inside each other",
                         READ_MAX_DEPTH);
    while (!scan_is(r, "}"))
        if (!read_inst(r, region))
            return false;
    r->depth--;
    scan_next(r);
    return true;
}
