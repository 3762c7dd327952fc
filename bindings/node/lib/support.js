// SPDX-License-Identifier: Apache-2.0
//
// support.js - what adapters and devices can do: features, limits, identity.
//
// in     lists of the addon
// out    GPUSupportedFeatures, WGSLLanguageFeatures, GPUSupportedLimits, GPUAdapterInfo
// knows  the order of the lists
// not    who has them
'use strict';

const { defineInterface, create, addSetlike } = require('./webidl.js');
const { native } = require('./native.js');
const { featureName, languageFeatureName } = require('./enums.js');

const GPUSupportedFeatures = defineInterface('GPUSupportedFeatures', {});
addSetlike(GPUSupportedFeatures);

const WGSLLanguageFeatures = defineInterface('WGSLLanguageFeatures', {});
addSetlike(WGSLLanguageFeatures);

const limitNames = native.limitNames();
const limitIndex = new Map(limitNames.map((name, i) => [name, i]));

const GPUSupportedLimits = defineInterface('GPUSupportedLimits', {
  attributes: Object.fromEntries(limitNames.map((name, i) => [name, (state) => state.values[i]])),
});

const identity = ['vendor', 'architecture', 'device', 'description', 'subgroupMinSize', 'subgroupMaxSize'];
const CPU = 3;          // WGPUAdapterType_CPU

const GPUAdapterInfo = defineInterface('GPUAdapterInfo', {
  attributes: {
    ...Object.fromEntries(identity.map((name, i) => [name, (state) => state.values[i]])),
    isFallbackAdapter: (state) => state.values[identity.length] === CPU,
  },
});

// What webgpu.h of a later day may have is left out, as it has no name here.
const names = (codes, name) => new Set(codes.map(name).filter((n) => n !== undefined));

const features = (codes) => create('GPUSupportedFeatures', { set: names(codes, featureName) });
const languageFeatures = (codes) => create('WGSLLanguageFeatures', { set: names(codes, languageFeatureName) });
const limits = (values) => create('GPUSupportedLimits', { values });

// The first three are identifiers: words of a-z and 0-9 with single dashes between them.
const identifier = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
const info = ([vendor, architecture, device, ...rest]) => create('GPUAdapterInfo', {
  values: [...[vendor, architecture, device].map(identifier), ...rest],
});

module.exports = {
  GPUSupportedFeatures, WGSLLanguageFeatures, GPUSupportedLimits, GPUAdapterInfo,
  limitNames, limitIndex, features, languageFeatures, limits, info,
};
