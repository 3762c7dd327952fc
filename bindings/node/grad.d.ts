// SPDX-License-Identifier: Apache-2.0
//
// grad.d.ts - types of weft-gpu/grad.

/// <reference types="@webgpu/types" />
import type { Context, DeviceInfo } from './context.js';

type Scalar = Value | number;
export type BackwardFn = () => void;

/** A number that remembers how it was computed. */
export class Value {
  constructor(data: number, label?: string, requiresGrad?: boolean);
  data: number;
  grad: number;
  requiresGrad: boolean;
  label: string;
  paramName?: string;
  /** The arguments that it was computed from. */
  prev: Value[];
  _op?: string;
  readonly _id: number;
  static no_grad_mode: boolean;
  static currentBuilder: GraphBuilder | null;

  add(other: Scalar): Value; sub(other: Scalar): Value; mul(other: Scalar): Value; div(other: Scalar): Value;
  pow(exponent: number): Value; powValue(other: Scalar): Value; mod(other: Scalar): Value;
  min(other: Scalar): Value; max(other: Scalar): Value; clamp(min: number, max: number): Value;
  abs(): Value; exp(): Value; log(): Value; neg(): Value; sign(): Value; floor(): Value; ceil(): Value; round(): Value;
  square(): Value; cube(): Value; reciprocal(): Value;
  sin(): Value; cos(): Value; tan(): Value; asin(): Value; acos(): Value; atan(): Value;
  relu(): Value; softplus(): Value; tanh(): Value; sigmoid(): Value;
  eq(other: Scalar): Value; neq(other: Scalar): Value; gt(other: Scalar): Value; lt(other: Scalar): Value;
  gte(other: Scalar): Value; lte(other: Scalar): Value;

  /** Adds the derivatives of this to the grad of everything it was computed from. */
  backward(zeroGrad?: boolean): void;
  toString(): string;
  getForwardCode(childCodes: string[]): string;
  getBackwardCode(gradVar: string, childGrads: string[], childVars: string[]): string;

  static sum(values: Value[]): Value;
  static mean(values: Value[]): Value;
  static withNoGrad<T>(fn: () => T): T;
  static zeroGradAll(values: Value[]): void;
  static zeroGradTree(root: Value): void;
  static make(data: number, left: Value, right: Value | null, backward: (out: Value) => BackwardFn, label: string, op?: string): Value;
  static makeNary(data: number, inputs: Value[], backward: (out: Value) => BackwardFn, label: string, op?: string): Value;
}

/** Operators on values and numbers. */
export class V {
  static C(value: number, label?: string): Value;
  static W(value: number, label?: string): Value;
  static Param(value: number, paramName: string): Value;
  static add(a: Scalar, b: Scalar): Value; static sub(a: Scalar, b: Scalar): Value; static mul(a: Scalar, b: Scalar): Value;
  static div(a: Scalar, b: Scalar, eps?: number): Value;
  static pow(a: Scalar, exponent: number): Value; static powValue(a: Scalar, b: Scalar, eps?: number): Value;
  static mod(a: Scalar, b: Scalar): Value; static min(a: Scalar, b: Scalar): Value; static max(a: Scalar, b: Scalar): Value;
  static abs(a: Scalar): Value; static exp(a: Scalar): Value; static log(a: Scalar, eps?: number): Value; static sqrt(a: Scalar): Value;
  static floor(a: Scalar): Value; static ceil(a: Scalar): Value; static round(a: Scalar): Value; static sign(a: Scalar): Value;
  static square(a: Scalar): Value; static cube(a: Scalar): Value; static reciprocal(a: Scalar, eps?: number): Value;
  static clamp(a: Scalar, min: number, max: number): Value; static neg(a: Scalar): Value;
  static sum(values: Scalar[]): Value; static mean(values: Scalar[]): Value;
  static sin(x: Scalar): Value; static cos(x: Scalar): Value; static tan(x: Scalar): Value;
  static asin(x: Scalar): Value; static acos(x: Scalar): Value; static atan(x: Scalar): Value;
  static relu(x: Scalar): Value; static softplus(x: Scalar): Value; static tanh(x: Scalar): Value; static sigmoid(x: Scalar): Value;
  static eq(a: Scalar, b: Scalar): Value; static neq(a: Scalar, b: Scalar): Value; static gt(a: Scalar, b: Scalar): Value;
  static lt(a: Scalar, b: Scalar): Value; static gte(a: Scalar, b: Scalar): Value; static lte(a: Scalar, b: Scalar): Value;
  static ifThenElse(condition: Scalar, then: Scalar, otherwise: Scalar): Value;
  static nonlinearLeastSquares(params: Value[], residuals: Residuals, options?: NonlinearLeastSquaresOptions): NonlinearLeastSquaresResult;
  static nonlinearLeastSquaresAsync(params: Value[], residuals: Residuals, options?: NonlinearLeastSquaresOptions): Promise<NonlinearLeastSquaresResult>;
  static compileObjective(params: Value[], objective: (params: Value[]) => Value, options?: CompileOptions): CompiledResiduals;
}

