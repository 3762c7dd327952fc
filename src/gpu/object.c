// SPDX-License-Identifier: Apache-2.0
/*
 * object.c - what all objects have: references, a device, a label, validity.
 *
 * knows  the head of every object
 * not    what comes after it
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "gpu/gpu_priv.h"

#define MAX_LABEL 120u                      /* bytes that messages show */

/* Nothing is said if the memory for a label is not to be had. */
char *label_copy(WGPUStringView label)
{
    View v;
    if (!view_of(label, &v) || v.len == 0)
        return NULL;
    uint32_t len = (uint32_t)MIN_OF(v.len, MAX_LABEL);
    /* Not in the middle of a character. */
    while (len < v.len && len > 0 && ((unsigned char)v.data[len] & 0xC0) == 0x80)
        len--;
    char *copy = malloc((size_t)len + 1);
    if (!copy)
        return NULL;
    memcpy(copy, v.data, len);
    copy[len] = '\0';
    Str text = {copy, len};
    for (uint32_t at = 0; (at = utf8_find_invalid(text, at)) < len; at++)
        copy[at] = '?';
    return copy;
}

/* The C library's malloc() keeps what was freed last at hand; its calloc() does not look
 * there, which takes longer than a submit has time for. */
void *object_memory(size_t size)
{
    void *memory = malloc(size);
    FORGET_ORIGIN(memory);
    if (memory)
        memset(memory, 0, size);
    return memory;
}

void *object_new(const ObjectClass *class, size_t size, WGPUDevice device,
                 WGPUStringView label)
{
    Object *o = object_memory(size);
    if (!o) {
        if (device)
            device_error(device, WGPUErrorType_OutOfMemory, "%s: out of memory",
                         class->name);
        return NULL;
    }
    o->class = class;
    atomic_init(&o->refs, 1);
    o->valid = true;
    o->device = device;
    o->label = label_copy(label);
    if (device)
        device_ref(device);
    return o;
}

void object_ref(Object *o)
{
    atomic_fetch_add_explicit(&o->refs, 1, memory_order_relaxed);
}

bool object_try_ref(Object *o)
{
    uint32_t refs = atomic_load_explicit(&o->refs, memory_order_relaxed);
    while (refs && !atomic_compare_exchange_weak_explicit(
                       &o->refs, &refs, refs + 1, memory_order_relaxed, memory_order_relaxed))
        ;
    return refs > 0;
}

void object_unref(Object *o)
{
    if (!o || atomic_fetch_sub_explicit(&o->refs, 1, memory_order_acq_rel) != 1)
        return;
    WGPUDevice device = o->device;
    if (o->class->free)
        o->class->free(o);
    free(o->label);
    free(o);
    if (device)
        device_unref(device);
}

void object_set_label(Object *o, WGPUStringView label)
{
    Fault f;
    const char *why = view_fault(&f, "the new label", label);
    WGPUDevice device = o->device;
    if (why) {
        object_report(o, WGPUErrorType_Validation, why);
        return;
    }
    if (!device)
        return;
    char *copy = label_copy(label);
    pthread_mutex_lock(&device->label_lock);
    char *old = o->label;
    o->label = copy;
    pthread_mutex_unlock(&device->label_lock);
    free(old);
}

/* `kind` and the label, if there is one. */
static void write_name(const Object *o, const char *kind, char *out, size_t size)
{
    WGPUDevice device = o->device;
    if (device)
        pthread_mutex_lock(&device->label_lock);
    if (o->label)
        snprintf(out, size, "%s '%s'", kind, o->label);
    else
        snprintf(out, size, "%s", kind);
    if (device)
        pthread_mutex_unlock(&device->label_lock);
}

void object_name(const Object *o, char *out, size_t size)
{
    write_name(o, o->class->name, out, size);
}

const char *object_role(const Object *o, const char *what, char out[ROLE_SIZE])
{
    write_name(o, what, out, ROLE_SIZE);
    return out;
}

const char *object_fault(Fault *f, const Object *o, const char *what, WGPUDevice device)
{
    char role[ROLE_SIZE];
    if (!o)
        return fault(f, "%s is NULL", what);
    if (o->device != device)
        return fault(f, "%s belongs to another device", object_role(o, what, role));
    if (!o->valid)
        return fault(f, "%s is an error object", object_role(o, what, role));
    return NULL;
}
