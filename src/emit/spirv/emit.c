// SPDX-License-Identifier: Apache-2.0
/*
 * emit.c - the module around a kernel.
 *
 * in     an Ir, what the driver can do
 * out    capabilities, the entry point, variables, inputs; the words of all
 * knows  the form that each variable takes
 * not    how a body is emitted (flow.c)
 *
 * A buffer whose layout the driver would not take as it is (f16 without 16-bit
 * access, uniform arrays with small steps, opaque bytes) is declared as words.
 */
#include "emit/spirv/spirv_priv.h"

/* ---- what the kernel does ---- */

static void look_at(Spirv *s, const Inst *inst)
{
    switch (inst->op) {
    case IR_LOAD:
        s->accessed[inst->args[0]->id] = true;
        break;
    case IR_STORE: case IR_ATOMIC:
        s->accessed[inst->args[0]->id] = true;
        s->written[ir_place_root(inst->args[0])->id] = true;
        break;
    case IR_BREAK:
        s->breaks[inst->target->id]++;
        break;
    case IR_CONTINUE:
        s->continues[inst->target->id]++;
        break;
    case IR_BARRIER:
        s->syncs_storage |= (inst->barrier & BARRIER_STORAGE) != 0;
        break;
    default:
        break;
    }
}

static void walk(Spirv *s, const Region *r)
{
    for (const Inst *inst = r->first; inst; inst = inst->next) {
        look_at(s, inst);
        if (ir_op_is_construct((IrOp)inst->op))
            for (uint32_t i = 0; i < inst->flow.nregions; i++)
                walk(s, inst->flow.regions[i]);
    }
}

/* ---- variables ---- */

static const SpvStorageClass storage_classes[IRSPACE_COUNT] = {
    [IRSPACE_FUNCTION] = SpvStorageClassFunction,
    [IRSPACE_PRIVATE] = SpvStorageClassPrivate,
    [IRSPACE_WORKGROUP] = SpvStorageClassWorkgroup,
    [IRSPACE_UNIFORM] = SpvStorageClassUniform,
    [IRSPACE_STORAGE] = SpvStorageClassStorageBuffer,
    [IRSPACE_IMMEDIATE] = SpvStorageClassPushConstant,
    [IRSPACE_CONSTANT] = SpvStorageClassFunction,
};

VarState *spv_var_state(const Spirv *s, const IrVar *var)
{
    return &s->vars[var->id];
}

static bool is_shared_with_host(const IrVar *var)
{
    return var->space == IRSPACE_UNIFORM || var->space == IRSPACE_STORAGE
        || var->space == IRSPACE_IMMEDIATE;
}

/* Whether an f16 can stand in this memory as it is. */
static bool has_16_bits(const SpirvTarget *t, IrSpace space)
{
    switch (space) {
    case IRSPACE_UNIFORM:   return t->has_f16 && t->has_uniform16;
    case IRSPACE_STORAGE:   return t->has_f16 && t->has_storage16;
    case IRSPACE_IMMEDIATE: return t->has_f16 && t->has_push16;
    default:                return true;
    }
}

static VarForm form_of(const Spirv *s, const IrVar *var)
{
    const MemType *mem = var->type;
    bool uniform = var->space == IRSPACE_UNIFORM;
    VarForm words = uniform ? VAR_QUADS : VAR_WORDS;
    if (mem->kind == MEM_BYTES)
        return words;
    if (!is_shared_with_host(var))
        return VAR_PLAIN;
    if (spv_layout_has_f16(mem) && !has_16_bits(s->target, var->space))
        return words;
    if (uniform && !s->target->has_uniform_standard_layout && !spv_layout_is_uniform(mem))
        return words;
    return mem->kind == MEM_STRUCT && spv_layout_is_runtime(mem) ? VAR_BLOCK : VAR_WRAPPED;
}

static void need_16_bits(Spirv *s, const IrVar *var)
{
    static const SpvCapability capabilities[IRSPACE_COUNT] = {
        [IRSPACE_UNIFORM] = SpvCapabilityUniformAndStorageBuffer16BitAccess,
        [IRSPACE_STORAGE] = SpvCapabilityStorageBuffer16BitAccess,
        [IRSPACE_IMMEDIATE] = SpvCapabilityStoragePushConstant16,
    };
    if (is_shared_with_host(var) && spv_layout_has_f16(var->type))
        spv_need(s, capabilities[var->space]);
}