// ---- vectors ----

export class Vec2 {
  constructor(x: Scalar, y: Scalar);
  x: Value; y: Value;
  static W(x: number, y: number): Vec2; static C(x: number, y: number): Vec2; static zero(): Vec2; static one(): Vec2;
  static dot(a: Vec2, b: Vec2): Value; static cross(a: Vec2, b: Vec2): Value;
  static distanceToLine(point: Vec2, lineStart: Vec2, lineEnd: Vec2): Value; static angleBetween(a: Vec2, b: Vec2): Value;
  readonly magnitude: Value; readonly sqrMagnitude: Value; readonly normalized: Vec2; readonly perpendicular: Vec2; readonly trainables: Value[];
  add(other: Vec2): Vec2; sub(other: Vec2): Vec2; mul(scalar: Scalar): Vec2; div(scalar: Scalar): Vec2;
  toString(): string;
}

export class Vec3 {
  constructor(x: Scalar, y: Scalar, z: Scalar);
  x: Value; y: Value; z: Value;
  static W(x: number, y: number, z: number): Vec3; static C(x: number, y: number, z: number): Vec3; static zero(): Vec3; static one(): Vec3;
  static fromData(x: number, y: number, z: number): Vec3;
  static dot(a: Vec3, b: Vec3): Value; static cross(a: Vec3, b: Vec3): Vec3; static angleBetween(a: Vec3, b: Vec3): Value;
  static project(a: Vec3, b: Vec3): Vec3; static reject(a: Vec3, b: Vec3): Vec3; static lerp(a: Vec3, b: Vec3, t: Scalar): Vec3;
  static min(a: Vec3, b: Vec3): Vec3; static max(a: Vec3, b: Vec3): Vec3;
  static distance(a: Vec3, b: Vec3): Value; static sqrDistance(a: Vec3, b: Vec3): Value;
  readonly magnitude: Value; readonly sqrMagnitude: Value; readonly normalized: Vec3; readonly trainables: Value[];
  normalizedCustomGrad(): Vec3;
  add(other: Vec3): Vec3; sub(other: Vec3): Vec3; mul(scalar: Scalar): Vec3; div(scalar: Scalar): Vec3;
  clone(): Vec3; toArray(): number[]; toString(): string;
}

/** A quaternion: w first. */
export class Vec4 {
  constructor(w: Scalar, x: Scalar, y: Scalar, z: Scalar);
  w: Value; x: Value; y: Value; z: Value;
  static W(w: number, x: number, y: number, z: number): Vec4; static C(w: number, x: number, y: number, z: number): Vec4;
  static zero(): Vec4; static identity(): Vec4; static fromData(w: number, x: number, y: number, z: number): Vec4;
  static dot(a: Vec4, b: Vec4): Value;
  readonly magnitude: Value; readonly sqrMagnitude: Value; readonly normalized: Vec4; readonly trainables: Value[];
  normalizedCustomGrad(): Vec4;
  add(other: Vec4): Vec4; sub(other: Vec4): Vec4; mul(scalar: Scalar): Vec4; div(scalar: Scalar): Vec4;
  clone(): Vec4; toArray(): [number, number, number, number]; toString(): string;
}

export class Geometry {
  static triangleNormal(a: Vec3, b: Vec3, c: Vec3): Vec3;
  static triangleArea(a: Vec3, b: Vec3, c: Vec3): Value;
  static interiorAngle(a: Vec3, b: Vec3, c: Vec3): Value;
  static angleDefect(center: Vec3, neighbors: Vec3[]): Value;
  static centroid(points: Vec3[]): Vec3;
  static average(vectors: Vec3[]): Vec3;
  static vertexNormal(center: Vec3, triangles: [Vec3, Vec3, Vec3][]): Vec3;
  static projectToPlane(point: Vec3, planePoint: Vec3, planeNormal: Vec3): Vec3;
  static distanceToPlane(point: Vec3, planePoint: Vec3, planeNormal: Vec3): Value;
  static normalCoplanarity(normals: Vec3[]): Value;
  static dihedralAngle(n1: Vec3, n2: Vec3): Value;
  static boundingBox(points: Vec3[]): { min: Vec3; max: Vec3 };
}

