// SPDX-License-Identifier: Apache-2.0
//
// errors.test.mjs - errors reach who should have them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { globals, open, program, usage } from './fixture.mjs';

const wrong = (device) => device.createBuffer({ size: 4, usage: 0 });

test('a scope takes the first error of its kind', async () => {
  const device = await open();
  device.pushErrorScope('validation');
  device.pushErrorScope('out-of-memory');
  wrong(device);
  wrong(device);
  assert.equal(await device.popErrorScope(), null);
  const error = await device.popErrorScope();
  assert.ok(error instanceof globals.GPUValidationError && error instanceof globals.GPUError);
  assert.match(error.message, /usage/);
  await assert.rejects(device.popErrorScope(), { name: 'OperationError' });
  assert.throws(() => device.pushErrorScope('hunger'), TypeError);
});

test('other errors are events, in order, for listeners and for the attribute', async () => {
  const device = await open();
  const heard = [];
  device.addEventListener('uncapturederror', (event) => heard.push(['listener', event instanceof globals.GPUUncapturedErrorEvent, event.target === device]));
  device.onuncapturederror = function (event) { heard.push(['attribute', this === device, event.error.message.length > 0]); };
  wrong(device);
  await device.queue.onSubmittedWorkDone();
  assert.deepEqual(heard, [['listener', true, true], ['attribute', true, true]]);
  device.onuncapturederror = 5;
  assert.equal(device.onuncapturederror, null);
});

test('an error without a listener becomes a warning of the process', async () => {
  const { err, status } = await program(`
    import { create } from 'weft-gpu';
    const device = await (await create({ cache: 'memory' }).requestAdapter()).requestDevice();
    device.createBuffer({ size: 4, usage: 0 });
  `);
  assert.equal(status, 0);
  assert.match(err, /GPUValidationError: buffer: the usage is empty/);
});

test('an error in a listener is an uncaught exception, and others still hear', async () => {
  const { out, status } = await program(`
    import { create } from 'weft-gpu';
    process.on('uncaughtException', (error) => console.log('caught', error.message));
    const device = await (await create({ cache: 'memory' }).requestAdapter()).requestDevice();
    device.onuncapturederror = () => { throw new Error('mine'); };
    device.addEventListener('uncapturederror', () => console.log('heard'));
    device.createBuffer({ size: 4, usage: 0 });
  `);
  assert.equal(status, 0);
  assert.deepEqual(out.split('\n').sort(), ['', 'caught mine', 'heard']);
});

test('pipelines that cannot be are GPUPipelineErrors', async () => {
  const device = await open();
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ code: '@compute @workgroup_size(1) fn main() {}' });
  await assert.rejects(device.createComputePipelineAsync({ layout: 'auto', compute: { module, entryPoint: 'other' } }), (error) => {
    assert.ok(error instanceof globals.GPUPipelineError && error instanceof DOMException && error instanceof Error);
    assert.deepEqual([error.name, error.reason], ['GPUPipelineError', 'validation']);
    return true;
  });
  assert.equal(await device.popErrorScope(), null);
  await assert.rejects(device.createComputePipelineAsync({}), TypeError);
});

test('messages of the compiler count units of JavaScript', async () => {
  const device = await open();
  device.pushErrorScope('validation');
  const code = '// 😀 é\nfn f() { /* 😀 */ let a = ü; }\n';
  const info = await device.createShaderModule({ code }).getCompilationInfo();
  assert.ok((await device.popErrorScope()) instanceof globals.GPUValidationError);
  assert.ok(Object.isFrozen(info.messages) && info.messages.length === 1);
  const [message] = info.messages;
  assert.equal(message.type, 'error');
  assert.equal(message.offset, code.indexOf('ü'));
  assert.equal(code.substring(message.offset, message.offset + message.length), 'ü');
  assert.deepEqual([message.lineNum, message.linePos], [2, code.indexOf('ü') - code.indexOf('\n')]);
});

test('a device is lost once, and then quiet', async () => {
  const device = await open();
  device.onuncapturederror = () => assert.fail('after the end');
  device.destroy();
  device.destroy();
  assert.equal(device.lost, device.lost);
  const { reason, message } = await device.lost;
  assert.equal(reason, 'destroyed');
  assert.equal(typeof message, 'string');
  wrong(device);
  device.pushErrorScope('validation');
  wrong(device);
  assert.equal(await device.popErrorScope(), null);
  await device.queue.onSubmittedWorkDone();
});

test('textures, samplers and rendering are validation errors', async () => {
  const device = await open();
  const buffer = device.createBuffer({ size: 16, usage: usage.COPY_SRC });
  const module = device.createShaderModule({ code: '@vertex fn v() -> @builtin(position) vec4f { return vec4f(); }' });
  const texture = () => device.createTexture({ size: [1], format: 'rgba8unorm', usage: 1 });
  const encode = (fill) => { const e = device.createCommandEncoder(); fill(e); e.finish(); };
  const size = [1, 1, 1];
  const acts = {
    texture,
    sampler: () => device.createSampler(),
    view: () => texture().createView(),
    renderPipeline: () => device.createRenderPipeline({ layout: 'auto', vertex: { module } }),
    bundle: () => device.createRenderBundleEncoder({ colorFormats: ['rgba8unorm'] }).finish(),
    write: () => device.queue.writeTexture({ texture: texture() }, new Uint8Array(4), {}, size),
    copyTo: () => { const t = texture(); encode((e) => e.copyBufferToTexture({ buffer }, { texture: t }, size)); },
    copyFrom: () => { const t = texture(); encode((e) => e.copyTextureToBuffer({ texture: t }, { buffer }, size)); },
    pass: () => encode((e) => { const p = e.beginRenderPass({ colorAttachments: [] }); p.draw(3); p.end(); }),
  };
  for (const [name, act] of Object.entries(acts)) {
    device.pushErrorScope('validation');
    act();
    assert.ok((await device.popErrorScope()) instanceof globals.GPUValidationError, name);
  }
  await assert.rejects(device.createRenderPipelineAsync({ layout: 'auto', vertex: { module } }), { name: 'GPUPipelineError' });
  assert.throws(() => device.importExternalTexture({ source: {} }), TypeError);
  assert.throws(() => device.createTexture({ size: [], format: 'rgba8unorm', usage: 1 }), TypeError);
});
