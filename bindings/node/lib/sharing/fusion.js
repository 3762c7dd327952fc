// SPDX-License-Identifier: Apache-2.0
//
// fusion.js - which operations may run as one, and running them so.
//
// in     names of operations, tensors
// out    one result; whether a sequence fits a pattern
// knows  patterns by name
// not    kernels: tensors are lazy, and their evaluation fuses by itself
'use strict';

const { WeftError, invalid } = require('../weft-error.js');
const { fold, readOperation, operations, activations, binaries } = require('./operations.js');

const FusionPattern = Object.freeze({
  LinearActivation: 'linear_activation', ElementwiseChain: 'elementwise_chain', BinaryUnary: 'binary_unary', ReshapeOp: 'reshape_op',
  ActivationChain: 'activation_chain', NormActivation: 'norm_activation', AttentionPattern: 'attention_pattern', MatrixChain: 'matrix_chain',
  QuantizedMatmul: 'quantized_matmul', QuantizedMatmulActivation: 'quantized_matmul_activation', QuantizedAttention: 'quantized_attention', Custom: 'custom',
});

const isActivation = (op) => activations.includes(op);
const isBinary = (op) => Object.hasOwn(binaries, op);
const isReshape = (op) => ['reshape', 'flatten', 'expand_dims', 'squeeze', 'transpose'].includes(op);
const isNorm = (op) => op === 'layer_norm' || op === 'batch_norm';
const isAttention = (ops) => /^matmul( transpose)?( scale)?( mask)?( softmax| softmax_with_mask)( dropout)? matmul$/.test(ops.join(' '));

/** Whether a sequence of names is of a pattern. */
const patterns = {
  linear_activation: (ops) => ops[0] === 'matmul' && (ops.length === 2 ? ops[1] === 'add' || isActivation(ops[1]) : ops.length === 3 && ops[1] === 'add' && isActivation(ops[2])),
  elementwise_chain: (ops) => ops.every(isBinary),
  binary_unary: (ops) => ops.length === 2 && isBinary(ops[0]) && isActivation(ops[1]),
  reshape_op: (ops) => ops.length === 2 && (isReshape(ops[0]) || isReshape(ops[1])),
  activation_chain: (ops) => ops.every(isActivation),
  norm_activation: (ops) => ops.length === 2 && isNorm(ops[0]) && isActivation(ops[1]),
  attention_pattern: isAttention,
  matrix_chain: (ops) => ops.every((op) => op === 'matmul'),
  quantized_matmul: (ops, { useQuantizedWeights }) => useQuantizedWeights && ops.length === 1 && ops[0] === 'matmul',
  quantized_matmul_activation: (ops, { useQuantizedWeights }) => useQuantizedWeights && ops.length === 2 && ops[0] === 'matmul' && isActivation(ops[1]),
  quantized_attention: (ops, { useQuantizedWeights }) => useQuantizedWeights && isAttention(ops),
};

const defaults = {
  maxFusionLength: 10, enableAutoFusion: true, enabledPatterns: Object.keys(patterns), customPatterns: {}, useQuantizedWeights: false, bitsPerWeight: 4,
  useBrowserOptimizations: true, browserOptimizationType: undefined,
};
const bitWidths = [1, 2, 3, 4, 8];

/** Runs sequences of operations as one. */
class WebGPUOperationFusion {
  #custom = new Map();

  constructor(backend, config = {}) {
    this.backend = backend;
    this.config = { ...defaults, ...config };
    if (!bitWidths.includes(this.config.bitsPerWeight)) throw invalid(`bitsPerWeight is one of ${bitWidths.join(', ')}, not ${this.config.bitsPerWeight}`);
    for (const [id, ops] of Object.entries(this.config.customPatterns ?? {})) this.createFusionPattern(ops, id);
  }

  /** The pattern that a sequence of names fits, or null. */
  matchPattern(ops) {
    const names = ops.map((op) => (typeof op === 'string' ? op : op?.type));
    const { enabledPatterns, maxFusionLength } = this.config;
    if (names.length === 0 || names.length > maxFusionLength || !names.every((name) => Object.hasOwn(operations, name))) return null;
    for (const [id, custom] of this.#custom) if (custom.length === names.length && custom.every((op, i) => op === names[i])) return id;
    return enabledPatterns.find((pattern) => patterns[pattern]?.(names, this.config)) ?? null;
  }
  canFuse(ops) { return Array.isArray(ops) && this.matchPattern(ops) !== null; }

  /** Names a sequence of operations of one's own. False if it has an unknown one. */
  createFusionPattern(ops, id = undefined) {
    if (!Array.isArray(ops) || ops.length === 0 || ops.length > this.config.maxFusionLength || !ops.every((op) => Object.hasOwn(operations, op))) return false;
    this.#custom.set(id ?? `custom_${this.#custom.size}_${ops.join('_')}`, [...ops]);
    return true;
  }
  get customPatterns() { return Object.fromEntries(this.#custom); }

  /** The result of operations in a row; each takes its further operands from `inputs` in turn. */
  fuse(inputs, ops) {
    const names = ops.map((op) => readOperation(op)[0]);
    if (!this.canFuse(ops)) throw new WeftError('unsupported', `Cannot fuse operations: ${names.join(', ')}`, names.slice(0, 4));
    return fold(inputs, ops, this.config.useQuantizedWeights ? { bits: this.config.bitsPerWeight } : {});
  }
  async executeFusedOperations(inputs, ops) { return this.backend.wrap(this.fuse(inputs.map((t) => this.backend.tensorOf(t)), ops)); }
}

module.exports = { WebGPUOperationFusion, FusionPattern };
