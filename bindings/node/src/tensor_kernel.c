// SPDX-License-Identifier: Apache-2.0
/*
 * tensor_kernel.c - kernels of the user's own on tensors, from JavaScript.
 *
 * in     WGSL, names and shapes of inputs and outputs
 * out    kernels, and the tensors that they compute
 * knows  weft_tensor_kernel
 * not    which argument has which name: lib/ puts them in the order of the slots
 */
#include "layer.h"

static uint32_t length_of(Call *c, napi_value list)
{
    uint32_t n = 0;
    if (!list || napi_get_array_length(c->napi, list, &n) != napi_ok)
        c->bad = true;
    return n;
}

static napi_value element(Call *c, napi_value list, uint32_t i)
{
    napi_value v = NULL;
    if (napi_get_element(c->napi, list, i, &v) != napi_ok)
        c->bad = true;
    return v;
}

/* Sizes of a shape; -1 is any size. */
static void read_shape(Call *c, napi_value list, weft_tensor_slot *slot)
{
    slot->rank = length_of(c, list);
    if (slot->rank > WEFT_MAX_RANK) {
        call_fail(c, WEFT_ERROR_SHAPE, "a shape of %u axes; tensors have at most %d", slot->rank,
                  WEFT_MAX_RANK);
        return;
    }
    for (uint32_t i = 0; i < slot->rank && !c->bad; i++) {
        const double n = value_double(c, element(c, list, i));
        if (!(n >= -1 && n <= 9007199254740991.0))
            call_fail(c, WEFT_ERROR_SHAPE, "a shape has sizes of 0 or more, not %g", n);
        slot->shape[i] = n < 0 ? WEFT_INFER : (uint64_t)n;
    }
}

/* Slots: [name, dtype, shape or undefined] each. */
static weft_tensor_slot *read_slots(Call *c, size_t i, uint32_t *count)
{
    *count = arg_length(c, i);
    if (!c->bad && *count > 64)
        call_fail(c, WEFT_ERROR_INVALID, "a kernel with %u slots", *count);
    weft_tensor_slot *slots = c->bad ? NULL : call_alloc(c, *count + 1, sizeof *slots);
    for (uint32_t at = 0; slots && at < *count && !c->bad; at++) {
        napi_value row = arg_element(c, i, at), shape = element(c, row, 2);
        slots[at].name = value_string(c, element(c, row, 0)).data;
        slots[at].dtype = (weft_dtype)value_u32(c, element(c, row, 1));
        if (!c->bad && !value_is_undefined(c, shape))
            read_shape(c, shape, &slots[at]);
    }
    return slots;
}

/* kernelCreate(context, name, wgsl, entry, inputs, outputs, [constant, value, ...]) */
static napi_value kernel_create(Call *c)
{
    weft_context           *ctx = arg_context(c, 0);
    weft_tensor_kernel_desc d = { .name = arg_text(c, 1), .wgsl = arg_text(c, 2),
                                  .entry = arg_text(c, 3) };
    d.inputs = read_slots(c, 4, &d.input_count);
    d.outputs = read_slots(c, 5, &d.output_count);
    d.constant_count = arg_length(c, 6) / 2;
    weft_constant *constants = c->bad ? NULL : call_alloc(c, d.constant_count + 1,
                                                          sizeof *constants);
    for (uint32_t i = 0; constants && i < d.constant_count && !c->bad; i++) {
        constants[i].name = value_string(c, arg_element(c, 6, 2 * i)).data;
        constants[i].value = value_double(c, arg_element(c, 6, 2 * i + 1));
    }
    d.constants = constants;
    return call_enter(c) ? call_give(c, KIND_TENSOR_KERNEL, weft_tensor_kernel_create(ctx, &d))
                         : NULL;
}

static void read_groups(Call *c, size_t i, uint32_t groups[3])
{
    if (i >= c->argc || value_is_undefined(c, c->argv[i]))
        return;
    const uint32_t count = arg_length(c, i);
    if (!c->bad && (count < 1 || count > 3))
        call_fail(c, WEFT_ERROR_INVALID, "one to three counts of workgroups, not %u", count);
    for (uint32_t at = 0; at < count && !c->bad; at++)
        groups[at] = value_u32(c, arg_element(c, i, at));
}

/* kernelRun(kernel, inputs, outputCount, groups, params, outputs): the outputs. `outputs` are
 * slots of this run, or undefined */
static napi_value kernel_run(Call *c)
{
    weft_tensor_kernel *k = arg_owned(c, 0, KIND_TENSOR_KERNEL);
    uint32_t            input_count = 0, output_count = arg_u32(c, 2), slots = 0;
    void *const        *list = arg_owned_list(c, 1, KIND_TENSOR, &input_count);
    weft_tensor_run     run = { 0 };
    size_t              size = 0;
    read_groups(c, 3, run.groups);
    if (c->argc > 4 && !value_is_undefined(c, c->argv[4]))
        run.params = arg_bytes(c, 4, &size);
    run.params_size = (uint32_t)size;
    if (c->argc > 5 && !value_is_undefined(c, c->argv[5]))
        run.outputs = read_slots(c, 5, &slots);
    c->bad |= output_count > 64 || size > UINT32_MAX || (slots && slots != output_count);
    weft_tensor **all = c->bad ? NULL : call_alloc(c, input_count + 1, sizeof *all);
    weft_tensor **made = c->bad ? NULL : call_alloc(c, output_count + 1, sizeof *made);
    for (uint32_t i = 0; all && i < input_count; i++)
        all[i] = list[i];
    if (!call_enter(c))
        return NULL;
    if (!weft_tensor_kernel_run(made, k, all, &run))
        return call_throw(c);
    napi_value results = js_array(c->napi, output_count);
    for (uint32_t i = 0; i < output_count; i++)
        js_push(c->napi, results, i, call_give(c, KIND_TENSOR, made[i]));
    return results;
}

const Function tensor_kernel_functions[] = {
    { "kernelCreate", kernel_create },
    { "kernelRun",    kernel_run },
    { 0 },
};
