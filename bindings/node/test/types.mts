// SPDX-License-Identifier: Apache-2.0
//
// types.mts - a program that the compiler of TypeScript has to accept; the lines that it must
// refuse are marked. types.sh compiles it as an ES module and as CommonJS.
import {
  add, arange, concat, createContext, fromGpuBuffer, gpuDevice, kernel, matmul, scope, shares, sum, tensor, topk, WeftError, zeros, Tensor,
  TensorSharingIntegration, WebGPUTensorSharing, WebGPUBackend, StorageManager, getBrowserCapabilities, SharedTensorLocation,
} from 'weft-gpu/tensor';
import type { ContextOptions, DType, TypedArray, BrowserCapabilities } from 'weft-gpu/tensor';
import { Adam, CompiledResiduals, CompiledResidualsGPU, GPUBatchExecutor, V, Value, Vec3, enableGPU, lbfgsAsync, nonlinearLeastSquares, parse } from 'weft-gpu/grad';
import type { LBFGSResult, NonlinearLeastSquaresResult } from 'weft-gpu/grad';
import { openStore } from 'weft-gpu/store';
import { Model, WasmModel } from 'weft-gpu/model';
import type { Answer, GenerateOptions, Message } from 'weft-gpu/model';
import { createPool, execute } from 'weft-gpu/pool';
import { defaultContext } from 'weft-gpu/context';

const options: ContextOptions = { adapter: 'cpu', memoryBudget: Infinity, log: (topic, message) => `${topic} ${message}` };
const context = await createContext(options);
const t: Tensor = tensor([[1, 2], [3, 4]], { dtype: 'f32', context });
const data: TypedArray = await t.matmul(tensor([[1], [1]])).relu().add(1).data();
const type: DType = t.dtype;
const total: number | boolean | bigint = await sum(t, [0, 1], true).item();
const { values, indices } = topk(t, 1);
const parts: Tensor[] = t.split([1, 1], 1);
const same: Tensor = add(matmul(t, t), concat([t, zeros([2, 2])], 0).slice([0, 2])).cast('float16').softmax();
const kept: { a: Tensor } = scope(() => ({ a: arange(3, 'i32') }));
const later: Promise<Tensor> = scope(async () => t.mul(2));
const { out } = kernel({ wgsl: '', inputs: ['a'], outputs: { out: { shape: [2] } } }).run({ a: t }, { groups: [1] });
shares(context).grant('a', 'b', 'c');
const buffer: GPUBuffer = t.gpuBuffer().buffer;
fromGpuBuffer(gpuDevice(context).createBuffer({ size: 16, usage: 128 }), { shape: [4] });
const store = openStore('x.safetensors');
await store.put('a', t);
t.conv2d(t, null, { stride: [1, 2], activation: 'gelu' }).maxPool({ size: 2 }).attention(t, t, { causal: true });

const asked: GenerateOptions = { max_tokens: 8, temperature: 0, top_p: 0.9, top_k: 40, repetition_penalty: 1.1, stop: ['x'], json_schema: {} };
const model: Model = await Model.load('x.gguf', { adapter: 'cpu', cache: 'q8_0', progress: (done, all) => done / all });
for await (const piece of model.generate('a', asked)) piece.toUpperCase();
const spoken: string = await model.chat([{ role: 'user', content: 'a' } satisfies Message], { template: 'chatml', signal: new AbortController().signal });
const answer: Answer = await model.generate('a').result;
const vector: Float32Array = await model.embed('a', { pooling: 'mean' });
const vectors: Float32Array[] = await model.embed(['a', 'b']);
const ids: Int32Array = model.tokenize('a');
const wasm: WasmModel = await WasmModel.new(new Uint8Array(4));
wasm.set_config(100, 0.7, 0.9, 40, 1.1);
if (await wasm.has_gpu()) await wasm.enable_gpu();
const streamed: string = await new WasmModel(new ArrayBuffer(4)).generate_stream('a', (piece) => piece !== '.');
model.dispose();

const sharing = new TensorSharingIntegration({ enablePersistence: false });
const gpu = new WebGPUTensorSharing(sharing, { priorityMode: 'memory', webgpuBackend: new WebGPUBackend({ context }), storageManager: new StorageManager() });
const name: string = await gpu.matmul('a', 'm', 'b', 'm', 'c', 'm', false, true);
const outputs: Record<string, string> = await gpu.executeCustomShader('s', { a: { tensorName: 'a', modelName: 'm' } }, { r: { tensorName: 'r', shape: [1], dataType: 'float32' } }, 'm');
const capabilities: BrowserCapabilities = await getBrowserCapabilities(gpuDevice());
const location: SharedTensorLocation = (await sharing.getSharedTensor('a'))?.location ?? SharedTensorLocation.CPU;
if ((new Error() as unknown) instanceof WeftError) throw new WeftError('shape', 'no', ['a']);

const { outputs: { y }, report } = await execute({ wgsl: '', inputs: { x: Float32Array.of(1), n: 3 }, outputs: { y: { type: 'f32', shape: [1] } } });
const floats: Float32Array = y, milliseconds: number = report.totalMs;
const filled: Int32Array = (await createPool({ adapters: ['cpu'] })).context().executeSync({ wgsl: '', outputs: { z: new Int32Array(2) } }).outputs.z;

// @ts-expect-error: not a type of kernels
execute({ wgsl: '', outputs: { y: 'f31' } });
const weights: Value[] = [V.W(1), V.W(2)];
const compiled: CompiledResiduals = CompiledResiduals.compile(weights, ([a, b]) => [V.sub(a, V.mul(b, 2))], { backend: 'gpu', batchSize: 1024, fallbackThreshold: 10 });
const solved: NonlinearLeastSquaresResult = nonlinearLeastSquares(weights, compiled, { useQR: true });
const least: LBFGSResult = await lbfgsAsync(weights, CompiledResidualsGPU.compile(weights, (p) => [p[0].square()]));
const slopes: Float64Array = new GPUBatchExecutor(Vec3.W(1, 2, 3).normalized.x).executeWithGradient([1, 2, 3]).gradients;
new Adam(weights, { beta1: 0.8 }).step();
const formula: string = `${enableGPU().name} ${parse('x + 1').output} ${J(compiled)}`;
function J(c: CompiledResiduals): number { return c.evaluate(weights).J[0][0]; }
// @ts-expect-error: no such backend
CompiledResiduals.compile(weights, () => [], { backend: 'tpu' });
// @ts-expect-error: not a value
V.add('x', 1);

// @ts-expect-error: there is no such type
tensor([1], 'float31');
// @ts-expect-error: no such option
model.generate('a', { max_token: 1 });
// @ts-expect-error: tensors are made by functions
new Tensor();
// @ts-expect-error: no such activation
t.linear(t, t, { activation: 'rely' });
// @ts-expect-error: not a tensor
t.add('x');
// @ts-expect-error: no such kind
new WeftError('bad', 'x');

export { spoken, answer, vector, vectors, ids, streamed, data, type, total, values, indices, parts, same, kept, later, out, buffer, name, outputs, capabilities, location, defaultContext, floats, milliseconds, filled, solved, least, slopes, formula };
