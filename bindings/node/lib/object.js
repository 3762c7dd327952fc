// SPDX-License-Identifier: Apache-2.0
//
// object.js - what all objects of a device have in common: a handle and a label.
//
// in     handles of the addon
// out    objects of the interfaces, with the attribute `label`
// knows  that a device lives as long as something made from it
// not    what the objects do
'use strict';

const { defineInterface, create, usvString } = require('./webidl.js');
const { native } = require('./native.js');

const label = {
  get: (state) => state.label,
  set: (state, value) => { state.label = value; native.setLabel(state.handle, value); },
  type: usvString,
};

/** An interface that includes GPUObjectBase. */
const defineObject = (name, { attributes, ...rest }) => defineInterface(name, {
  ...rest, attributes: { label, ...attributes },
});

/** An object made by `device`, which is the state of one. */
const createObject = (name, device, handle, labelText, more) => create(name, {
  handle, label: labelText, device, ...more,
});

module.exports = { defineObject, createObject, label };
