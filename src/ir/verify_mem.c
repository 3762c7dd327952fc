// SPDX-License-Identifier: Apache-2.0
/*
 * verify_mem.c - whether types of memory and variables are as ir.h says.
 *
 * in     an Ir
 * out    the first fault, or nothing
 * knows  layouts: what stages divide by, index with and add up without a look
 * not    instructions
 */
#include "ir/verify_priv.h"

#define MAX_BYTES ((uint64_t)1 << 40)   /* of one type                             */
#define MAX_OWN   ((uint64_t)1 << 30)   /* of a variable that Weft makes room for  */

/* Facts of the types before the one that is looked at, by id. */
typedef struct Types {
    Verify *v;
    bool   *runtime;                    /* its size is known when the kernel runs  */
    bool   *slots;                      /* laid out as one invocation's own memory */
} Types;

static bool bad_type(Verify *v, const MemType *t, const char *what)
{
    return verify_fault(v, NULL, "t%u: %s", t->id, what);
}

static bool is_before(const Types *x, const MemType *part, const MemType *whole)
{
    return part && part->id < whole->id && x->v->ir->mem_types.data[part->id] == part;
}

/* ---- types ---- */

static bool check_value(const Types *x, const MemType *t)
{
    IrType type = t->value.type;
    uint32_t stride = t->value.stride;
    if (type.kind < SCALAR_BOOL || type.kind > SCALAR_F64 || type.width < 1 || type.width > 4)
        return bad_type(x->v, t, "not a scalar or a vector");
    bool fits = type.kind == SCALAR_F64 ? stride == 8
                                        : stride == 4 || (stride == 2 && type.kind == SCALAR_F16);
    if (!fits)
        return bad_type(x->v, t, "components of a size that they do not have");
    if (t->value.atomic && !ir_type_eq(type, IR_I32))
        return bad_type(x->v, t, "only an i32 is atomic");
    if (t->align != MIN_OF(stride, 4u) || t->size != (uint64_t)stride * type.width)
        return bad_type(x->v, t, "a value of another size");
    x->slots[t->id] = stride >= 4 && !t->value.atomic;
    return true;
}

static bool check_array(const Types *x, const MemType *t)
{
    const MemType *of = t->array.of;
    uint64_t count = t->array.count, stride = t->array.stride;
    if (!is_before(x, of, t) || x->runtime[of->id])
        return bad_type(x->v, t, "elements that an array cannot have");
    if (stride == 0 || stride < of->size)
        return bad_type(x->v, t, "elements that overlap");
    if (stride % of->align != 0 || t->align != of->align)
        return bad_type(x->v, t, "elements that are not aligned");
    if (count > MAX_BYTES / stride || t->size != count * stride)
        return bad_type(x->v, t, "an array of another size");
    if (t->array.matrix && (of->kind != MEM_VALUE || of->value.type.width < 2))
        return bad_type(x->v, t, "a matrix without columns");
    x->runtime[t->id] = count == 0;
    x->slots[t->id] = count != 0 && x->slots[of->id] && stride == of->size;
    return true;
}

static bool check_struct(const Types *x, const MemType *t)
{
    uint64_t end = 0;
    bool slots = t->align == 4, runtime = false;
    if (t->structure.count == 0 || t->align == 0 || (t->align & (t->align - 1)))
        return bad_type(x->v, t, "a structure without members or alignment");
    for (uint32_t i = 0; i < t->structure.count; i++) {
        const MemField *f = &t->structure.fields[i];
        if (runtime || !is_before(x, f->type, t))
            return bad_type(x->v, t, "a member of a type that it cannot have");
        if (f->offset < end || f->offset % f->type->align != 0)
            return bad_type(x->v, t, "a member that overlaps or is not aligned");
        slots = slots && f->offset == end && x->slots[f->type->id];
        end = f->offset + f->type->size;
        runtime = x->runtime[f->type->id];
    }
    if (t->size < end || t->size > MAX_BYTES)
        return bad_type(x->v, t, "a structure of another size");
    x->runtime[t->id] = runtime;
    x->slots[t->id] = slots && t->size == end;
    return true;
}

static bool check_bytes(const Types *x, const MemType *t)
{
    x->runtime[t->id] = t->size == 0;
    return t->align == 4 && t->size <= MAX_BYTES ? true
                                                 : bad_type(x->v, t, "too many bytes");
}

static bool check_type(const Types *x, const MemType *t)
{
    switch (t->kind) {
    case MEM_VALUE:  return check_value(x, t);
    case MEM_ARRAY:  return check_array(x, t);
    case MEM_STRUCT: return check_struct(x, t);
    case MEM_BYTES:  return check_bytes(x, t);
    }
    return bad_type(x->v, t, "of no kind");
}

/* ---- variables ---- */

static bool check_var(const Types *x, const IrVar *var)
{
    const Ir *ir = x->v->ir;
    const MemType *t = var->type;
    bool own = var->space == IRSPACE_FUNCTION || var->space == IRSPACE_PRIVATE ||
               var->space == IRSPACE_CONSTANT;
    bool bound = var->space == IRSPACE_UNIFORM || var->space == IRSPACE_STORAGE;
    if (var->space >= IRSPACE_COUNT || !t || t->id >= ir->mem_types.len ||
        ir->mem_types.data[t->id] != t)
        return verify_fault(x->v, NULL, "v%u: a variable without a type", var->id);
    if (!bound && (x->runtime[t->id] || t->size > MAX_OWN))
        return verify_fault(x->v, NULL, "v%u: a variable of no known size", var->id);
    if (own && !x->slots[t->id])
        return verify_fault(x->v, NULL, "v%u: not laid out in slots", var->id);
    return true;
}

bool verify_memory(Verify *v)
{
    const Ir *ir = v->ir;
    Types x = {
        .v = v,
        .runtime = ARENA_ARRAY(ir->arena, bool, ir->mem_types.len + 1),
        .slots = ARENA_ARRAY(ir->arena, bool, ir->mem_types.len + 1),
    };
    for (uint32_t i = 0; i < ir->mem_types.len; i++) {
        if (ir->mem_types.data[i]->id != i)
            return bad_type(v, ir->mem_types.data[i], "its id is not its place");
        if (!check_type(&x, ir->mem_types.data[i]))
            return false;
    }
    for (uint32_t i = 0; i < ir->vars.len; i++) {
        if (ir->vars.data[i]->id != i)
            return verify_fault(v, NULL, "v%u: its id is not its place", i);
        if (!check_var(&x, ir->vars.data[i]))
            return false;
    }
    return true;
}
