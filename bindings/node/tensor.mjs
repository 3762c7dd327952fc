// SPDX-License-Identifier: Apache-2.0
//
// tensor.mjs - weft-gpu/tensor for `import`.
//
// Made by scripts/operators.js from weft/tensor_ops.def and lib/tensor/: to be made again, not edited.

import weft from './tensor.js';

export const {
  Context, createContext, defaultContext, setDefaultContext, whyUnavailable, WeftError, WebGPUTensorSharing,
  TensorSharingIntegration, TensorSharing, SharedTensor, SharedTensorView, SharedTensorLocation,
  SharingStatus, StorageManager, WebGPUBackend, WebGPUOperationFusion, FusionPattern, BrowserType,
  detectBrowserType, detectBrowserVersion, getBrowserCapabilities, getDefaultOptimizationSettings,
  getOptimizedShader, neg, abs, sign, exp, expm1, log, log1p, log2, sqrt, rsqrt, reciprocal, square, sin, cos,
  tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, erf, floor, ceil, round, trunc, relu, silu,
  sigmoid, softplus, hardSwish, hardSigmoid, mish, softsign, bitNot, logicalNot, isNan, isInf, isFinite, add,
  sub, mul, div, floorDiv, remainder, fmod, pow, maximum, minimum, atan2, hypot, copysign, bitAnd, bitOr,
  bitXor, shl, shr, equal, notEqual, less, lessEqual, greater, greaterEqual, logicalAnd, logicalOr,
  logicalXor, sum, prod, mean, max, min, any, all, logsumexp, variance, norm, argmax, argmin, cumsum, cumprod,
  reshape, flatten, expand, permute, transpose, narrow, select, unsqueeze, flip, diagonal, windows, asStrided,
  bitcast, squeeze, slice, cast, gelu, leakyRelu, elu, clip, where, tril, triu, oneHot, contiguous, copy,
  tile, repeat, roll, pad, split, concat, stack, matmul, outer, linear, conv1d, conv2d, convTranspose,
  maxPool, avgPool, unfold, resize, rope, einsum, attention, softmax, logSoftmax, layerNorm, rmsNorm,
  batchNorm, groupNorm, instanceNorm, take, gather, gatherNd, maskedFill, scatter, scatterNd, sliceUpdate,
  sort, argsort, topk, searchsorted, nonzero, unique, cholesky, triangularSolve, solve, inv, det, qr,
  randomBits, uniform, normal, randint, permutation, bernoulli, dropout, Tensor, tensor, full, zeros, ones,
  scalar, arange, linspace, eye, evaluate, Kernel, kernel, scope, keep, shares, gpuDevice, fromGpuBuffer,
} = weft;
