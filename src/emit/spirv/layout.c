// SPDX-License-Identifier: Apache-2.0
/*
 * layout.c - types of memory.
 *
 * in     MemTypes
 * out    SPIR-V types: laid out (offsets and strides as decorations, for buffers and
 *        push constants) or plain (for memory that only the kernel sees)
 * knows  which layouts Vulkan takes in uniform buffers
 * not    variables, addresses
 *
 * A matrix is an array of its columns. Plain bools are bools.
 */
#include "emit/spirv/spirv_priv.h"

#define UNIFORM_ALIGN 16u

/* ---- types ---- */

static SpvId array_type(Spirv *s, const MemType *mem, bool laid_out)
{
    SpvId of = spv_layout_type(s, mem->array.of, laid_out), id = spv_new_id(s);
    uint64_t count = mem->array.count;
    if (count > UINT32_MAX)
        s->too_large = true;
    if (count)
        spv_put(s, SECTION_GLOBALS, SpvOpTypeArray,
                OPERANDS(id, of, spv_const_u32(s, (uint32_t)count)));
    else
        spv_put(s, SECTION_GLOBALS, SpvOpTypeRuntimeArray, OPERANDS(id, of));
    if (laid_out)
        spv_decorate(s, id, SpvDecorationArrayStride, OPERANDS(mem->array.stride));
    return id;
}

static SpvId struct_type(Spirv *s, const MemType *mem, bool laid_out)
{
    uint32_t n = mem->structure.count;
    uint32_t *operands = ARENA_ARRAY(s->arena, uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        operands[1 + i] = spv_layout_type(s, mem->structure.fields[i].type, laid_out);
    operands[0] = spv_new_id(s);
    spv_put(s, SECTION_GLOBALS, SpvOpTypeStruct, n + 1, operands);
    for (uint32_t i = 0; laid_out && i < n; i++)
        spv_put(s, SECTION_DECORATIONS, SpvOpMemberDecorate,
                OPERANDS(operands[0], i, SpvDecorationOffset,
                         mem->structure.fields[i].offset));
    return operands[0];
}

SpvId spv_layout_type(Spirv *s, const MemType *mem, bool laid_out)
{
    SpvId *known = &(laid_out ? s->laid_out : s->plain)[mem->id];
    if (*known)
        return *known;
    switch (mem->kind) {
    case MEM_VALUE: *known = spv_type_value(s, mem->value.type); break;
    case MEM_ARRAY: *known = array_type(s, mem, laid_out); break;
    case MEM_STRUCT: *known = struct_type(s, mem, laid_out); break;
    case MEM_BYTES: BUG("opaque bytes are addressed as words");
    }
    return *known;
}

/* ---- questions ---- */

static bool is_multiple(uint64_t n)
{
    return n % UNIFORM_ALIGN == 0;
}

/* Members behind an array or structure start at the next multiple. */
static bool struct_is_uniform(const MemType *mem)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < mem->structure.count; i++) {
        const MemField *f = &mem->structure.fields[i];
        bool aggregate = f->type->kind != MEM_VALUE;
        if (f->offset < end || !spv_layout_is_uniform(f->type)
            || (aggregate && !is_multiple(f->offset)))
            return false;
        end = f->offset + f->type->size;
        if (aggregate)
            end = (end + UNIFORM_ALIGN - 1) / UNIFORM_ALIGN * UNIFORM_ALIGN;
    }
    return true;
}

bool spv_layout_is_uniform(const MemType *mem)
{
    switch (mem->kind) {
    case MEM_VALUE: return true;
    case MEM_ARRAY:
        return is_multiple(mem->array.stride) && spv_layout_is_uniform(mem->array.of);
    case MEM_STRUCT: return struct_is_uniform(mem);
    case MEM_BYTES: break;
    }
    return false;
}

bool spv_layout_has_f16(const MemType *mem)
{
    if (mem->kind == MEM_VALUE)
        return mem->value.type.kind == SCALAR_F16;
    if (mem->kind == MEM_ARRAY)
        return spv_layout_has_f16(mem->array.of);
    for (uint32_t i = 0; mem->kind == MEM_STRUCT && i < mem->structure.count; i++)
        if (spv_layout_has_f16(mem->structure.fields[i].type))
            return true;
    return false;
}

bool spv_layout_is_runtime(const MemType *mem)
{
    if (mem->kind == MEM_STRUCT)
        return spv_layout_is_runtime(
            mem->structure.fields[mem->structure.count - 1].type);
    return mem->kind == MEM_ARRAY && mem->array.count == 0;
}

/* ---- tables ---- */

static SpvId constant(Spirv *s, const MemType *mem, const uint32_t *data)
{
    if (mem->kind == MEM_VALUE)
        return spv_const_slots(s, mem->value.type, data);
    bool array = mem->kind == MEM_ARRAY;
    uint64_t n = array ? mem->array.count : mem->structure.count;
    SpvId *parts = ARENA_ARRAY(s->arena, SpvId, n);
    for (uint64_t i = 0; i < n; i++) {
        const MemType *of = array ? mem->array.of : mem->structure.fields[i].type;
        uint64_t at = array ? i * mem->array.stride : mem->structure.fields[i].offset;
        parts[i] = constant(s, of, data + at / 4);
    }
    if (n > UINT16_MAX) { /* no instruction is that long             */
        s->too_large = true;
        return 0;
    }
    return spv_global(s, SpvOpConstantComposite, spv_layout_type(s, mem, false),
                      (uint32_t)n, parts);
}

SpvId spv_layout_constant(Spirv *s, const MemType *mem, const uint32_t *data)
{
    return data ? constant(s, mem, data)
                : spv_const_null(s, spv_layout_type(s, mem, false));
}