/* An array of words or of four of them, as many as the variable has. */
static SpvId words_type(Spirv *s, const IrVar *var, VarForm form)
{
    uint32_t bytes = form == VAR_QUADS ? 16 : 4;
    SpvId of = spv_type_value(s, (IrType){SCALAR_I32, (uint8_t)(bytes / 4)}), id = spv_new_id(s);
    uint64_t size = var->type->size;
    bool runtime = var->type->kind == MEM_BYTES ? size == 0 : spv_layout_is_runtime(var->type);
    if (runtime)
        spv_put(s, SECTION_GLOBALS, SpvOpTypeRuntimeArray, OPERANDS(id, of));
    else
        spv_put(s, SECTION_GLOBALS, SpvOpTypeArray,
            OPERANDS(id, of, spv_const_u32(s, (uint32_t)((size + bytes - 1) / bytes))));
    if (is_shared_with_host(var))
        spv_decorate(s, id, SpvDecorationArrayStride, OPERANDS(bytes));
    return id;
}

/* The type of the variable itself. */
static SpvId declared_type(Spirv *s, const IrVar *var, VarForm form)
{
    bool shared = is_shared_with_host(var);
    SpvId inner = form == VAR_WORDS || form == VAR_QUADS ? words_type(s, var, form)
                                                         : spv_layout_type(s, var->type, shared);
    if (!shared)
        return inner;
    SpvId block = inner;
    if (form != VAR_BLOCK) {
        block = spv_new_id(s);
        spv_put(s, SECTION_GLOBALS, SpvOpTypeStruct, OPERANDS(block, inner));
        spv_put(s, SECTION_DECORATIONS, SpvOpMemberDecorate,
            OPERANDS(block, 0, SpvDecorationOffset, 0));
    }
    spv_decorate(s, block, SpvDecorationBlock, 0, NULL);
    return block;
}

/* What the driver may assume of a buffer: WebGPU lets no writable one overlap
 * another. */
static void decorate_buffer(Spirv *s, const IrVar *var, SpvId id)
{
    if (var->space != IRSPACE_UNIFORM && var->space != IRSPACE_STORAGE)
        return;
    spv_decorate(s, id, SpvDecorationDescriptorSet, OPERANDS(var->group));
    spv_decorate(s, id, SpvDecorationBinding, OPERANDS(var->binding));
    if (var->space == IRSPACE_UNIFORM)
        return;
    spv_decorate(s, id, SpvDecorationRestrict, 0, NULL);
    bool written = s->written[var->id];
    if (!written && !s->target->merges_loads)
        spv_decorate(s, id, SpvDecorationNonWritable, 0, NULL);
    if (written && s->syncs_storage)
        spv_decorate(s, id, SpvDecorationCoherent, 0, NULL);
}

static void name(Spirv *s, SpvId id, Str text)
{
    Words w = {0};
    if (text.len == 0)
        return;
    VEC_PUSH(s->arena, &w, id);
    spv_put_string(&w, s->arena, arena_printf(s->arena, "%.*s", STR_ARG(text)));
    spv_put(s, SECTION_NAMES, SpvOpName, w.len, w.data);
}

static SpvId initializer(Spirv *s, const IrVar *var, SpvId type)
{
    if (spv_start_is_code(s, var))
        return 0;
    switch (var->space) {
    case IRSPACE_PRIVATE:   return spv_const_null(s, type);
    case IRSPACE_CONSTANT:  return spv_layout_constant(s, var->type, var->data);
    case IRSPACE_WORKGROUP: return s->target->has_zero_workgroup && s->zeros[var->id]
                                       ? spv_const_null(s, type) : 0;
    default:                return 0;
    }
}

