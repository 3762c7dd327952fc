// SPDX-License-Identifier: Apache-2.0
//
// errors.js - what WebGPU says when something went wrong, and messages of the compiler.
//
// in     numbers and texts from the addon
// out    GPUError and its kin, GPUPipelineError, GPUUncapturedErrorEvent,
//        GPUDeviceLostInfo, GPUCompilationInfo, GPUCompilationMessage
// knows  which number of webgpu.h is which class
// not    when errors happen
'use strict';

const { defineInterface, create, adopt, converter, domString, preset, interfaces } = require('./webidl.js');
const { GPUPipelineErrorInit, GPUUncapturedErrorEventInit } = require('./dictionaries.js');
const { messageType } = require('./enums.js');

const text = (key) => (state) => state[key];

const GPUError = defineInterface('GPUError', { attributes: { message: text('message') } });

const errorClass = (name) => {
  const convert = converter(name, [domString]);
  return defineInterface(name, {
    parent: GPUError,
    length: 1,
    construct: (target, args) => {
      const [message] = convert(args);
      return adopt(Reflect.construct(Object, [], target), { interface: name, message });
    },
  });
};
const GPUValidationError = errorClass('GPUValidationError');
const GPUOutOfMemoryError = errorClass('GPUOutOfMemoryError');
const GPUInternalError = errorClass('GPUInternalError');

/** WGPUErrorType -> a GPUError, or null for NoError. */
const errorOf = (type, message) => {
  if (type === 1) return null;
  return create({ 2: 'GPUValidationError', 3: 'GPUOutOfMemoryError' }[type] ?? 'GPUInternalError', { message });
};

const pipelineArgs = converter('GPUPipelineError', [preset(domString, ''), GPUPipelineErrorInit]);
const GPUPipelineError = defineInterface('GPUPipelineError', {
  parent: DOMException,
  length: 1,
  construct: (target, args) => {
    // The second argument is needed, though the first one is not.
    const [message, { reason }] = pipelineArgs(args);
    const error = Reflect.construct(DOMException, [message, 'GPUPipelineError'], target);
    return adopt(error, { interface: 'GPUPipelineError', reason });
  },
  attributes: { reason: text('reason') },
});

const eventArgs = converter('GPUUncapturedErrorEvent', [domString, GPUUncapturedErrorEventInit]);
const GPUUncapturedErrorEvent = defineInterface('GPUUncapturedErrorEvent', {
  parent: Event,
  length: 2,
  construct: (target, args) => {
    const [type, init] = eventArgs(args);
    const event = Reflect.construct(Event, [type, init], target);
    return adopt(event, { interface: 'GPUUncapturedErrorEvent', error: init.error });
  },
  attributes: { error: text('error') },
});

const GPUDeviceLostInfo = defineInterface('GPUDeviceLostInfo', {
  attributes: { reason: text('reason'), message: text('message') },
});

const GPUCompilationMessage = defineInterface('GPUCompilationMessage', {
  attributes: {
    message: text('message'), type: text('type'), lineNum: text('lineNum'),
    linePos: text('linePos'), offset: text('offset'), length: text('length'),
  },
});

const GPUCompilationInfo = defineInterface('GPUCompilationInfo', { attributes: { messages: text('messages') } });

// The compiler counts bytes of UTF-8, JavaScript 16-bit units.
const placeIn = (code) => {
  const bytes = Buffer.from(code, 'utf8');
  if (bytes.length === code.length) return ({ column, offset, length }) => ({ column, offset, length });
  const units = (from, to) => bytes.toString('utf8', from, to).length;
  return ({ column, offset, length }) => ({
    column: column > 0 ? units(offset - (column - 1), offset) + 1 : column,
    offset: units(0, offset),
    length: units(offset, offset + length),
  });
};

/** Rows of [message, type, line, column, offset, length] about `code`. */
const compilationInfo = (rows, code) => {
  const place = rows.length ? placeIn(code) : undefined;
  const messages = rows.map(([message, type, lineNum, column, offset, length]) => {
    const at = place({ column, offset, length });
    return create('GPUCompilationMessage', {
      message, type: messageType(type), lineNum, linePos: at.column, offset: at.offset, length: at.length,
    });
  });
  return create('GPUCompilationInfo', { messages: Object.freeze(messages) });
};

const operationError = (message) => new DOMException(message, 'OperationError');
const abortError = (message) => new DOMException(message, 'AbortError');

module.exports = {
  GPUError, GPUValidationError, GPUOutOfMemoryError, GPUInternalError, GPUPipelineError,
  GPUUncapturedErrorEvent, GPUDeviceLostInfo, GPUCompilationMessage, GPUCompilationInfo,
  errorOf, compilationInfo, operationError, abortError, interfaces,
};
