// SPDX-License-Identifier: Apache-2.0
//
// geometry.js - triangles, planes and angles; eigenvalues of symmetric 3x3 matrices.
//
// in     vectors and values
// out    values and vectors
// knows  geometry
// not    derivatives: those of the operators that it uses follow by themselves
'use strict';

const { makeMany } = require('./value.js');
const { rules } = require('./rules.js');
const { V } = require('./v.js');
const { Vec3 } = require('./vec.js');
const { eigenvalue, numbers, valueOf } = require('./eigen.js');

const normalOf = (a, b, c) => Vec3.cross(b.sub(a), c.sub(a));
const sumOf = (vectors) => vectors.reduce((sum, v) => sum.add(v), Vec3.zero());
const averageOf = (vectors) => (vectors.length === 0 ? Vec3.zero() : sumOf(vectors).div(vectors.length));

class Geometry {
  static triangleNormal(a, b, c) { return normalOf(a, b, c).normalized; }
  static triangleArea(a, b, c) { return V.mul(0.5, normalOf(a, b, c).magnitude); }
  /** The angle at b. */
  static interiorAngle(a, b, c) { return Vec3.angleBetween(a.sub(b).normalized, c.sub(b).normalized); }
  /** 2 pi less the angles between the neighbours, which are in order. */
  static angleDefect(center, neighbors) {
    const angles = neighbors.map((p, i) => Geometry.interiorAngle(p, center, neighbors[(i + 1) % neighbors.length]));
    return V.sub(2 * Math.PI, angles.reduce((sum, angle) => V.add(sum, angle), V.C(0)));
  }
  static centroid(points) { return averageOf(points); }
  static average(vectors) { return averageOf(vectors); }
  /** The normals of the triangles, weighted by area. */
  static vertexNormal(center, triangles) {
    return sumOf(triangles.map(([a, b, c]) => Geometry.triangleNormal(a, b, c).mul(Geometry.triangleArea(a, b, c)))).normalized;
  }
  static projectToPlane(point, planePoint, planeNormal) {
    return point.sub(planeNormal.mul(Geometry.distanceToPlane(point, planePoint, planeNormal)));
  }
  static distanceToPlane(point, planePoint, planeNormal) { return Vec3.dot(point.sub(planePoint), planeNormal); }
  /** The squared cross products of all pairs, added up. */
  static normalCoplanarity(normals) {
    let sum = V.C(0);
    normals.forEach((n, i) => {
      for (const other of normals.slice(i + 1)) sum = V.add(sum, Vec3.cross(n, other).sqrMagnitude);
    });
    return sum;
  }
  static dihedralAngle(n1, n2) { return V.acos(V.clamp(Vec3.dot(n1, n2), -1, 1)); }
  static boundingBox(points) {
    if (points.length === 0) return { min: Vec3.zero(), max: Vec3.zero() };
    const [first, ...rest] = points;
    return { min: rest.reduce(Vec3.min, first.clone()), max: rest.reduce(Vec3.max, first.clone()) };
  }
}

/** The operators of eigen.js on values. */
const values = {
  constant: (x) => V.C(x),
  op: (name, ...args) => (name === 'clamp' ? V.clamp(args[0], args[1].data, args[2].data) : V[name](...args)),
};

class Matrix3x3 {
  /** Of [c00 c01 c02; c01 c11 c12; c02 c12 c22]. */
  static smallestEigenvalue(c00, c01, c02, c11, c12, c22) {
    return valueOf(values, [c00, c01, c02, c11, c12, c22]);
  }
  /** The same as one operator, with the eigenvector's outer product as its derivative. */
  static smallestEigenvalueCustomGrad(c00, c01, c02, c11, c12, c22) {
    const entries = [c00, c01, c02, c11, c12, c22];
    const { value, slopes } = eigenvalue(numbers, entries.map((v) => v.data));
    const node = makeMany(rules.eigenvalue_custom, value, entries);
    node._opConstants = slopes;
    return node;
  }
}

module.exports = { Geometry, Matrix3x3 };
