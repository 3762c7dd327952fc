// SPDX-License-Identifier: Apache-2.0
// webgpu.js - the adapter of this browser, or a sentence that says why there is none.

export async function requestAdapter(options) {
    if (!navigator.gpu) throw new Error(`WebGPU not supported: ${window.isSecureContext ? 'this browser has no navigator.gpu' : 'browsers offer it over https and on localhost only'}`);
    const adapter = await navigator.gpu.requestAdapter(options);
    if (!adapter) throw new Error('WebGPU not supported: no adapter on this machine');
    return adapter;
}