export class Matrix3x3 {
  static smallestEigenvalue(c00: Value, c01: Value, c02: Value, c11: Value, c12: Value, c22: Value): Value;
  static smallestEigenvalueCustomGrad(c00: Value, c01: Value, c02: Value, c11: Value, c12: Value, c22: Value): Value;
}

// ---- compiled functions ----

export interface CompileOptions {
  /** 'cpu' (default): the CPU device, in f64. 'gpu': a hardware GPU, or the CPU device where there is
   * none. 'auto': a hardware GPU with f64, else the CPU device. 'vulkan': any Vulkan driver. */
  backend?: 'cpu' | 'gpu' | 'auto' | 'vulkan' | Context;
  /** Most instances in one dispatch. Default: all. */
  batchSize?: number;
  /** Fewer instances are evaluated without a dispatch. 0: never. Default: measured. */
  fallbackThreshold?: number;
  /** Of kernels. Default: f64 where the device has it, else mixed: f32 with sums in f64. */
  precision?: 'f64' | 'f32' | 'mixed';
}
export type CompileProgress = (current: number, total: number, percent: number) => void;
export interface CompileAsyncOptions extends CompileOptions { chunkSize?: number; onProgress?: CompileProgress }

export interface BatchInfo { count: number; inputs: number; immediate: boolean; reason: string }
export interface SumWithGradient { value: number; gradient: number[] }
export interface ResidualsAndJacobian { residuals: number[]; J: number[][]; cost: number }

declare class Compiled {
  protected constructor();
  readonly numFunctions: number;
  readonly numResiduals: number;
  /** Different topologies. */
  readonly kernelCount: number;
  readonly kernelReuseFactor: number;
  readonly backend: string;
  readonly backendReason: string;
  readonly precision: 'f64' | 'f32' | 'mixed';
  readonly context: Context;
  readonly batches: BatchInfo[];
}

declare class CompiledNow extends Compiled {
  evaluate(params: Value[]): ResidualsAndJacobian;
  evaluateAsync(params: Value[]): Promise<ResidualsAndJacobian>;
  evaluateSumWithGradient(params: Value[]): SumWithGradient;
  evaluateSumWithGradientAsync(params: Value[]): Promise<SumWithGradient>;
}

type Functions = (params: Value[]) => Value[];

export class CompiledFunctions extends CompiledNow {
  private constructor();
  static compile(params: Value[], functions: Functions, options?: CompileOptions): CompiledFunctions;
  static compileAsync(params: Value[], functions: Functions, chunkSize?: number, onProgress?: CompileProgress, options?: CompileOptions): Promise<CompiledFunctions>;
  static compileAsync(params: Value[], functions: Functions, options: CompileAsyncOptions): Promise<CompiledFunctions>;
  evaluateGradient(params: Value[]): SumWithGradient;
  evaluateGradientAsync(params: Value[]): Promise<SumWithGradient>;
  evaluateJacobian(params: Value[]): { values: number[]; jacobian: number[][] };
  evaluateJacobianAsync(params: Value[]): Promise<{ values: number[]; jacobian: number[][] }>;
}

export class CompiledResiduals extends CompiledNow {
  protected constructor();
  static compile(params: Value[], residuals: Functions, options?: CompileOptions): CompiledResiduals;
  static compileAsync(params: Value[], residuals: Functions, chunkSize?: number, onProgress?: CompileProgress, options?: CompileOptions): Promise<CompiledResiduals>;
  static compileAsync(params: Value[], residuals: Functions, options: CompileAsyncOptions): Promise<CompiledResiduals>;
}

/** CompiledResiduals whose backend is 'gpu' unless told otherwise. */
export class CompiledResidualsGPU extends CompiledResiduals {
  static compile(params: Value[], residuals: Functions, options?: CompileOptions): CompiledResidualsGPU;
}

