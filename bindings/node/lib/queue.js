// SPDX-License-Identifier: Apache-2.0
//
// queue.js - GPUQueue.
//
// in     calls of user code
// out    GPUQueue
// knows  what is checked before the library is asked
// not    how work is carried out
'use strict';

const { bufferSource, object, optional, preset, sequence } = require('./webidl.js');
const { native } = require('./native.js');
const d = require('./dictionaries.js');
const { defineObject } = require('./object.js');
const { bytesOf } = require('./bytes.js');
const { copyExtent } = require('./render.js');
const { expectWork } = require('./work.js');

const { u64 } = d;

// The library says that work is done also when the device was lost on the way.
const onSubmittedWorkDone = (queue) => new Promise((resolve) => {
  expectWork(queue.device.work, queue, (token) => native.workDone(queue.handle, false, token), () => resolve());
});

const writeBuffer = (queue, buffer, offset, data, from, size) => native.writeBuffer(queue.handle, buffer.handle, offset,
  bytesOf(data, from, size, 'GPUQueue.writeBuffer()'));

const GPUQueue = defineObject('GPUQueue', {
  methods: {
    submit: {
      args: [sequence(object('GPUCommandBuffer'))],
      run: (queue, commands) => native.submit(queue.handle, commands.map((c) => c.handle)),
    },
    onSubmittedWorkDone: { run: onSubmittedWorkDone, promise: true },
    writeBuffer: { args: [object('GPUBuffer'), u64, bufferSource, preset(u64, 0), optional(u64)], run: writeBuffer },
    writeTexture: {
      args: [d.GPUTexelCopyTextureInfo, bufferSource, d.GPUTexelCopyBufferLayout, d.GPUExtent3D],
      run: (queue, destination, data, layout, extent) => { copyExtent(extent, destination); native.writeTexture(queue.handle); },
    },
    copyExternalImageToTexture: {
      args: [d.GPUCopyExternalImageSourceInfo, d.GPUCopyExternalImageDestInfo, d.GPUExtent3D],
      run: (queue) => native.writeTexture(queue.handle),
    },
  },
});

module.exports = { GPUQueue };
