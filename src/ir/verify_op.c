// SPDX-License-Identifier: Apache-2.0
/*
 * verify_op.c - whether one instruction is as its row of ops.def says.
 *
 * in     an instruction whose operands are visible
 * out    the first fault, or nothing
 * knows  the letters of shapes; what the comments say where a letter is '?'
 * not    regions and constructs
 */
#include "ir/verify_priv.h"

static bool is_value(const Inst *inst)
{
    return inst->type.kind >= SCALAR_BOOL && inst->type.kind <= SCALAR_F64;
}

static bool is_float(const Inst *inst)
{
    return inst->type.kind >= SCALAR_F32 && inst->type.kind <= SCALAR_F64;
}

static bool is_type(const Inst *inst, uint8_t kind, uint8_t width)
{
    return ir_type_eq(inst->type, (IrType){kind, width});
}

/* ---- shapes ---- */

static bool kind_allowed(const Inst *inst)
{
    static const char letters[] = {'-', 'b', 'i', 'f', 'h', 'd'};
    return inst->type.kind <= SCALAR_F64 && inst->type.width >= 1 && inst->type.width <= 4 &&
           strchr(ir_op_kinds((IrOp)inst->op), letters[inst->type.kind]) != NULL;
}

static bool operand_fits(char letter, const Inst *inst, const Inst *arg)
{
    IrType t = inst->type, a = arg->type;
    switch (letter) {
    case 'T': return ir_type_eq(t, a);
    case 'U': return a.width == t.width && is_value(arg);
    case 'B': return a.kind == SCALAR_BOOL && a.width == t.width;
    case 'b': return ir_type_eq(a, IR_BOOL);
    case 'I': return a.kind == SCALAR_I32 && a.width == t.width;
    case 'i': return ir_type_eq(a, IR_I32);
    case 'F': return a.kind == SCALAR_F32 && a.width == t.width;
    case 'E': return a.kind == t.kind && a.width == 1;
    case 'p': return ir_type_eq(a, IR_PLACE);
    default: return is_value(arg) || inst->op == IR_LENGTH || inst->op == IR_ATOMIC;
    }
}

static bool check_result(Verify *v, const Inst *inst)
{
    char letter = ir_op_shape((IrOp)inst->op)[0];
    bool silent = inst->op == IR_ATOMIC && inst->atomic == ATOMIC_STORE;
    if (letter == 'p')
        return ir_type_eq(inst->type, IR_PLACE) && inst->mem
                   ? true : verify_fault(v, inst, "a place without memory");
    bool right = letter == '-' || silent ? ir_type_eq(inst->type, IR_VOID)
                                         : kind_allowed(inst);
    return right ? true : verify_fault(v, inst, "a result of this type is not allowed");
}

static bool check_operands(Verify *v, const Inst *inst)
{
    const char *letter = ir_op_shape((IrOp)inst->op) + 1;
    for (uint32_t i = 0; i < inst->nargs; i++) {
        if (!*letter)
            return verify_fault(v, inst, "too many operands");
        if (!operand_fits(*letter, inst, inst->args[i]))
            return verify_fault(v, inst, "operand %u (%%%u) has the wrong type", i,
                                inst->args[i]->id);
        if (letter[1] != '*')
            letter++;
    }
    return *letter == '\0' || letter[1] == '*' ? true
                                               : verify_fault(v, inst, "too few operands");
}

/* ---- values ---- */

static bool small_constant(const Inst *inst)
{
    uint32_t most = inst->type.kind == SCALAR_BOOL  ? 1
                    : inst->type.kind == SCALAR_F16 ? 0xffff
                                                    : UINT32_MAX;
    for (uint32_t c = 0; c < inst->type.width; c++)
        if (inst->constant.bits[c] > most ||
            (inst->type.kind != SCALAR_F64 && inst->constant.bits[4 + c]))
            return false;
    return true;
}

static bool part_fits(const Inst *inst)
{
    return inst->type.kind == inst->args[0]->type.kind && inst->type.width == 1;
}

static bool swizzle_fits(const Inst *inst)
{
    for (uint32_t c = 0; c < inst->type.width; c++)
        if (inst->swizzle[c] >= inst->args[0]->type.width)
            return false;
    return inst->type.kind == inst->args[0]->type.kind && inst->type.width > 1;
}

