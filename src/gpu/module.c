// SPDX-License-Identifier: Apache-2.0
/*
 * module.c - shader modules: WGSL in, messages out.
 *
 * in     WGSL text
 * out    a checked module, its messages
 * knows  weft/wgsl.h
 * not    the kernels made of it (kernel.c), layouts and bindings (pipeline.c)
 */
#include <stdio.h>
#include <stdlib.h>

#include "gpu/gpu_priv.h"

/* ---- modules ---- */

static void module_free(Object *o)
{
    WGPUShaderModule module = (WGPUShaderModule)o;
    kernels_drop(module);
    weft_wgsl_release(module->wgsl);
    pthread_mutex_destroy(&module->lock);
}

static const ObjectClass shader_module_class = {"shader module", module_free};

static const char *source_fault(Fault *f, const WGPUShaderModuleDescriptor *d, View *code)
{
    static const WGPUSType allowed[] = {WGPUSType_ShaderSourceWGSL,
                                        WGPUSType_ShaderSourceSPIRV};
    const WGPUChainedStruct *found[2];
    if (chain_fault(f, "WGPUShaderModuleDescriptor", d->nextInChain, allowed, 2, found)
        || view_fault(f, "the label", d->label))
        return f->text;
    if (found[1])
        return "Weft takes no SPIR-V; the instance feature ShaderSourceSPIRV is not there";
    if (!found[0])
        return "there is no WGPUShaderSourceWGSL in the chain";
    WGPUStringView text = ((const WGPUShaderSourceWGSL *)found[0])->code;
    if (view_fault(f, "the code", text))
        return f->text;
    view_of(text, code);
    return NULL;
}

static uint32_t count_errors(const weft_wgsl *wgsl, const weft_diagnostic **first)
{
    uint32_t errors = 0;
    *first = NULL;
    for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(wgsl); i++) {
        const weft_diagnostic *d = weft_wgsl_diagnostic_get(wgsl, i);
        if (d->severity == WEFT_SEVERITY_ERROR && errors++ == 0)
            *first = d;
    }
    return errors;
}

static const char *wgsl_fault(Fault *f, const weft_wgsl *wgsl)
{
    const weft_diagnostic *d;
    uint32_t errors = count_errors(wgsl, &d);
    if (weft_wgsl_ok(wgsl))
        return NULL;
    if (!d)
        return "the module has errors";
    char more[64] = "";
    if (errors > 1)
        snprintf(more, sizeof more, " (and %u more)", errors - 1);
    if (d->place.line == 0)
        return fault(f, "%s%s", d->message, more);
    return fault(f, "%u:%u: %s%s", d->place.line, d->place.column, d->message, more);
}

static weft_wgsl *check(WGPUDevice device, View code)
{
    const char *enables[FEATURE_WGSL_MAX];
    features_wgsl(device->features, enables);
    return weft_wgsl_create(&(weft_wgsl_desc){
        .source = code.len ? code.data : "",
        .source_size = code.len,
        .enables = enables,
    });
}

WGPUShaderModule wgpuDeviceCreateShaderModule(WGPUDevice device,
                                              const WGPUShaderModuleDescriptor *descriptor)
{
    static const WGPUShaderModuleDescriptor nothing = {0};
    if (!device)
        return NULL;
    device_notice_fork(device);
    Fault       f;
    View        code = {0};
    const WGPUShaderModuleDescriptor *d = descriptor ? descriptor : &nothing;
    const char *why = descriptor ? source_fault(&f, d, &code) : "the descriptor is NULL";
    WGPUShaderModule module = object_new(&shader_module_class, sizeof *module, device,
                                         d->label);
    if (!module)
        return NULL;
    pthread_mutex_init(&module->lock, NULL);
    WGPUErrorType type = WGPUErrorType_Validation;
    bool          lost = device_is_lost(device);
    if (!why && !lost) {
        module->wgsl = check(device, code);
        why = module->wgsl ? wgsl_fault(&f, module->wgsl) : "out of memory";
        type = module->wgsl ? type : WGPUErrorType_OutOfMemory;
    }
    module->base.valid = !why && !lost;
    if (why)
        object_report(&module->base, type, why);
    return module;
}