static void declare(Spirv *s, const IrVar *var)
{
    VarState *v = spv_var_state(s, var);
    *v = (VarState){.form = form_of(s, var), .storage = storage_classes[var->space]};
    if (v->form != VAR_WORDS && v->form != VAR_QUADS)
        need_16_bits(s, var);
    SpvId type = declared_type(s, var, v->form), first = initializer(s, var, type);
    v->id = spv_new_id(s);
    bool local = v->storage == SpvStorageClassFunction;
    spv_put(s, local ? SECTION_LOCALS : SECTION_GLOBALS, SpvOpVariable, first ? 4 : 3,
        (const uint32_t[]){spv_type_pointer(s, v->storage, type), v->id, v->storage, first});
    decorate_buffer(s, var, v->id);
    name(s, v->id, var->name);
    if (!local && s->target->version >= SPIRV_1_4)
        VEC_PUSH(s->arena, &s->interface, v->id);
}

/* ---- inputs ---- */

static const struct {
    SpvBuiltIn builtin;
    uint8_t    width, component;
} inputs[INPUT_COUNT] = {
    [INPUT_LOCAL_ID_X] = {SpvBuiltInLocalInvocationId, 3, 0},
    [INPUT_LOCAL_ID_Y] = {SpvBuiltInLocalInvocationId, 3, 1},
    [INPUT_LOCAL_ID_Z] = {SpvBuiltInLocalInvocationId, 3, 2},
    [INPUT_LOCAL_INDEX] = {SpvBuiltInLocalInvocationIndex, 1, 0},
    [INPUT_WORKGROUP_ID_X] = {SpvBuiltInWorkgroupId, 3, 0},
    [INPUT_WORKGROUP_ID_Y] = {SpvBuiltInWorkgroupId, 3, 1},
    [INPUT_WORKGROUP_ID_Z] = {SpvBuiltInWorkgroupId, 3, 2},
    [INPUT_NUM_WORKGROUPS_X] = {SpvBuiltInNumWorkgroups, 3, 0},
    [INPUT_NUM_WORKGROUPS_Y] = {SpvBuiltInNumWorkgroups, 3, 1},
    [INPUT_NUM_WORKGROUPS_Z] = {SpvBuiltInNumWorkgroups, 3, 2},
    [INPUT_SUBGROUP_LANE] = {SpvBuiltInSubgroupLocalInvocationId, 1, 0},
    [INPUT_SUBGROUP_SIZE] = {SpvBuiltInSubgroupSize, 1, 0},
    [INPUT_SUBGROUP_ID] = {SpvBuiltInSubgroupId, 1, 0},
    [INPUT_NUM_SUBGROUPS] = {SpvBuiltInNumSubgroups, 1, 0},
};

/* Its variable, loaded once at the start of the kernel. */
static SpvId input_load(Spirv *s, IrInput input)
{
    SpvId type = spv_type_value(s, (IrType){SCALAR_I32, inputs[input].width});
    SpvId var = spv_new_id(s), loaded = spv_new_id(s);
    spv_put(s, SECTION_GLOBALS, SpvOpVariable,
        OPERANDS(spv_type_pointer(s, SpvStorageClassInput, type), var, SpvStorageClassInput));
    spv_decorate(s, var, SpvDecorationBuiltIn, OPERANDS(inputs[input].builtin));
    VEC_PUSH(s->arena, &s->interface, var);
    spv_put(s, SECTION_HOISTED, SpvOpLoad, OPERANDS(type, loaded, var));
    if (input >= INPUT_SUBGROUP_LANE)
        spv_need(s, SpvCapabilityGroupNonUniform);
    return loaded;
}

static SpvId hoisted2(Spirv *s, SpvOp op, SpvId x, SpvId y)
{
    SpvId id = spv_new_id(s);
    spv_put(s, SECTION_HOISTED, op, OPERANDS(spv_type_u32(s), id, x, y));
    return id;
}

/* Is a workgroup made one long row, since the driver does not put several into the
 * lanes of one subgroup? */
static bool is_one_row(const Spirv *s)
{
    const uint32_t *n = s->ir->workgroup_size;
    return s->target->row_lanes && n[0] % s->target->row_lanes && n[1] * n[2] > 1;
}

