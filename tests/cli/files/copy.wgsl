// Copies of everything that a buffer can hold.
enable f16;
requires buffer_view;
struct Particle {
  place : vec3f,
  id : u32,
}
struct Counted {
  count : atomic<u32>,
  all : array<vec2f>,
}
struct Small {
  head : vec4f,
  rest : array<f32>,
}
@group(0) @binding(0) var<storage, read> halves : array<f16>;
@group(0) @binding(1) var<storage, read_write> halves_out : array<f16>;
@group(0) @binding(2) var<storage, read> vectors : array<vec3f>;
@group(0) @binding(3) var<storage, read_write> vectors_out : array<vec3f>;
@group(0) @binding(4) var<storage, read> particles : array<Particle>;
@group(0) @binding(5) var<storage, read_write> particles_out : array<Particle>;
@group(0) @binding(6) var<storage, read> matrices : array<mat2x2f>;
@group(0) @binding(7) var<storage, read_write> matrices_out : array<mat2x2f>;
@group(0) @binding(8) var<storage, read_write> counted : Counted;
@group(0) @binding(9) var<storage, read_write> small : Small;
@group(0) @binding(10) var<storage, read_write> nested : array<array<u32, 20>, 2>;
@group(0) @binding(11) var<storage, read_write> words : buffer;

@compute @workgroup_size(64) fn copy_halves(@builtin(global_invocation_id) id : vec3u) {
  halves_out[id.x] = halves[id.x] * 2;
}
@compute @workgroup_size(64) fn copy_vectors(@builtin(global_invocation_id) id : vec3u) {
  vectors_out[id.x] = vectors[id.x] + 1;
}
@compute @workgroup_size(64) fn copy_particles(@builtin(global_invocation_id) id : vec3u) {
  particles_out[id.x] = Particle(particles[id.x].place * 2, particles[id.x].id + 1);
}
@compute @workgroup_size(64) fn copy_matrices(@builtin(global_invocation_id) id : vec3u) {
  matrices_out[id.x] = transpose(matrices[id.x]);
}
@compute @workgroup_size(64) fn count(@builtin(global_invocation_id) id : vec3u) {
  if id.x < arrayLength(&counted.all) && counted.all[id.x].x > 0 {
    atomicAdd(&counted.count, 1u);
    counted.all[id.x].y = 7;
  }
}
@compute @workgroup_size(1) fn lengths() {
  small.head.x = f32(arrayLength(&small.rest));
}
@compute @workgroup_size(20) fn fill(@builtin(local_invocation_index) i : u32) {
  nested[1][i] = i * i;
}
@compute @workgroup_size(1) fn bytes() {
  *bufferView<u32>(&words, 4) = 42;
}
