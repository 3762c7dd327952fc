// SPDX-License-Identifier: Apache-2.0
//
// onnx.mjs - ONNX models of a few nodes, as bytes.
//
// in     names, shapes, nodes
// out    a ModelProto; of its format the fields that these models need
const varint = (n) => {
  const out = [];
  for (n = BigInt.asUintN(64, BigInt(n)); n > 127n; n >>= 7n) out.push(Number(n & 127n) | 128);
  return [...out, Number(n)];
};
const number = (field, n) => [...varint(field << 3), ...varint(n)];
const bytes = (field, b) => [...varint(field << 3 | 2), ...varint(b.length), ...b];
const text = (field, s) => bytes(field, new TextEncoder().encode(s));
const float = (field, x) => [...varint(field << 3 | 5), ...new Uint8Array(Float32Array.of(x).buffer)];

const FLOAT = 1, INT64 = 7;

const value = ([name, shape, type = FLOAT]) => {
  const dims = shape.flatMap((n) => bytes(1, number(1, n)));
  return [...text(1, name), ...bytes(2, bytes(1, [...number(1, type), ...bytes(2, dims)]))];
};

const attribute = ([name, v]) => {
  if (Array.isArray(v)) return [...text(1, name), ...v.flatMap((n) => number(8, n)), ...number(20, 7)];
  if (typeof v === 'string') return [...text(1, name), ...text(4, v), ...number(20, 3)];
  if (Number.isInteger(v)) return [...text(1, name), ...number(3, v), ...number(20, 2)];
  return [...text(1, name), ...float(2, v), ...number(20, 1)];
};

/** { op, in: [names], out: name, domain, ...attributes } */
const node = ({ op, in: inputs, out, domain, ...attributes }) => [
  ...inputs.flatMap((s) => text(1, s)), ...text(2, out), ...text(4, op),
  ...Object.entries(attributes).flatMap((a) => bytes(5, attribute(a))),
  ...(domain ? text(7, domain) : []),
];

const indices = ([name, list]) => [
  ...number(1, list.length), ...number(2, INT64), ...text(8, name),
  ...bytes(9, new Uint8Array(BigInt64Array.from(list, BigInt).buffer)),
];

/** inputs and outputs: [name, shape, type]; constants: [name, indices]. */
export const model = ({ nodes, inputs, outputs, constants = [] }) => Uint8Array.from([
  ...number(1, 8),
  ...bytes(7, [
    ...nodes.flatMap((n) => bytes(1, node(n))), ...text(2, 'row'),
    ...constants.flatMap((c) => bytes(5, indices(c))),
    ...inputs.flatMap((v) => bytes(11, value(v))), ...outputs.flatMap((v) => bytes(12, value(v))),
  ]),
  ...bytes(8, [...text(1, ''), ...number(2, 20)]),
  ...bytes(8, [...text(1, 'com.microsoft'), ...number(2, 1)]),
]);
export { FLOAT, INT64 };