/* A component of the local id, from the place in that row. */
static SpvId place_in_row(Spirv *s, IrInput input)
{
    const uint32_t *n = s->ir->workgroup_size;
    SpvId at = spv_input_value(s, INPUT_LOCAL_INDEX);
    if (input == INPUT_LOCAL_ID_X)
        return hoisted2(s, SpvOpUMod, at, spv_const_u32(s, n[0]));
    if (input == INPUT_LOCAL_ID_Z)
        return hoisted2(s, SpvOpUDiv, at, spv_const_u32(s, n[0] * n[1]));
    SpvId row = hoisted2(s, SpvOpUDiv, at, spv_const_u32(s, n[0]));
    return n[2] == 1 ? row : hoisted2(s, SpvOpUMod, row, spv_const_u32(s, n[1]));
}

/* The driver leaves out one that is not full. */
static SpvId subgroups_in_rows(Spirv *s)
{
    const uint32_t *n = s->ir->workgroup_size;
    uint32_t lanes = s->target->row_lanes;
    return spv_const_u32(s, (n[0] * n[1] * n[2] + lanes - 1) / lanes);
}

SpvId spv_input_value(Spirv *s, IrInput input)
{
    SpvId *known = &s->inputs[input], *whole = &s->wholes[input - inputs[input].component];
    if (*known)
        return *known;
    if (input <= INPUT_LOCAL_ID_Z && is_one_row(s))
        return *known = place_in_row(s, input);
    if (input == INPUT_NUM_SUBGROUPS && s->target->row_lanes)
        return *known = subgroups_in_rows(s);
    if (!*whole)
        *whole = input_load(s, input);
    *known = *whole;
    if (inputs[input].width > 1) {
        *known = spv_new_id(s);
        spv_put(s, SECTION_HOISTED, SpvOpCompositeExtract,
                OPERANDS(spv_type_u32(s), *known, *whole, inputs[input].component));
    }
    return *known;
}

SpvId spv_value(Spirv *s, const Inst *inst)
{
    if (inst->op == IR_CONST)
        return spv_const_value(s, inst->type, &inst->constant);
    BUG_IF(!s->values[inst->id], "%%%u has no value yet", inst->id);
    return s->values[inst->id];
}

/* ---- the module ---- */

static void start(Spirv *s)
{
    Words w = {0};
    s->next_id = 1;
    s->glsl = spv_new_id(s);
    spv_need(s, SpvCapabilityShader);
    VEC_PUSH(s->arena, &w, s->glsl);
    spv_put_string(&w, s->arena, "GLSL.std.450");
    spv_put(s, SECTION_IMPORTS, SpvOpExtInstImport, w.len, w.data);
    spv_put(s, SECTION_MODEL, SpvOpMemoryModel,
        OPERANDS(SpvAddressingModelLogical, SpvMemoryModelGLSL450));
}

static void put_entry(Spirv *s, SpvId function)
{
    Words w = {0};
    VEC_PUSH(s->arena, &w, (uint32_t)SpvExecutionModelGLCompute);
    VEC_PUSH(s->arena, &w, function);
    spv_put_string(&w, s->arena, "main");
    for (uint32_t i = 0; i < s->interface.len; i++)
        VEC_PUSH(s->arena, &w, s->interface.data[i]);
    spv_put(s, SECTION_ENTRY, SpvOpEntryPoint, w.len, w.data);
    const uint32_t *n = s->ir->workgroup_size;
    bool row = is_one_row(s);
    spv_put(s, SECTION_MODES, SpvOpExecutionMode,
            OPERANDS(function, SpvExecutionModeLocalSize, row ? n[0] * n[1] * n[2] : n[0],
                     row ? 1 : n[1], row ? 1 : n[2]));
}

static void put_float_mode(Spirv *s, SpvId function, SpvCapability capability,
                           SpvExecutionMode mode, uint32_t width)
{
    spv_need_extension(s, "SPV_KHR_float_controls");
    spv_need(s, capability);
    spv_put(s, SECTION_MODES, SpvOpExecutionMode, OPERANDS(function, mode, width));
}