/** CompiledFunctions on a GPU; all calls are promises. */
export class GPUCompiledFunctions extends Compiled {
  private constructor();
  static compile(params: Value[], functions: Functions, options?: CompileAsyncOptions): Promise<GPUCompiledFunctions>;
  evaluate(params: Value[]): Promise<ResidualsAndJacobian>;
  evaluateSumWithGradient(params: Value[]): Promise<SumWithGradient>;
  evaluateGradient(params: Value[]): Promise<SumWithGradient>;
  evaluateJacobian(params: Value[]): Promise<{ values: number[]; jacobian: number[][] }>;
}

/** What is compiled from now on runs on a GPU, if there is one. */
export function enableGPU(options?: CompileOptions): DeviceInfo;
export function disableGPU(): void;

// ---- solvers ----

export type Residuals = ((params: Value[]) => Value[]) | CompiledResiduals | CompiledFunctions;

export interface NonlinearLeastSquaresOptions {
  maxIterations?: number; costTolerance?: number; paramTolerance?: number; gradientTolerance?: number;
  lineSearchSteps?: number; initialDamping?: number; adaptiveDamping?: boolean;
  dampingIncreaseFactor?: number; dampingDecreaseFactor?: number; maxInnerIterations?: number;
  useQR?: boolean; trustRegionRadius?: number; verbose?: boolean;
}
export interface NonlinearLeastSquaresResult {
  success: boolean; iterations: number; finalCost: number; convergenceReason: string;
  /** Milliseconds. */
  computationTime: number;
}
export function nonlinearLeastSquares(params: Value[], residuals: Residuals, options?: NonlinearLeastSquaresOptions): NonlinearLeastSquaresResult;
export function nonlinearLeastSquaresAsync(params: Value[], residuals: Residuals, options?: NonlinearLeastSquaresOptions): Promise<NonlinearLeastSquaresResult>;

export interface LBFGSOptions {
  maxIterations?: number; costTolerance?: number; gradientTolerance?: number; historySize?: number;
  maxLineSearchSteps?: number; c1?: number; c2?: number; initialStepSize?: number; verbose?: boolean;
  onStepAccepted?: () => void;
}
export interface LBFGSResult extends NonlinearLeastSquaresResult { functionEvaluations: number }
export type Objective = ((params: Value[]) => Value) | CompiledResiduals | CompiledFunctions;
export function lbfgs(params: Value[], objective: Objective, options?: LBFGSOptions): LBFGSResult;
export function lbfgsAsync(params: Value[], objective: Objective, options?: LBFGSOptions): Promise<LBFGSResult>;

export interface OptimizerOptions { learningRate?: number; weightDecay?: number; gradientClip?: number }
export interface AdamOptions extends OptimizerOptions { beta1?: number; beta2?: number; epsilon?: number }
export abstract class Optimizer {
  constructor(trainables: Value[], learningRate: number);
  protected trainables: Value[];
  learningRate: number;
  abstract step(): void;
  abstract resetStateFor(trainable: Value): void;
  zeroGrad(): void;
  clipGradients(maxNorm: number): void;
}
export class SGD extends Optimizer {
  constructor(trainables: Value[], options?: OptimizerOptions);
  step(): void;
  resetStateFor(trainable: Value): void;
}
export class Adam extends Optimizer {
  constructor(trainables: Value[], options?: AdamOptions);
  step(): void;
  resetStateFor(trainable: Value): void;
}
export class AdamW extends Adam {}

export class Losses {
  static EPS: number;
  static mse(outputs: Value[], targets: Value[]): Value;
  static mae(outputs: Value[], targets: Value[]): Value;
  static binaryCrossEntropy(outputs: Value[], targets: Value[]): Value;
  static categoricalCrossEntropy(outputs: Value[], targets: number[]): Value;
  static huber(outputs: Value[], targets: Value[], delta?: number): Value;
  static tukey(outputs: Value[], targets: Value[], c?: number): Value;
}

// ---- graphs and kernels ----

export interface GraphSignature { hash: string; leaves: Value[]; leafIndexMap: Map<Value, number> }
export class GraphBuilder {
  constructor(knownParams?: Value[]);
  recordOp(value: Value): void;
  build(fn: () => Value): { output: Value; signature: GraphSignature };
  getCurrentSignature(): Partial<GraphSignature>;
}

