// SPDX-License-Identifier: Apache-2.0
//
// pipeline.js - shader modules and compute pipelines.
//
// in     converted descriptors
// out    GPUShaderModule, GPUComputePipeline
// knows  that compiling happens on other threads
// not    WGSL
'use strict';

const { unsignedLong } = require('./webidl.js');
const { native, expect } = require('./native.js');
const { defineObject, createObject } = require('./object.js');
const { compilationInfo, operationError, GPUPipelineError } = require('./errors.js');

const SUCCESS = 1, INTERNAL = 4;        // WGPUCreatePipelineAsyncStatus

const getCompilationInfo = (module) => new Promise((resolve, reject) => {
  native.compilationInfo(module.handle, expect(module, (status, detail, text, rows) => {
    if (status === SUCCESS) resolve(compilationInfo(rows ?? [], module.code));
    else reject(operationError('The messages of the compiler are not to be had.'));
  }));
});

const GPUShaderModule = defineObject('GPUShaderModule', {
  methods: { getCompilationInfo: { run: getCompilationInfo, promise: true } },
});

const createShaderModule = (device, { label, code }) => createObject('GPUShaderModule', device,
  native.createShaderModule(device.handle, label, code), label, { code });

const GPUComputePipeline = defineObject('GPUComputePipeline', {
  methods: {
    getBindGroupLayout: {
      args: [unsignedLong],
      run: (pipeline, index) => createObject('GPUBindGroupLayout', pipeline.device,
        native.computePipelineLayout(pipeline.handle, index), ''),
    },
  },
});

const pipelineArgs = (device, { label, layout, compute: { module, entryPoint, constants } }) => [
  device.handle, label, layout === 'auto' ? null : layout.handle, module.handle, entryPoint, [...constants].flat(),
];

const createComputePipeline = (device, desc) => createObject('GPUComputePipeline', device,
  native.createComputePipeline(...pipelineArgs(device, desc)), desc.label);

const createComputePipelineAsync = (device, desc) => new Promise((resolve, reject) => {
  native.createComputePipelineAsync(...pipelineArgs(device, desc), expect(device, (status, detail, text, handle) => {
    if (status === SUCCESS) resolve(createObject('GPUComputePipeline', device, handle, desc.label));
    else reject(new GPUPipelineError(text, { reason: status === INTERNAL ? 'internal' : 'validation' }));
  }));
});

module.exports = {
  GPUShaderModule, GPUComputePipeline, createShaderModule, createComputePipeline, createComputePipelineAsync,
};
