// SPDX-License-Identifier: Apache-2.0
//
// grad.js - weft-gpu/grad: scalars with gradients, compiled functions, solvers. The names are those of
// ScalarAutograd, so that one import changes.
'use strict';

const { V, Value } = require('./lib/grad/v.js');
const { Vec2, Vec3, Vec4 } = require('./lib/grad/vec.js');
const { Geometry, Matrix3x3 } = require('./lib/grad/geometry.js');
const { Losses } = require('./lib/grad/losses.js');
const { Optimizer, SGD, Adam, AdamW } = require('./lib/grad/optimizers.js');
const { GraphBuilder } = require('./lib/grad/graph-builder.js');
const { CompiledFunctions, CompiledResiduals, CompiledResidualsGPU, GPUCompiledFunctions } = require('./lib/grad/compiled.js');
const { nonlinearLeastSquares, nonlinearLeastSquaresAsync } = require('./lib/grad/least-squares.js');
const { lbfgs, lbfgsAsync } = require('./lib/grad/lbfgs.js');
const { enableGPU, disableGPU } = require('./lib/grad/device.js');
const { WebGPUContext, WGSLKernel, GPUBatchExecutor, compileToWGSL } = require('./lib/grad/gpu.js');
const ast = require('./lib/grad/symbolic/ast.js');
const { Parser, parse } = require('./lib/grad/symbolic/parser.js');
const { differentiate, computeGradients } = require('./lib/grad/symbolic/derive.js');
const { simplify } = require('./lib/grad/symbolic/simplify.js');
const { generateCode, generateMathNotation, generateGradientCode, generateGradientFunction } = require('./lib/grad/symbolic/codegen.js');

const { NumberNode, VariableNode, BinaryOpNode, UnaryOpNode, FunctionCallNode, VectorAccessNode, VectorConstructorNode } = ast;

module.exports = {
  V, Value, Vec2, Vec3, Vec4, Geometry, Matrix3x3, Losses, Optimizer, SGD, Adam, AdamW, GraphBuilder,
  CompiledFunctions, CompiledResiduals, CompiledResidualsGPU, GPUCompiledFunctions,
  nonlinearLeastSquares, nonlinearLeastSquaresAsync, lbfgs, lbfgsAsync,
  enableGPU, disableGPU, WebGPUContext, WGSLKernel, GPUBatchExecutor, compileToWGSL,
  parse, Parser, differentiate, computeGradients, simplify,
  generateCode, generateMathNotation, generateGradientCode, generateGradientFunction,
  NumberNode, VariableNode, BinaryOpNode, UnaryOpNode, FunctionCallNode, VectorAccessNode, VectorConstructorNode,
};
