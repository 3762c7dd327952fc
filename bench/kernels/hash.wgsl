// SPDX-License-Identifier: Apache-2.0
// Hashes of 16-byte keys, in the manner of xxHash: multiplications, rotations, exclusive ors.
const prime1 = 2654435761u;
const prime2 = 2246822519u;
const prime3 = 3266489917u;
const prime5 = 374761393u;
@group(0) @binding(0) var<storage, read> key: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> hash: array<u32>;

fn rotate(x: u32, by: u32) -> u32 { return (x << by) | (x >> (32u - by)); }
fn lane(seed: u32, word: u32) -> u32 { return rotate(seed + word * prime2, 13u) * prime1; }

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let k = key[id.x];
  var h = rotate(lane(prime1 + prime2, k.x), 1u) + rotate(lane(prime2, k.y), 7u)
        + rotate(lane(0u, k.z), 12u) + rotate(lane(0u - prime1, k.w), 18u);
  h += 16u;
  for (var round = 0u; round < 4u; round++) {
    h = rotate(h + (h ^ k.x) * prime3, 17u) * prime5;
    h ^= h >> 15u;
  }
  h ^= h >> 15u;
  h *= prime2;
  h ^= h >> 13u;
  h *= prime3;
  h ^= h >> 16u;
  hash[id.x] = h;
}
