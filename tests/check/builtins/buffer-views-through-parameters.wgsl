// A parameter of type buffer has no size of its own: the variable's counts.
requires buffer_view;
@group(0) @binding(0) var<storage> small : buffer<16>;
@group(0) @binding(1) var<storage> large : buffer<64>;
@group(0) @binding(2) var<storage> any : buffer;

fn inner(p : ptr<storage, buffer>) -> u32 { return *bufferView<u32>(p, 28); }
fn outer(p : ptr<storage, buffer>) -> u32 { return inner(p) + inner(&any); }
fn main() {
  _ = outer(&small);     // error buffer_view: the buffer has 16 bytes, but is viewed up to byte 32
  _ = outer(&large);
  _ = outer(&any);
}
