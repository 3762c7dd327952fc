// SPDX-License-Identifier: Apache-2.0
//
// operators.d.ts - the operators of tensors as methods and as functions.
//
// Made by scripts/operators.js from weft/tensor_ops.def and lib/tensor/: to be made again, not edited.

import type { Axes, Tensor, TensorLike } from './tensor.js';

/** The rows of weft/tensor_ops.def. */
export interface ElementwiseOperators {
  /** -x */
  neg(): Tensor;
  /** absolute value */
  abs(): Tensor;
  /** -1, 0 or 1 */
  sign(): Tensor;
  /** e^x */
  exp(): Tensor;
  /** e^x - 1, accurate near 0 */
  expm1(): Tensor;
  /** natural logarithm */
  log(): Tensor;
  /** log(1 + x), accurate near 0 */
  log1p(): Tensor;
  /** base-2 logarithm */
  log2(): Tensor;
  /** square root */
  sqrt(): Tensor;
  /** 1 / sqrt(x) */
  rsqrt(): Tensor;
  /** 1 / x */
  reciprocal(): Tensor;
  /** x * x */
  square(): Tensor;
  /** sine of radians */
  sin(): Tensor;
  /** cosine of radians */
  cos(): Tensor;
  /** tangent of radians */
  tan(): Tensor;
  /** inverse sine */
  asin(): Tensor;
  /** inverse cosine */
  acos(): Tensor;
  /** inverse tangent */
  atan(): Tensor;
  /** hyperbolic sine */
  sinh(): Tensor;
  /** hyperbolic cosine */
  cosh(): Tensor;
  /** hyperbolic tangent */
  tanh(): Tensor;
  /** inverse hyperbolic sine */
  asinh(): Tensor;
  /** inverse hyperbolic cosine */
  acosh(): Tensor;
  /** inverse hyperbolic tangent */
  atanh(): Tensor;
  /** error function */
  erf(): Tensor;
  /** largest integer not above x */
  floor(): Tensor;
  /** smallest integer not below x */
  ceil(): Tensor;
  /** nearest integer, halves to even */
  round(): Tensor;
  /** integer part */
  trunc(): Tensor;
  /** max(x, 0), NaN stays NaN */
  relu(): Tensor;
  /** x * sigmoid(x) */
  silu(): Tensor;
  /** 1 / (1 + e^-x) */
  sigmoid(): Tensor;
  /** log(1 + e^x) */
  softplus(): Tensor;
  /** x * clip(x / 6 + 1/2, 0, 1) */
  hardSwish(): Tensor;
  /** clip(x / 6 + 1/2, 0, 1) */
  hardSigmoid(): Tensor;
  /** x * tanh(softplus(x)) */
  mish(): Tensor;
  /** x / (1 + |x|) */
  softsign(): Tensor;
  /** all bits inverted */
  bitNot(): Tensor;
  /** not x */
  logicalNot(): Tensor;
  /** x is NaN */
  isNan(): Tensor;
  /** x is an infinity */
  isInf(): Tensor;
  /** x is neither NaN nor an infinity */
  isFinite(): Tensor;
  /** a + b */
  add(b: TensorLike): Tensor;
  /** a - b */
  sub(b: TensorLike): Tensor;
  /** a * b */
  mul(b: TensorLike): Tensor;
  /** a / b; integers give f32 */
  div(b: TensorLike): Tensor;
  /** floor(a / b) */
  floorDiv(b: TensorLike): Tensor;
  /** a - floor(a / b) * b, with the sign of b */
  remainder(b: TensorLike): Tensor;
  /** a - trunc(a / b) * b, with the sign of a */
  fmod(b: TensorLike): Tensor;
  /** a^b; negative a with integral b is defined */
  pow(b: TensorLike): Tensor;
  /** the larger; NaN if either is NaN */
  maximum(b: TensorLike): Tensor;
  /** the smaller; NaN if either is NaN */
  minimum(b: TensorLike): Tensor;
  /** angle of the point (b, a) */
  atan2(b: TensorLike): Tensor;
  /** sqrt(a*a + b*b) without overflow */
  hypot(b: TensorLike): Tensor;
  /** magnitude of a with the sign of b */
  copysign(b: TensorLike): Tensor;
  /** bitwise and */
  bitAnd(b: TensorLike): Tensor;
  /** bitwise or */
  bitOr(b: TensorLike): Tensor;
  /** bitwise exclusive or */
  bitXor(b: TensorLike): Tensor;
  /** shift left; 0 for counts of 32 or more */
  shl(b: TensorLike): Tensor;
  /** shift right, arithmetic for i32; counts above 31 act as 31 */
  shr(b: TensorLike): Tensor;
  /** a == b */
  equal(b: TensorLike): Tensor;
  /** a != b */
  notEqual(b: TensorLike): Tensor;
  /** a < b */
  less(b: TensorLike): Tensor;
  /** a <= b */
  lessEqual(b: TensorLike): Tensor;
  /** a > b */
  greater(b: TensorLike): Tensor;
  /** a >= b */
  greaterEqual(b: TensorLike): Tensor;
  /** a and b */
  logicalAnd(b: TensorLike): Tensor;
  /** a or b */
  logicalOr(b: TensorLike): Tensor;
  /** a exclusive-or b */
  logicalXor(b: TensorLike): Tensor;
  /** sum; 0 of nothing */
  sum(axes?: Axes, keep?: boolean): Tensor;
  /** product; 1 of nothing */
  prod(axes?: Axes, keep?: boolean): Tensor;
  /** mean; NaN of nothing */
  mean(axes?: Axes, keep?: boolean): Tensor;
  /** largest; of nothing an error; NaN wins */
  max(axes?: Axes, keep?: boolean): Tensor;
  /** smallest; of nothing an error; NaN wins */
  min(axes?: Axes, keep?: boolean): Tensor;
  /** whether one is true */
  any(axes?: Axes, keep?: boolean): Tensor;
  /** whether all are true */
  all(axes?: Axes, keep?: boolean): Tensor;
  /** log(sum(e^x)) without overflow */
  logsumexp(axes?: Axes, keep?: boolean): Tensor;
}

