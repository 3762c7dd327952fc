// SPDX-License-Identifier: Apache-2.0
//
// index.js - tensors shared between models by name, as weft-gpu/tensor exports them.
'use strict';

const { SharedTensor, SharedTensorView, SharedTensorLocation } = require('./shared-tensor.js');
const { StorageManager } = require('./storage.js');
const { TensorSharingIntegration, SharingStatus } = require('./integration.js');
const { WebGPUBackend } = require('./backend.js');
const { WebGPUOperationFusion, FusionPattern } = require('./fusion.js');
const { WebGPUTensorSharing } = require('./webgpu.js');
const {
  BrowserType, detectBrowserType, detectBrowserVersion, getBrowserCapabilities, getDefaultOptimizationSettings, getOptimizedShader,
} = require('./browser.js');

module.exports = {
  WebGPUTensorSharing, TensorSharingIntegration, TensorSharing: TensorSharingIntegration, SharedTensor, SharedTensorView, SharedTensorLocation,
  SharingStatus, StorageManager, WebGPUBackend, WebGPUOperationFusion, FusionPattern, BrowserType, detectBrowserType, detectBrowserVersion,
  getBrowserCapabilities, getDefaultOptimizationSettings, getOptimizedShader,
};
