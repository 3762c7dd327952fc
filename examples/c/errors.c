// SPDX-License-Identifier: Apache-2.0
/*
 * errors.c - everything that can be done about a mistake.
 *
 * in     mistakes
 * out    the messages they cause, each caught in a way of its own
 *
 * A call that is wrong gives an error object, never NULL or a crash, and reports
 * to the innermost error scope of the thread. Using an error object is an error
 * too: it is enough to check at the end of a chain of calls.
 */
#include "common.h"

static const char broken[] =
    "@group(0) @binding(0) var<storage, read_write> x : array<f32>;\n"
    "@compute @workgroup_size(64)\n"
    "fn f(@builtin(global_invocation_id) id : vec3u) {\n"
    "  x[id.x] = 2 * id.x;\n"
    "}\n";

typedef struct Answer {
    bool          done;
    WGPUErrorType type;
    int           count;
} Answer;

static void print_message(const char *about, WGPUStringView message)
{
    printf("--- %s\n%.*s\n", about, (int)message.length, message.data);
}

/* ---- error scopes: this stretch of code, these kinds of error ---- */

static void scope_closed(WGPUPopErrorScopeStatus status, WGPUErrorType type,
                         WGPUStringView message, void *user, void *about)
{
    Answer *answer = (Answer *)user;
    answer->type = type;
    answer->done = status == WGPUPopErrorScopeStatus_Success;
    if (type != WGPUErrorType_NoError)
        print_message((const char *)about, message);
}

static WGPUErrorType close_scope(const Gpu *gpu, const char *about)
{
    Answer answer = {false, WGPUErrorType_NoError, 0};
    WGPUPopErrorScopeCallbackInfo then = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
    then.mode = WGPUCallbackMode_AllowProcessEvents;
    then.callback = scope_closed;
    then.userdata1 = &answer;
    then.userdata2 = (void *)about;
    gpu_wait(gpu, wgpuDevicePopErrorScope(gpu->device, then), &answer.done);
    return answer.type;
}

static bool try_scope(const Gpu *gpu)
{
    wgpuDevicePushErrorScope(gpu->device, WGPUErrorFilter_Validation);
    WGPUBufferDescriptor desc = WGPU_BUFFER_DESCRIPTOR_INIT;
    desc.label = text("results");
    desc.size = 64;
    desc.usage = WGPUBufferUsage_MapRead | WGPUBufferUsage_Storage;     /* not both */
    WGPUBuffer buffer = wgpuDeviceCreateBuffer(gpu->device, &desc);
    bool right = close_scope(gpu, "a buffer") == WGPUErrorType_Validation;

    wgpuDevicePushErrorScope(gpu->device, WGPUErrorFilter_Validation);
    WGPUCommandEncoder encoder = wgpuDeviceCreateCommandEncoder(gpu->device, NULL);
    wgpuCommandEncoderClearBuffer(encoder, buffer, 0, WGPU_WHOLE_SIZE);
    submit(gpu, encoder);
    right = right && close_scope(gpu, "its use") == WGPUErrorType_Validation;
    wgpuBufferRelease(buffer);

    wgpuDevicePushErrorScope(gpu->device, WGPUErrorFilter_Validation);
    return close_scope(gpu, "nothing") == WGPUErrorType_NoError && right;
}

/* ---- the compiler's messages, with their places ---- */

static void got_messages(WGPUCompilationInfoRequestStatus status,
                         const WGPUCompilationInfo *info, void *user, void *unused)
{
    Answer *answer = (Answer *)user;
    (void)unused;
    answer->done = status == WGPUCompilationInfoRequestStatus_Success;
    for (size_t i = 0; answer->done && i < info->messageCount; i++) {
        const WGPUCompilationMessage *m = &info->messages[i];
        answer->count += m->type == WGPUCompilationMessageType_Error && m->lineNum == 4;
        printf("line %d, byte %d: %.*s\n", (int)m->lineNum, (int)m->linePos,
               (int)m->message.length, m->message.data);
    }
}

static bool try_shader(const Gpu *gpu)
{
    wgpuDevicePushErrorScope(gpu->device, WGPUErrorFilter_Validation);
    WGPUShaderModule module = module_create(gpu, broken);
    bool right = close_scope(gpu, "a shader") == WGPUErrorType_Validation;

    Answer answer = {false, WGPUErrorType_NoError, 0};
    WGPUCompilationInfoCallbackInfo then = WGPU_COMPILATION_INFO_CALLBACK_INFO_INIT;
    then.mode = WGPUCallbackMode_AllowProcessEvents;
    then.callback = got_messages;
    then.userdata1 = &answer;
    puts("--- its messages");
    gpu_wait(gpu, wgpuShaderModuleGetCompilationInfo(module, then), &answer.done);
    wgpuShaderModuleRelease(module);
    return right && answer.count > 0;
}

/* ---- what no scope takes; it may come on any thread ---- */

static void uncaptured(const WGPUDevice *device, WGPUErrorType type, WGPUStringView message,
                       void *user, void *unused)
{
    (void)device, (void)unused;
    ((Answer *)user)->count += type == WGPUErrorType_Validation;
    print_message("no scope was open", message);
}

int main(void)
{
    Answer unheard = {false, WGPUErrorType_NoError, 0};
    WGPUDeviceDescriptor desc = WGPU_DEVICE_DESCRIPTOR_INIT;
    desc.uncapturedErrorCallbackInfo.callback = uncaptured;
    desc.uncapturedErrorCallbackInfo.userdata1 = &unheard;
    Gpu gpu = gpu_find();
    gpu_open_device(&gpu, &desc);

    bool right = try_scope(&gpu) && try_shader(&gpu);
    WGPUBuffer buffer = buffer_create(&gpu, WGPUBufferUsage_Storage, UINT64_C(1) << 50, NULL);
    wgpuBufferRelease(buffer);
    gpu_close(&gpu);
    return verdict(right && unheard.count == 1);
}