static bool value_fits(const Inst *inst)
{
    const Inst *x = inst->nargs ? inst->args[0] : NULL;
    switch (inst->op) {
    case IR_CONST: return small_constant(inst);
    case IR_INPUT: return inst->type.width == 1 && inst->input < INPUT_COUNT;
    case IR_FEQ: case IR_FNE: case IR_FLT: case IR_FLE:
        return is_float(x) && ir_type_eq(x->type, inst->args[1]->type);
    case IR_F2S: case IR_F2U: case IR_F2F: case IR_FREXP_EXP: return is_float(x);
    case IR_BITCAST: return x->type.kind == SCALAR_I32 || x->type.kind == SCALAR_F32;
    case IR_ALL: case IR_ANY:
        return inst->type.width == 1 && x->type.kind == SCALAR_BOOL;
    case IR_PACK_HALF: return inst->type.width == 1 && is_type(x, SCALAR_F16, 2);
    case IR_UNPACK_HALF: return inst->type.width == 2 && is_type(x, SCALAR_I32, 1);
    case IR_HIGH_WORD: case IR_LOW_WORD: return x->type.kind == SCALAR_F64;
    case IR_VEC: return inst->nargs == inst->type.width && inst->nargs > 1;
    case IR_EXTRACT: return part_fits(inst) && inst->index < x->type.width;
    case IR_EXTRACT_AT: return part_fits(inst);
    case IR_SWIZZLE: return swizzle_fits(inst);
    default: return true;
    }
}

/* ---- places and memory ---- */

static bool is_writable(const Inst *place)
{
    return !ir_var_is_read_only(ir_place_root(place));
}

static bool field_fits(const Inst *inst)
{
    const MemType *of = inst->args[0]->mem;
    return of->kind == MEM_STRUCT && inst->index < of->structure.count &&
           inst->mem == of->structure.fields[inst->index].type;
}

static bool elem_fits(const Inst *inst)
{
    const MemType *of = inst->args[0]->mem, *m = inst->mem;
    if (of->kind == MEM_ARRAY)
        return m == of->array.of;
    return of->kind == MEM_VALUE && of->value.type.width > 1 && m->kind == MEM_VALUE &&
           ir_type_eq(m->value.type, (IrType){of->value.type.kind, 1}) &&
           m->value.stride == of->value.stride;
}

static bool place_fits(const Verify *v, const Inst *inst)
{
    const Ir *ir = v->ir;
    switch (inst->op) {
    case IR_VAR:
        return inst->var && inst->var->id < ir->vars.len &&
               ir->vars.data[inst->var->id] == inst->var && inst->mem == inst->var->type;
    case IR_FIELD: return field_fits(inst);
    case IR_ELEM:  return elem_fits(inst);
    case IR_VIEW:
        return inst->args[0]->mem->kind == MEM_BYTES && inst->mem == inst->mem_view;
    default: return true;
    }
}

static bool holds(const Inst *place, IrType type, bool atomic)
{
    const MemType *m = place->mem;
    return m->kind == MEM_VALUE && ir_type_eq(m->value.type, type) && m->value.atomic == atomic;
}

static bool has_length(const Inst *place)
{
    if (!ir_type_eq(place->type, IR_PLACE))
        return false;
    return place->mem->kind == MEM_BYTES ||
           (place->mem->kind == MEM_ARRAY && place->mem->array.count == 0);
}

static bool atomic_fits(const Inst *inst)
{
    uint32_t values = inst->atomic == ATOMIC_LOAD               ? 0
                      : inst->atomic == ATOMIC_COMPARE_EXCHANGE ? 2
                                                                : 1;
    if (inst->atomic >= ATOMIC_COUNT || inst->nargs != 1 + values || inst->type.width > 1)
        return false;
    for (uint32_t i = 1; i < inst->nargs; i++)
        if (!ir_type_eq(inst->args[i]->type, IR_I32))
            return false;
    const Inst *place = inst->args[0];
    return ir_type_eq(place->type, IR_PLACE) && holds(place, IR_I32, true) &&
           is_writable(place);
}

