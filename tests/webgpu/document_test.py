#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""document_test.py - what docs/webgpu.md shows compiles, runs, and prints what it says.

    tests/webgpu/document_test.py BUILD

A block of C with a main() is a program. One without is run by the program below, on an
open device. The block of text that follows, if one does, is what it prints.
"""
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BLOCK = re.compile(r"^```c\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.M | re.S)

AROUND = r"""
#include <stdio.h>
#include <stdlib.h>
#include <webgpu/webgpu.h>
#include <webgpu/weft.h>

static void got_adapter(WGPURequestAdapterStatus status, WGPUAdapter adapter,
                        WGPUStringView message, void *to, void *unused)
{
    (void)status, (void)message, (void)unused;
    *(WGPUAdapter *)to = adapter;
}

static void got_device(WGPURequestDeviceStatus status, WGPUDevice device,
                       WGPUStringView message, void *to, void *unused)
{
    (void)unused;
    if (status != WGPURequestDeviceStatus_Success)
        printf("%%.*s\n", (int)message.length, message.data);
    *(WGPUDevice *)to = device;
}

static void got_error(const WGPUDevice *device, WGPUErrorType type, WGPUStringView message,
                      void *unused1, void *unused2)
{
    (void)device, (void)type, (void)unused1, (void)unused2;
    printf("%%.*s\n", (int)message.length, message.data);
    exit(1);
}

static void got_scope(WGPUPopErrorScopeStatus status, WGPUErrorType type, WGPUStringView message,
                      void *unused1, void *unused2)
{
    (void)status, (void)type, (void)unused1, (void)unused2;
    printf("%%.*s\n", (int)message.length, message.data);
}

static WGPUDevice open_device(WGPUAdapter adapter, const WGPUDeviceDescriptor *desc)
{
    WGPUDevice device = NULL;
    WGPURequestDeviceCallbackInfo info = WGPU_REQUEST_DEVICE_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_AllowSpontaneous;
    info.callback = got_device;
    info.userdata1 = &device;
    wgpuAdapterRequestDevice(adapter, desc, info);
    if (!device)
        exit(1);
    return device;
}

static WGPUAdapter open_adapter(WGPUInstance instance)
{
    WGPUAdapter adapter = NULL;
    WGPURequestAdapterCallbackInfo info = WGPU_REQUEST_ADAPTER_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_AllowSpontaneous;
    info.callback = got_adapter;
    info.userdata1 = &adapter;
    wgpuInstanceRequestAdapter(instance, NULL, info);
    return adapter;
}

/* ---- what the fragments call ---- */

void expect_device(WGPUAdapter adapter, const WGPUDeviceDescriptor *desc);
void print_scope(WGPUInstance instance, WGPUDevice device);

void expect_device(WGPUAdapter adapter, const WGPUDeviceDescriptor *desc)
{
    wgpuDeviceRelease(open_device(adapter, desc));
}

void print_scope(WGPUInstance instance, WGPUDevice device)
{
    WGPUPopErrorScopeCallbackInfo info = WGPU_POP_ERROR_SCOPE_CALLBACK_INFO_INIT;
    info.mode = WGPUCallbackMode_AllowProcessEvents;
    info.callback = got_scope;
    wgpuDevicePopErrorScope(device, info);
    wgpuInstanceProcessEvents(instance);
}

static void fragment(WGPUInstance instance, WGPUAdapter adapter, WGPUDevice device)
{
    (void)instance, (void)adapter, (void)device;
%s
}

int main(void)
{
    WGPUInstanceFeatureName many = WGPUInstanceFeatureName_MultipleDevicesPerAdapter;
    WGPUInstanceDescriptor id = WGPU_INSTANCE_DESCRIPTOR_INIT;
    id.requiredFeatureCount = 1;
    id.requiredFeatures = &many;
    WGPUInstance instance = wgpuCreateInstance(&id);
    WGPUAdapter  adapter = open_adapter(instance);
    WGPUDeviceDescriptor dd = WGPU_DEVICE_DESCRIPTOR_INIT;
    dd.uncapturedErrorCallbackInfo.callback = got_error;
    WGPUDevice device = open_device(adapter, &dd);
    fragment(instance, adapter, device);
    wgpuDeviceRelease(device);
    wgpuAdapterRelease(adapter);
    wgpuInstanceRelease(instance);
    return 0;
}
"""


def output_of(source, folder, build):
    name = os.path.join(folder, "program")
    with open(name + ".c", "w") as f:
        f.write(source)
    lib = os.path.join(build, "lib")
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-Wall", "-Wextra", "-Werror",
                    "-I", os.path.join(TOP, "include"), name + ".c", "-o", name, "-L", lib,
                    "-lwebgpu_weft", "-Wl,-rpath," + lib], check=True)
    done = subprocess.run([name], capture_output=True, text=True, timeout=300)
    return done.returncode, [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]


def main():
    build, bad = os.path.abspath(sys.argv[1]), 0
    with open(os.path.join(TOP, "docs/webgpu.md")) as f:
        blocks = BLOCK.findall(f.read())
    if len(blocks) < 3:
        sys.exit("docs/webgpu.md: fewer examples than there should be")
    for code, want in blocks:
        source = code if "int main(" in code else AROUND % code
        with tempfile.TemporaryDirectory() as folder:
            status, lines = output_of(source, folder, build)
        if status != 0 or lines != want.splitlines():
            print(code, "printed", lines, "with status", status)
            bad = 1
    sys.exit(bad)


if __name__ == "__main__":
    main()
