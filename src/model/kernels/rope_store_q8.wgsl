// SPDX-License-Identifier: Apache-2.0
// Scales of blocks of 32 of a key or a value, and the bytes of four neighbours: a part of
// rope_store for caches of eight bits.
var<workgroup> key_scale : array<f32, 16>;
var<workgroup> value_scale : array<f32, 16>;

fn key_block(b : u32) -> f32 {
  var most = 0.0;
  for (var d = b * 32u; d < min(b * 32u + 32u, D); d++) { most = max(most, abs(head_key[d])); }
  return most / 127.0;
}

fn value_block(first : u32, b : u32) -> f32 {
  var most = 0.0;
  for (var d = b * 32u; d < min(b * 32u + 32u, DV); d++) { most = max(most, abs(qkv[first + d])); }
  return most / 127.0;
}

fn key_four(d : u32) -> vec4f {
  return vec4f(head_key[d], head_key[d + 1u], head_key[d + 2u], head_key[d + 3u]);
}

fn value_four(at : u32) -> vec4f {
  return vec4f(qkv[at], qkv[at + 1u], qkv[at + 2u], qkv[at + 3u]);
}

fn bytes(v : vec4f, scale : f32) -> u32 {
  return pack4xI8(vec4i(round(v * select(0.0, 1.0 / scale, scale > 0.0))));
}
