// Without the extension its names are anybody's; only the suffix stays.
struct f64 { x : f32 }
alias vec3d = vec3<f32>;
const mat2x2d = 1;

fn f(a : f64) -> vec3d {
  let vec2d = a.x * f32(mat2x2d);
  let x = 1lf;                    // error extension_not_enabled: 'lf' needs 'enable weft_f64;' at the start of the module
  return vec3d(vec2d);
}