static bool memory_fits(const Inst *inst)
{
    switch (inst->op) {
    case IR_LENGTH: return inst->type.width == 1 && has_length(inst->args[0]);
    case IR_LOAD:   return holds(inst->args[0], inst->type, false);
    case IR_STORE:
        return holds(inst->args[0], inst->args[1]->type, false) && is_writable(inst->args[0]);
    case IR_ATOMIC: return atomic_fits(inst);
    case IR_BARRIER:
        return inst->barrier != 0 &&
               inst->barrier < 2 * BARRIER_TEXTURE;
    default: return true;
    }
}

/* ---- subgroups ---- */

/* Operands, and the kinds of the first; the result is of its type, but for votes. */
static const struct { uint32_t nargs; const char *kinds; } subgroup_rows[SUBGROUP_COUNT] = {
    [SUBGROUP_ADD] = {1, "ifhd"}, [SUBGROUP_MUL] = {1, "ifhd"},
    [SUBGROUP_MIN] = {1, "fhd"}, [SUBGROUP_MAX] = {1, "fhd"},
    [SUBGROUP_SMIN] = {1, "i"}, [SUBGROUP_SMAX] = {1, "i"},
    [SUBGROUP_UMIN] = {1, "i"}, [SUBGROUP_UMAX] = {1, "i"},
    [SUBGROUP_AND] = {1, "i"}, [SUBGROUP_OR] = {1, "i"}, [SUBGROUP_XOR] = {1, "i"},
    [SUBGROUP_EXCLUSIVE_ADD] = {1, "ifhd"}, [SUBGROUP_EXCLUSIVE_MUL] = {1, "ifhd"},
    [SUBGROUP_INCLUSIVE_ADD] = {1, "ifhd"}, [SUBGROUP_INCLUSIVE_MUL] = {1, "ifhd"},
    [SUBGROUP_ALL] = {1, "b"}, [SUBGROUP_ANY] = {1, "b"}, [SUBGROUP_BALLOT] = {1, "b"},
    [SUBGROUP_BROADCAST] = {2, "bifhd"}, [SUBGROUP_BROADCAST_FIRST] = {1, "bifhd"},
    [SUBGROUP_ELECT] = {0, ""},
    [SUBGROUP_SHUFFLE] = {2, "bifhd"}, [SUBGROUP_SHUFFLE_UP] = {2, "bifhd"},
    [SUBGROUP_SHUFFLE_DOWN] = {2, "bifhd"}, [SUBGROUP_SHUFFLE_XOR] = {2, "bifhd"},
    [QUAD_BROADCAST] = {2, "bifhd"}, [QUAD_SWAP_X] = {1, "bifhd"},
    [QUAD_SWAP_Y] = {1, "bifhd"}, [QUAD_SWAP_DIAGONAL] = {1, "bifhd"},
};

static bool subgroup_fits(const Inst *inst)
{
    static const char letters[] = {'-', 'b', 'i', 'f', 'h', 'd'};
    if (inst->subgroup >= SUBGROUP_COUNT || inst->nargs != subgroup_rows[inst->subgroup].nargs)
        return false;
    if (inst->subgroup == SUBGROUP_ELECT)
        return ir_type_eq(inst->type, IR_BOOL);
    const Inst *x = inst->args[0];
    if (!strchr(subgroup_rows[inst->subgroup].kinds, letters[x->type.kind]))
        return false;
    if (inst->nargs == 2 && !ir_type_eq(inst->args[1]->type, IR_I32))
        return false;
    if (inst->subgroup == SUBGROUP_BALLOT)
        return is_type(inst, SCALAR_I32, 4) && x->type.width == 1;
    bool votes = inst->subgroup == SUBGROUP_ALL || inst->subgroup == SUBGROUP_ANY;
    return ir_type_eq(inst->type, x->type) && (!votes || x->type.width == 1);
}

bool verify_op(Verify *v, const Inst *inst)
{
    if (!check_result(v, inst) || !check_operands(v, inst))
        return false;
    bool fits = value_fits(inst) && place_fits(v, inst) && memory_fits(inst) &&
                (inst->op != IR_SUBGROUP || subgroup_fits(inst));
    return fits ? true : verify_fault(v, inst, "not of the form that its operation has");
}