OBJECT_FUNCTIONS(ShaderModule, shaderModule)

/* ---- messages ---- */

static const WGPUCompilationMessageType message_types[] = {
    [WEFT_SEVERITY_INFO] = WGPUCompilationMessageType_Info,
    [WEFT_SEVERITY_WARNING] = WGPUCompilationMessageType_Warning,
    [WEFT_SEVERITY_ERROR] = WGPUCompilationMessageType_Error,
};

/* Places in bytes, as the C API has them. */
static void set_place(WGPUCompilationMessage *m, const weft_wgsl *wgsl, weft_place place)
{
    size_t size;
    if (place.line == 0)
        return;
    const char *start = weft_wgsl_line(wgsl, 1, &size);
    const char *line = weft_wgsl_line(wgsl, place.line, &size);
    m->lineNum = place.line;
    m->linePos = place.byte_offset - (uint64_t)(line - start) + 1;
    m->offset = place.byte_offset;
    m->length = place.byte_length;
}

static WGPUCompilationMessage message_of(const weft_wgsl *wgsl, const char *text,
                                         WGPUCompilationMessageType type, weft_place place)
{
    WGPUCompilationMessage m = {.message = string_view(text), .type = type};
    set_place(&m, wgsl, place);
    return m;
}

/* Each diagnostic, and each of its notes as an Info after it. */
static size_t write_messages(const weft_wgsl *wgsl, WGPUCompilationMessage *out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < weft_wgsl_diagnostic_count(wgsl); i++) {
        const weft_diagnostic *d = weft_wgsl_diagnostic_get(wgsl, i);
        if (out)
            out[count] = message_of(wgsl, d->message, message_types[d->severity], d->place);
        count++;
        for (uint32_t k = 0; k < d->note_count; k++, count++)
            if (out)
                out[count] = message_of(wgsl, d->notes[k].message,
                                        WGPUCompilationMessageType_Info, d->notes[k].place);
    }
    return count;
}

static void fire_info(Future *f, bool cancelled)
{
    WGPUCompilationInfo     info = {0};
    WGPUCompilationMessage *messages = NULL;
    const weft_wgsl        *wgsl = ((WGPUShaderModule)f->object)->wgsl;
    if (!cancelled && wgsl) {
        size_t count = write_messages(wgsl, NULL);
        messages = calloc(count ? count : 1, sizeof *messages);
        if (messages) {
            info.messageCount = write_messages(wgsl, messages);
            info.messages = messages;
        }
    }
    f->callback.info(cancelled ? WGPUCompilationInfoRequestStatus_CallbackCancelled
                               : WGPUCompilationInfoRequestStatus_Success,
                     &info, f->userdata1, f->userdata2);
    free(messages);
}

WGPUFuture wgpuShaderModuleGetCompilationInfo(WGPUShaderModule shaderModule,
                                              WGPUCompilationInfoCallbackInfo callbackInfo)
{
    Fault why;
    if (!shaderModule)
        return (WGPUFuture){0};
    WGPUInstance instance = shaderModule->base.device->instance;
    if (!callback_is_usable(instance, "GetCompilationInfo", callbackInfo.mode,
                            callbackInfo.callback != NULL))
        return (WGPUFuture){0};
    Future *f = future_new(instance, callbackInfo.mode, fire_info);
    if (!f)
        return (WGPUFuture){0};
    if (chain_none_fault(&why, "WGPUCompilationInfoCallbackInfo", callbackInfo.nextInChain))
        object_report(&shaderModule->base, WGPUErrorType_Validation, why.text);
    f->callback.info = callbackInfo.callback;
    f->userdata1 = callbackInfo.userdata1;
    f->userdata2 = callbackInfo.userdata2;
    f->object = &shaderModule->base;
    object_ref(&shaderModule->base);
    WGPUFuture id = future_track(f);
    future_ready(f, WGPUCompilationInfoRequestStatus_Success, NULL);
    future_settle(f);
    future_unref(f);
    return id;
}