/* Infinities, NaN and the sign of zero come out as they do on the CPU. */
static void put_float_modes(Spirv *s, SpvId function)
{
    const SpirvTarget *t = s->target;
    bool uses_f16 = false, uses_f64 = false;
    for (uint32_t i = 0; i < s->capabilities.len; i++) {
        uses_f16 |= s->capabilities.data[i] == SpvCapabilityFloat16;
        uses_f64 |= s->capabilities.data[i] == SpvCapabilityFloat64;
    }
    if (t->keeps_inf_nan64 && uses_f64)
        put_float_mode(s, function, SpvCapabilitySignedZeroInfNanPreserve,
                       SpvExecutionModeSignedZeroInfNanPreserve, 64);
    if (t->keeps_inf_nan32)
        put_float_mode(s, function, SpvCapabilitySignedZeroInfNanPreserve,
                       SpvExecutionModeSignedZeroInfNanPreserve, 32);
    if (t->keeps_inf_nan16 && uses_f16)
        put_float_mode(s, function, SpvCapabilitySignedZeroInfNanPreserve,
                       SpvExecutionModeSignedZeroInfNanPreserve, 16);
    if (t->rounds_even16 && uses_f16)
        put_float_mode(s, function, SpvCapabilityRoundingModeRTE,
                       SpvExecutionModeRoundingModeRTE, 16);
}

static void put_kernel(Spirv *s)
{
    SpvId function = spv_new_id(s), nothing = spv_type_void(s);
    SpvId type = spv_global(s, SpvOpTypeFunction, 0, OPERANDS(nothing));
    spv_put(s, SECTION_FUNCTION, SpvOpFunction,
        OPERANDS(nothing, function, SpvFunctionControlMaskNone, type));
    s->block = spv_new_id(s);
    spv_put(s, SECTION_FUNCTION, SpvOpLabel, OPERANDS(s->block));
    for (uint32_t i = 0; i < s->ir->vars.len; i++)
        declare(s, s->ir->vars.data[i]);
    spv_start_own(s);
    if (!s->target->has_zero_workgroup)
        spv_start_workgroup(s);
    spv_flow_region(s, s->ir->body);
    spv_put(s, SECTION_CODE, SpvOpFunctionEnd, 0, NULL);
    put_entry(s, function);
    put_float_modes(s, function);
}

static void spirv_init(Spirv *s, Arena *arena, const Ir *ir, const SpirvTarget *target)
{
    *s = (Spirv){.arena = arena, .ir = ir, .target = target};
    s->facts = analysis_run(arena, ir, 1, 1);
    s->zeros = analysis_zeros(arena, ir);
    s->laid_out = ARENA_ARRAY(arena, SpvId, ir->mem_types.len + 1);
    s->plain = ARENA_ARRAY(arena, SpvId, ir->mem_types.len + 1);
    s->vars = ARENA_ARRAY(arena, VarState, ir->vars.len + 1);
    s->values = ARENA_ARRAY(arena, SpvId, ir->next_id);
    s->places = ARENA_ARRAY(arena, Where *, ir->next_id);
    s->accessed = ARENA_ARRAY(arena, bool, ir->next_id);
    s->breaks = ARENA_ARRAY(arena, uint32_t, ir->next_id);
    s->continues = ARENA_ARRAY(arena, uint32_t, ir->next_id);
    s->written = ARENA_ARRAY(arena, bool, ir->vars.len + 1);
}

bool spirv_emit(Arena *arena, const Ir *ir, const SpirvTarget *target, Diag *diag,
                SpirvCode *out)
{
    Spirv *s = ARENA_NEW(arena, Spirv);
    spirv_init(s, arena, ir, target);
    start(s);
    walk(s, ir->body);
    put_kernel(s);
    if (s->too_large) {
        diag_add(diag, DIAG_kernel_too_large, (Span){0},
                 "the kernel '%.*s' has a table, a structure or a number of values that "
                 "does not fit into SPIR-V", STR_ARG(ir->name));
        return false;
    }
    if (s->lacks_f64) {
        diag_add(diag, DIAG_not_compiled, (Span){0},
                 "the kernel '%.*s' uses f64, which the device does not have",
                 STR_ARG(ir->name));
        return false;
    }
    *out = spv_module_assemble(s);
    return true;
}
