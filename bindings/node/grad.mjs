// SPDX-License-Identifier: Apache-2.0
//
// grad.mjs - the same for `import`.
import grad from './grad.js';

export const {
  V, Value, Vec2, Vec3, Vec4, Geometry, Matrix3x3, Losses, Optimizer, SGD, Adam, AdamW, GraphBuilder,
  CompiledFunctions, CompiledResiduals, CompiledResidualsGPU, GPUCompiledFunctions,
  nonlinearLeastSquares, nonlinearLeastSquaresAsync, lbfgs, lbfgsAsync,
  enableGPU, disableGPU, WebGPUContext, WGSLKernel, GPUBatchExecutor, compileToWGSL,
  parse, Parser, differentiate, computeGradients, simplify,
  generateCode, generateMathNotation, generateGradientCode, generateGradientFunction,
  NumberNode, VariableNode, BinaryOpNode, UnaryOpNode, FunctionCallNode, VectorAccessNode, VectorConstructorNode,
} = grad;