/** A method of Tensor as a function: its first argument is the tensor. */
export type Operator<K extends keyof Tensor> = Tensor[K] extends (...args: infer A) => infer R ? (x: TensorLike, ...args: A) => R : never;

export const neg: Operator<'neg'>;
export const abs: Operator<'abs'>;
export const sign: Operator<'sign'>;
export const exp: Operator<'exp'>;
export const expm1: Operator<'expm1'>;
export const log: Operator<'log'>;
export const log1p: Operator<'log1p'>;
export const log2: Operator<'log2'>;
export const sqrt: Operator<'sqrt'>;
export const rsqrt: Operator<'rsqrt'>;
export const reciprocal: Operator<'reciprocal'>;
export const square: Operator<'square'>;
export const sin: Operator<'sin'>;
export const cos: Operator<'cos'>;
export const tan: Operator<'tan'>;
export const asin: Operator<'asin'>;
export const acos: Operator<'acos'>;
export const atan: Operator<'atan'>;
export const sinh: Operator<'sinh'>;
export const cosh: Operator<'cosh'>;
export const tanh: Operator<'tanh'>;
export const asinh: Operator<'asinh'>;
export const acosh: Operator<'acosh'>;
export const atanh: Operator<'atanh'>;
export const erf: Operator<'erf'>;
export const floor: Operator<'floor'>;
export const ceil: Operator<'ceil'>;
export const round: Operator<'round'>;
export const trunc: Operator<'trunc'>;
export const relu: Operator<'relu'>;
export const silu: Operator<'silu'>;
export const sigmoid: Operator<'sigmoid'>;
export const softplus: Operator<'softplus'>;
export const hardSwish: Operator<'hardSwish'>;
export const hardSigmoid: Operator<'hardSigmoid'>;
export const mish: Operator<'mish'>;
export const softsign: Operator<'softsign'>;
export const bitNot: Operator<'bitNot'>;
export const logicalNot: Operator<'logicalNot'>;
export const isNan: Operator<'isNan'>;
export const isInf: Operator<'isInf'>;
export const isFinite: Operator<'isFinite'>;
export const add: Operator<'add'>;
export const sub: Operator<'sub'>;
export const mul: Operator<'mul'>;
export const div: Operator<'div'>;
export const floorDiv: Operator<'floorDiv'>;
export const remainder: Operator<'remainder'>;
export const fmod: Operator<'fmod'>;
export const pow: Operator<'pow'>;
export const maximum: Operator<'maximum'>;
export const minimum: Operator<'minimum'>;
export const atan2: Operator<'atan2'>;
export const hypot: Operator<'hypot'>;
export const copysign: Operator<'copysign'>;
export const bitAnd: Operator<'bitAnd'>;
export const bitOr: Operator<'bitOr'>;
export const bitXor: Operator<'bitXor'>;
export const shl: Operator<'shl'>;
export const shr: Operator<'shr'>;
export const equal: Operator<'equal'>;
export const notEqual: Operator<'notEqual'>;
export const less: Operator<'less'>;
export const lessEqual: Operator<'lessEqual'>;
export const greater: Operator<'greater'>;
export const greaterEqual: Operator<'greaterEqual'>;
export const logicalAnd: Operator<'logicalAnd'>;
export const logicalOr: Operator<'logicalOr'>;
export const logicalXor: Operator<'logicalXor'>;
export const sum: Operator<'sum'>;
export const prod: Operator<'prod'>;
export const mean: Operator<'mean'>;
export const max: Operator<'max'>;
export const min: Operator<'min'>;
export const any: Operator<'any'>;
export const all: Operator<'all'>;
export const logsumexp: Operator<'logsumexp'>;
export const variance: Operator<'variance'>;
export const norm: Operator<'norm'>;
export const argmax: Operator<'argmax'>;
export const argmin: Operator<'argmin'>;
export const cumsum: Operator<'cumsum'>;
export const cumprod: Operator<'cumprod'>;
export const reshape: Operator<'reshape'>;
export const flatten: Operator<'flatten'>;
export const expand: Operator<'expand'>;
export const permute: Operator<'permute'>;
export const transpose: Operator<'transpose'>;
export const narrow: Operator<'narrow'>;
export const select: Operator<'select'>;
export const unsqueeze: Operator<'unsqueeze'>;
export const flip: Operator<'flip'>;
export const diagonal: Operator<'diagonal'>;
export const windows: Operator<'windows'>;
export const asStrided: Operator<'asStrided'>;
export const bitcast: Operator<'bitcast'>;
export const squeeze: Operator<'squeeze'>;
export const slice: Operator<'slice'>;
export const cast: Operator<'cast'>;
export const gelu: Operator<'gelu'>;
export const leakyRelu: Operator<'leakyRelu'>;
export const elu: Operator<'elu'>;
export const clip: Operator<'clip'>;
export const where: Operator<'where'>;
export const tril: Operator<'tril'>;
export const triu: Operator<'triu'>;
export const oneHot: Operator<'oneHot'>;
export const contiguous: Operator<'contiguous'>;
export const copy: Operator<'copy'>;
export const tile: Operator<'tile'>;
export const repeat: Operator<'repeat'>;
export const roll: Operator<'roll'>;
export const pad: Operator<'pad'>;
export const split: Operator<'split'>;
export const matmul: Operator<'matmul'>;
export const outer: Operator<'outer'>;
export const linear: Operator<'linear'>;
export const conv1d: Operator<'conv1d'>;
export const conv2d: Operator<'conv2d'>;
export const convTranspose: Operator<'convTranspose'>;
export const maxPool: Operator<'maxPool'>;
export const avgPool: Operator<'avgPool'>;
export const unfold: Operator<'unfold'>;
export const resize: Operator<'resize'>;
export const rope: Operator<'rope'>;
export const attention: Operator<'attention'>;
export const softmax: Operator<'softmax'>;
export const logSoftmax: Operator<'logSoftmax'>;
export const layerNorm: Operator<'layerNorm'>;
export const rmsNorm: Operator<'rmsNorm'>;
export const batchNorm: Operator<'batchNorm'>;
export const groupNorm: Operator<'groupNorm'>;
export const instanceNorm: Operator<'instanceNorm'>;
export const take: Operator<'take'>;
export const gather: Operator<'gather'>;
export const gatherNd: Operator<'gatherNd'>;
export const maskedFill: Operator<'maskedFill'>;
export const scatter: Operator<'scatter'>;
export const scatterNd: Operator<'scatterNd'>;
export const sliceUpdate: Operator<'sliceUpdate'>;
export const sort: Operator<'sort'>;
export const argsort: Operator<'argsort'>;
export const topk: Operator<'topk'>;
export const searchsorted: Operator<'searchsorted'>;
export const nonzero: Operator<'nonzero'>;
export const unique: Operator<'unique'>;
export const cholesky: Operator<'cholesky'>;
export const triangularSolve: Operator<'triangularSolve'>;
export const solve: Operator<'solve'>;
export const inv: Operator<'inv'>;
export const det: Operator<'det'>;
export const qr: Operator<'qr'>;
export const bernoulli: Operator<'bernoulli'>;
export const dropout: Operator<'dropout'>;
