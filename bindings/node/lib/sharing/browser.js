// SPDX-License-Identifier: Apache-2.0
//
// browser.js - what a browser and its device can do, and shaders to suit them.
//
// in     a GPUDevice, a user agent
// out    capabilities, workgroup sizes that were measured on the device, WGSL
// knows  that the name of a browser says nothing about speed: it is reported, sizes are measured
// not    tensors
'use strict';

const { native } = require('../native.js');
const { run } = require('../job.js');
const { HANDLE } = require('../context.js');
const { WeftError } = require('../weft-error.js');
const { contextOf } = require('../tensor/gpu.js');
const shaders = require('./shaders.js');

const BrowserType = Object.freeze({ CHROME: 'chrome', FIREFOX: 'firefox', SAFARI: 'safari', EDGE: 'edge', UNKNOWN: 'unknown' });

const agents = [                    // the first that fits: Edge and Chrome call themselves Safari, too
  [BrowserType.EDGE, /\bEdg(?:e|A|iOS)?\/(\d+(?:\.\d+)*)/],
  [BrowserType.FIREFOX, /\b(?:Firefox|FxiOS)\/(\d+(?:\.\d+)*)/],
  [BrowserType.CHROME, /\b(?:Chrome|CriOS|Chromium)\/(\d+(?:\.\d+)*)/],
  [BrowserType.SAFARI, /\bVersion\/(\d+(?:\.\d+)*).*\bSafari\//],
];
const ownAgent = () => globalThis.navigator?.userAgent ?? '';

const detectBrowserType = (agent = ownAgent()) => agents.find(([, pattern]) => pattern.test(agent))?.[0] ?? BrowserType.UNKNOWN;
const detectBrowserVersion = (agent = ownAgent()) => agents.map(([, pattern]) => pattern.exec(agent)?.[1]).find(Boolean) ?? 'unknown';

// ---- workgroup sizes ----

const defaultSizes = { compute: [256, 1, 1], matrix: [8, 8, 1], elementwise: [256, 1, 1] };
const ROWS = 256, SIDE = 256, ELEMENTS = 1 << 18;

/** What is measured for each kind of operation; the first candidate is the default. */
const probes = {
  compute: {
    wgsl: shaders.softmax([256, 1, 1]), bytes: [4 * ROWS * 64, 4 * ROWS * 64], params: Uint32Array.of(64), items: [ROWS],
    candidates: [[256, 1, 1], [64, 1, 1], [32, 1, 1], [128, 1, 1]],
  },
  matrix: {
    wgsl: shaders.matmulPlain([8, 8, 1]), bytes: Array(3).fill(4 * SIDE * SIDE), params: Uint32Array.of(SIDE, SIDE, SIDE), items: [SIDE, SIDE],
    candidates: [[8, 8, 1], [16, 16, 1], [16, 8, 1], [32, 4, 1], [64, 1, 1]],
  },
  elementwise: {
    wgsl: shaders.elementwise([256, 1, 1], 'tanh'), bytes: [4 * ELEMENTS, 4 * ELEMENTS], items: [ELEMENTS],
    candidates: [[256, 1, 1], [64, 1, 1], [128, 1, 1]],
  },
};

/** The fastest workgroup size for a kind of operation on the device of a context: measured for at
 * most `limit` milliseconds the first time, then remembered. */
const tuneWorkgroupSize = (context, kind, { limit = 30, again = false } = {}) => {
  const { wgsl, bytes, params, items, candidates } = probes[kind];
  const uniform = params && new Uint8Array(params.buffer);
  return run(context, (token) => native.contextTune(context[HANDLE], `sharing.${kind}`, wgsl, bytes, uniform, items, candidates.flat(), limit * 1e6, again, token));
};

const kinds = Object.keys(probes);
const tuneAll = async (context) => {
  const sizes = { ...defaultSizes };
  for (const kind of kinds) sizes[kind] = await tuneWorkgroupSize(context, kind);
  return sizes;
};

// ---- capabilities ----

const describe = (device, context) => {
  const info = device.adapterInfo ?? {}, type = context?.device?.type ?? '';
  const isIntegrated = type ? type !== 'discrete GPU' : false;
  return { vendor: info.vendor || 'unknown', architecture: info.architecture || 'unknown', isIntegrated, hasUnifiedMemory: isIntegrated };
};

/** 1 (software drivers) to 5 (discrete GPUs). */
const tierOf = (context) => {
  const { type = '', backend = '', hardwareGpu = false } = context?.device ?? {};
  if (hardwareGpu) return type === 'discrete GPU' ? 5 : 4;
  return backend === 'cpu' ? 3 : 1;
};

/** What the device of `device` can do. Workgroup sizes are measured if it is gpuDevice() of a
 * context, else the usual ones. */
const getBrowserCapabilities = async (device) => {
  if (typeof device?.features?.has !== 'function') throw new WeftError('unsupported', 'WebGPU device not available');
  const context = contextOf(device);
  return {
    browserType: detectBrowserType(),
    version: detectBrowserVersion(),
    features: {
      storage16Bit: device.features.has('shader-f16'), storage8Bit: false, timestampQuery: device.features.has('timestamp-query'),
      indirectDispatch: true, pipelineStatistics: false, asyncPipeline: typeof device.createComputePipelineAsync === 'function',
    },
    hardware: describe(device, context),
    performanceTier: tierOf(context),
    optimalWorkgroupSize: context ? await tuneAll(context) : { ...defaultSizes },
  };
};

const getDefaultOptimizationSettings = (capabilities = undefined) => ({
  enableLoopUnrolling: true, enableMemoryCoalescing: true, enableWorkgroupMemory: capabilities?.performanceTier !== 3, enableSubgroupOps: false,
  preferPerformanceOverPrecision: false, optimizationLevel: 'balanced', useBrowserSpecificIntrinsics: false, customSettings: {},
});

/** WGSL of an operation for this device. `settings`: those of getDefaultOptimizationSettings(),
 * `workgroupSize`, and of elementwise `operation`. */
const getOptimizedShader = async (device, operation, settings = {}) => {
  const context = contextOf(device);
  const size = async (kind) => settings.workgroupSize ?? (context ? tuneWorkgroupSize(context, kind) : defaultSizes[kind]);
  const { enableWorkgroupMemory } = { ...getDefaultOptimizationSettings({ performanceTier: tierOf(context) }), ...settings };
  switch (operation) {
    case 'matmul': {
      const sizes = await size('matrix');
      const side = sizes[0] * sizes[1] >= 256 ? 16 : 8;       // 256 invocations run everywhere
      return enableWorkgroupMemory ? shaders.matmulTiled([side, side, 1]) : shaders.matmulPlain(sizes);
    }
    case 'elementwise': {
      const { operation: function_ = 'relu' } = { ...settings.customSettings, ...settings };
      if (!Object.hasOwn(shaders.expressions, function_)) throw new WeftError('unsupported', `Unsupported operation: ${function_}`);
      return shaders.elementwise(await size('elementwise'), function_);
    }
    case 'softmax': return shaders.softmax(await size('compute'));
    case 'quantize': return shaders.quantize(await size('elementwise'));
    default: throw new WeftError('unsupported', `Unsupported operation: ${operation}`);
  }
};

module.exports = {
  BrowserType, detectBrowserType, detectBrowserVersion, getBrowserCapabilities, getDefaultOptimizationSettings, getOptimizedShader, defaultSizes,
};
