// SPDX-License-Identifier: Apache-2.0
//
// vec.js - vectors of values: Vec2, Vec3, and Vec4 for quaternions.
//
// in     values and numbers
// out    vectors whose components remember how they were computed
// knows  the order of components: w first in Vec4
// not    arithmetic: v.js
'use strict';

const { Value, makeMany } = require('./value.js');
const { rules } = require('./rules.js');
const { V } = require('./v.js');

const component = (x) => (typeof x === 'number' ? new Value(x) : x);

/** What all vectors have; `axes` names the components. */
class Vec {
  static W(...numbers) { return new this(...numbers.map((x) => V.W(x))); }
  static C(...numbers) { return new this(...numbers.map((x) => V.C(x))); }
  static zero() { return new this(...this.axes.map(() => V.C(0))); }
  static dot(a, b) { return this.total(this.axes.map((axis) => V.mul(a[axis], b[axis]))); }

  static from(make) { return new this(...this.axes.map(make)); }

  get magnitude() { return V.sqrt(this.sqrMagnitude); }
  get sqrMagnitude() { return this.constructor.total(this.trainables.map((v) => V.square(v))); }
  get normalized() { return this.div(this.magnitude); }
  get trainables() { return this.constructor.axes.map((axis) => this[axis]); }

  add(other) { return this.constructor.from((axis) => V.add(this[axis], other[axis])); }
  sub(other) { return this.constructor.from((axis) => V.sub(this[axis], other[axis])); }
  mul(scalar) { return this.constructor.from((axis) => V.mul(this[axis], scalar)); }
  div(scalar) { return this.constructor.from((axis) => V.div(this[axis], scalar)); }
  toString() { return `${this.constructor.name}(${this.trainables.map((v) => v.data).join(', ')})`; }

  /** normalized, as one operator for each component. */
  normalizedCustomGrad() {
    const all = this.trainables, length = Math.hypot(...all.map((v) => v.data));
    return this.constructor.from((axis) => {
      const node = makeMany(rules[`normalize_${axis}`], this[axis].data / length, all);
      node._opConstants = [this.constructor.axes.indexOf(axis), length];
      return node;
    });
  }
  clone() { return this.constructor.from((axis) => new Value(this[axis].data)); }
  toArray() { return this.trainables.map((v) => v.data); }
}

class Vec2 extends Vec {
  static axes = ['x', 'y'];
  static total([x, y]) { return V.add(x, y); }
  constructor(x, y) {
    super();
    this.x = component(x);
    this.y = component(y);
  }
  static one() { return Vec2.C(1, 1); }
  static cross(a, b) { return V.sub(V.mul(a.x, b.y), V.mul(a.y, b.x)); }
  get perpendicular() { return new Vec2(V.neg(this.y), this.x); }
  static distanceToLine(point, lineStart, lineEnd) {
    const line = lineEnd.sub(lineStart);
    return V.div(V.abs(Vec2.cross(line, point.sub(lineStart))), line.magnitude);
  }
  static angleBetween(a, b) { return V.acos(V.div(Vec2.dot(a, b), V.mul(a.magnitude, b.magnitude))); }
}

class Vec3 extends Vec {
  static axes = ['x', 'y', 'z'];
  static total([x, y, z]) { return V.add(V.add(x, y), z); }
  constructor(x, y, z) {
    super();
    this.x = component(x);
    this.y = component(y);
    this.z = component(z);
  }
  // Written out: most of the nodes of a mesh are made here.
  add(other) { return new Vec3(V.add(this.x, other.x), V.add(this.y, other.y), V.add(this.z, other.z)); }
  sub(other) { return new Vec3(V.sub(this.x, other.x), V.sub(this.y, other.y), V.sub(this.z, other.z)); }
  mul(scalar) { return new Vec3(V.mul(this.x, scalar), V.mul(this.y, scalar), V.mul(this.z, scalar)); }
  div(scalar) { return new Vec3(V.div(this.x, scalar), V.div(this.y, scalar), V.div(this.z, scalar)); }
  static dot(a, b) { return V.add(V.add(V.mul(a.x, b.x), V.mul(a.y, b.y)), V.mul(a.z, b.z)); }

  static one() { return Vec3.C(1, 1, 1); }
  static cross(a, b) {
    return new Vec3(V.sub(V.mul(a.y, b.z), V.mul(a.z, b.y)), V.sub(V.mul(a.z, b.x), V.mul(a.x, b.z)),
      V.sub(V.mul(a.x, b.y), V.mul(a.y, b.x)));
  }
  static angleBetween(a, b) {
    return V.acos(V.clamp(V.div(Vec3.dot(a, b), V.mul(a.magnitude, b.magnitude)), -1, 1));
  }
  static project(a, b) { return b.mul(V.div(Vec3.dot(a, b), b.sqrMagnitude)); }
  static reject(a, b) { return a.sub(Vec3.project(a, b)); }
  static lerp(a, b, t) {
    const rest = V.sub(1, t);
    return Vec3.from((axis) => V.add(V.mul(a[axis], rest), V.mul(b[axis], t)));
  }
  static min(a, b) { return Vec3.from((axis) => V.min(a[axis], b[axis])); }
  static max(a, b) { return Vec3.from((axis) => V.max(a[axis], b[axis])); }
  static fromData(x, y, z) { return Vec3.C(x, y, z); }
  static distance(a, b) { return a.sub(b).magnitude; }
  static sqrDistance(a, b) { return a.sub(b).sqrMagnitude; }
}

class Vec4 extends Vec {
  static axes = ['w', 'x', 'y', 'z'];
  static total([w, x, y, z]) { return V.add(V.add(w, x), V.add(y, z)); }
  constructor(w, x, y, z) {
    super();
    this.w = component(w);
    this.x = component(x);
    this.y = component(y);
    this.z = component(z);
  }
  static identity() { return Vec4.C(1, 0, 0, 0); }
  static fromData(w, x, y, z) { return Vec4.C(w, x, y, z); }
}

module.exports = { Vec2, Vec3, Vec4 };
