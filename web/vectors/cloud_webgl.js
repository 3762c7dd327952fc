// SPDX-License-Identifier: Apache-2.0
// cloud_webgl.js - the cloud with WebGL 2.

import { STRIDE } from './points.js';

const VERTEX = `#version 300 es
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 colour;
uniform mat4 matrix;
uniform float size;
out vec3 tint;
void main() {
  gl_Position = matrix * vec4(position, 1.0);
  gl_PointSize = size;
  tint = colour * clamp(1.35 - gl_Position.w * 0.12, 0.45, 1.0);
}`;
const FRAGMENT = `#version 300 es
precision highp float;
uniform float size;
in vec3 tint;
out vec4 result;
void main() {
  vec2 off = gl_PointCoord * 2.0 - 1.0;
  if (size >= 4.0 && dot(off, off) > 1.0) discard;
  result = vec4(tint, 1.0);
}`;

function shader(gl, kind, source) {
    const made = gl.createShader(kind);
    gl.shaderSource(made, source);
    gl.compileShader(made);
    if (!gl.getShaderParameter(made, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(made));
    return made;
}

export class WebGLCloud {
    static async create(canvas) {
        const gl = canvas.getContext('webgl2', { antialias: false, preserveDrawingBuffer: true });
        if (!gl) throw new Error('WebGL 2 is not available in this browser');
        return new WebGLCloud(canvas, gl);
    }

    constructor(canvas, gl) {
        this.name = 'WebGL 2';
        this.canvas = canvas;
        this.gl = gl;
        this.program = gl.createProgram();
        gl.attachShader(this.program, shader(gl, gl.VERTEX_SHADER, VERTEX));
        gl.attachShader(this.program, shader(gl, gl.FRAGMENT_SHADER, FRAGMENT));
        gl.linkProgram(this.program);
        if (!gl.getProgramParameter(this.program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(this.program));
        this.matrix = gl.getUniformLocation(this.program, 'matrix');
        this.size = gl.getUniformLocation(this.program, 'size');
        this.buffer = gl.createBuffer();
        gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
        for (const [location, offset] of [[0, 0], [1, 12]]) {
            gl.enableVertexAttribArray(location);
            gl.vertexAttribPointer(location, 3, gl.FLOAT, false, STRIDE * 4, offset);
        }
        gl.enable(gl.DEPTH_TEST);
    }

    /** Copies the points to the GPU if they changed. */
    upload(points) {
        if (this.version === points.version) return;
        const { gl } = this;
        if (this.capacity !== points.data.length) gl.bufferData(gl.ARRAY_BUFFER, points.data.byteLength, gl.DYNAMIC_DRAW);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, points.data, 0, points.count * STRIDE);
        this.capacity = points.data.length;
        this.version = points.version;
    }

    draw(points, matrix, size, [red, green, blue]) {
        const { gl } = this;
        this.upload(points);
        gl.viewport(0, 0, this.canvas.width, this.canvas.height);
        gl.clearColor(red, green, blue, 1);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        gl.useProgram(this.program);
        gl.uniformMatrix4fv(this.matrix, false, matrix);
        gl.uniform1f(this.size, size);
        gl.drawArrays(gl.POINTS, 0, points.count);
    }

    async finish() {
        this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4));
    }

    destroy() { this.gl.getExtension('WEBGL_lose_context')?.loseContext(); }
}