/** The kernel of a value in f32: inputs and results of the first instance first. */
export function compileToWGSL(output: Value): { wgslCode: string; graphInputs: Value[]; nodeToVar: Map<Value, string> };
export class WGSLKernel {
  constructor(device: GPUDevice, wgslCode: string, graphInputs: Value[]);
  execute(batchInputs: Float32Array | number[], batchSize: number): Promise<Float32Array>;
}
type Numbers = Float64Array | Float32Array | number[];
/** One graph for many instances; its inputs are the leaves with derivatives. */
export class GPUBatchExecutor {
  constructor(output: Value, options?: CompileOptions & { inputs?: Value[] });
  readonly graphInputs: Value[];
  readonly backend: string;
  readonly precision: 'f64' | 'f32' | 'mixed';
  readonly info: BatchInfo | undefined;
  execute(batchInputs: Numbers, batchSize?: number): Float64Array;
  executeAsync(batchInputs: Numbers, batchSize?: number): Promise<Float64Array>;
  executeWithGradient(batchInputs: Numbers, batchSize?: number): { values: Float64Array; gradients: Float64Array };
  executeWithGradientAsync(batchInputs: Numbers, batchSize?: number): Promise<{ values: Float64Array; gradients: Float64Array }>;
}
export class WebGPUContext {
  private constructor();
  static getInstance(): WebGPUContext;
  static isAvailable(): boolean;
  static reset(): void;
  initialize(powerPreference?: 'low-power' | 'high-performance'): Promise<void>;
  readonly adapter: GPUAdapter;
  readonly device: GPUDevice;
  readonly queue: GPUQueue;
  destroy(): void;
}

// ---- formulas ----

export interface ASTVisitor<T> {
  visitNumber(node: NumberNode): T; visitVariable(node: VariableNode): T; visitBinaryOp(node: BinaryOpNode): T;
  visitUnaryOp(node: UnaryOpNode): T; visitFunctionCall(node: FunctionCallNode): T;
  visitVectorAccess(node: VectorAccessNode): T; visitVectorConstructor(node: VectorConstructorNode): T;
}
export interface ASTNode { type: string; accept<T>(visitor: ASTVisitor<T>): T; toString(): string }
declare class Node<Type extends string> implements ASTNode { readonly type: Type; accept<T>(visitor: ASTVisitor<T>): T; toString(): string }
export class NumberNode extends Node<'Number'> { constructor(value: number); value: number }
export class VariableNode extends Node<'Variable'> { constructor(name: string); name: string }
export class BinaryOpNode extends Node<'BinaryOp'> {
  constructor(op: '+' | '-' | '*' | '/' | '**' | 'pow', left: ASTNode, right: ASTNode);
  op: '+' | '-' | '*' | '/' | '**' | 'pow'; left: ASTNode; right: ASTNode;
}
export class UnaryOpNode extends Node<'UnaryOp'> { constructor(op: '+' | '-', operand: ASTNode); op: '+' | '-'; operand: ASTNode }
export class FunctionCallNode extends Node<'FunctionCall'> { constructor(name: string, args: ASTNode[]); name: string; args: ASTNode[] }
export class VectorAccessNode extends Node<'VectorAccess'> { constructor(vector: ASTNode, component: 'x' | 'y' | 'z'); vector: ASTNode; component: 'x' | 'y' | 'z' }
export class VectorConstructorNode extends Node<'VectorConstructor'> {
  constructor(vectorType: 'Vec2' | 'Vec3', components: ASTNode[]);
  vectorType: 'Vec2' | 'Vec3'; components: ASTNode[];
}
export interface Assignment { variable: string; expression: ASTNode }
export interface Program { assignments: Assignment[]; output: string }
export interface CodeGenOptions { includeMath?: boolean; varStyle?: 'const' | 'let' | 'var'; includeForward?: boolean; indent?: string }

export function parse(text: string): Program;
export class Parser { constructor(text: string); parseProgram(): Program }
export function differentiate(node: ASTNode, wrt: string): ASTNode;
export function computeGradients(program: Program, parameters: string[]): Map<string, ASTNode>;
export function simplify(node: ASTNode): ASTNode;
export function generateCode(node: ASTNode): string;
export function generateMathNotation(node: ASTNode): string;
export function generateGradientCode(program: Program, gradients: Map<string, ASTNode>, options?: CodeGenOptions): string;
export function generateGradientFunction(program: Program, gradients: Map<string, ASTNode>, functionName: string, parameters: string[], options?: CodeGenOptions): string;
