// SPDX-License-Identifier: Apache-2.0
//
// tensor.js - weft-gpu/tensor: tensors, their operators, kernels and sharing.
'use strict';

const { Tensor, tensor, full, zeros, ones, scalar, arange, linspace, eye, evaluate } = require('./lib/tensor/tensor.js');
const { functions } = require('./lib/tensor/ops.js');
require('./lib/tensor/dense.js');
require('./lib/tensor/index.js');
require('./lib/tensor/math.js');
const { Kernel, kernel } = require('./lib/tensor/kernel.js');
const { scope, keep } = require('./lib/tensor/scope.js');
const { gpuDevice, fromGpuBuffer } = require('./lib/tensor/gpu.js');
const { shares } = require('./lib/tensor/share.js');

module.exports = {
  ...require('./context.js'),
  ...require('./lib/sharing/index.js'),
  ...functions,
  Tensor, tensor, full, zeros, ones, scalar, arange, linspace, eye, evaluate,
  Kernel, kernel, scope, keep, shares, gpuDevice, fromGpuBuffer,
};
