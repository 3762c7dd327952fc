@group(0) @binding(0) var<storage, read_write> n : array<atomic<u32>, 1>;
@compute @workgroup_size(1) fn forever() {
  while atomicLoad(&n[0]) < 2 { atomicStore(&n[0], 1); }
}
