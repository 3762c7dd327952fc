// SPDX-License-Identifier: Apache-2.0
// Copies `size` bytes between two buffers at any offsets. An invocation makes whole words of
// the destination; the first and the last one keep the bytes outside of the range.
//
//   from_words, to_words   [n]  u32
struct Copy {
    to_offset   : u32,      // bytes
    from_offset : u32,
    size        : u32,
    stride      : u32,      // words from one round of an invocation to the next
}

@group(0) @binding(0) var<storage, read> from_words : array<u32>;
@group(0) @binding(1) var<storage, read_write> to_words : array<u32>;
@group(0) @binding(2) var<uniform> span : Copy;

fn byte_at(offset : u32) -> u32 {
    return (from_words[offset / 4u] >> (offset % 4u * 8u)) & 0xffu;
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    let end = span.to_offset + span.size;
    for (var word = span.to_offset / 4u + id.x; word * 4u < end; word += span.stride) {
        var value = 0u;
        var mask = 0u;
        for (var i = 0u; i < 4u; i++) {
            let at = word * 4u + i;
            if at >= span.to_offset && at < end {
                value |= byte_at(at - span.to_offset + span.from_offset) << (i * 8u);
                mask |= 0xffu << (i * 8u);
            }
        }
        to_words[word] = (to_words[word] & ~mask) | value;
    }
}
