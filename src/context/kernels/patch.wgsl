// SPDX-License-Identifier: Apache-2.0
// Replaces some bytes of one word: writes whose ends are not multiples of four bytes.
//
//   words   [n]  u32, any contents
//   patch   which word, which of its bits, and their values
struct Patch {
    index : u32,
    mask  : u32,
    value : u32,
}

@group(0) @binding(0) var<storage, read_write> words : array<u32>;
@group(0) @binding(1) var<uniform> patch_word : Patch;

@compute @workgroup_size(1)
fn main() {
    let old = words[patch_word.index];
    words[patch_word.index] = (old & ~patch_word.mask) | (patch_word.value & patch_word.mask);
}
