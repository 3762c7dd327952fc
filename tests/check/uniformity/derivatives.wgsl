// Derivatives, and sampling with a level that is found from them.
@group(0) @binding(0) var t : texture_2d<f32>;
@group(0) @binding(1) var s : sampler;
@group(0) @binding(2) var depth : texture_depth_2d;
@group(0) @binding(3) var compare : sampler_comparison;
@group(0) @binding(4) var<uniform> same : vec4f;
var<private> own : f32;

fn where_it_differs() {
  if own > 1 {
    _ = dpdx(1.0);         // error derivative_uniformity@9: 'dpdx' must be called in uniform control flow: it needs values of neighbouring invocations, and some may not come here
    _ = dpdxCoarse(1.0);   // error derivative_uniformity: 'dpdxCoarse'
    _ = dpdxFine(1.0);     // error derivative_uniformity: 'dpdxFine'
    _ = dpdy(1.0);         // error derivative_uniformity: 'dpdy'
    _ = dpdyCoarse(1.0);   // error derivative_uniformity: 'dpdyCoarse'
    _ = dpdyFine(1.0);     // error derivative_uniformity: 'dpdyFine'
    _ = fwidth(1.0);       // error derivative_uniformity: 'fwidth'
    _ = fwidthCoarse(1.0); // error derivative_uniformity: 'fwidthCoarse'
    _ = fwidthFine(1.0);   // error derivative_uniformity: 'fwidthFine'
    _ = textureSample(t, s, vec2f());                   // error derivative_uniformity: 'textureSample'
    _ = textureSampleBias(t, s, vec2f(), 0);            // error derivative_uniformity: 'textureSampleBias'
    _ = textureSampleCompare(depth, compare, vec2f(), 0);  // error derivative_uniformity: 'textureSampleCompare'
  }
}

fn others_where_it_differs() {
  if own > 1 {
    _ = textureSampleLevel(t, s, vec2f(), 0);
    _ = textureSampleGrad(t, s, vec2f(), vec2f(), vec2f());
    _ = textureSampleCompareLevel(depth, compare, vec2f(), 0);
    _ = textureSampleBaseClampToEdge(t, s, vec2f());
    _ = textureGather(0, t, s, vec2f());
    _ = textureGatherCompare(depth, compare, vec2f(), 0);
    _ = textureLoad(t, vec2(0, 0), 0);
    _ = textureDimensions(t);
    _ = textureNumLevels(t);
  }
}

fn in_uniform_flow() {
  if same.x > 1 {
    _ = dpdx(own);
    _ = textureSample(t, s, vec2f(own));
  }
}

fn their_results_differ() {
  if dpdx(1.0) > 1 { _ = fwidth(1.0); }                      // error derivative_uniformity:
  if textureSample(t, s, same.xy).x > 1 { _ = fwidth(1.0); } // error derivative_uniformity:
  if textureSampleBias(t, s, same.xy, 0).x > 1 { _ = fwidth(1.0); }  // error derivative_uniformity:
  if textureSampleCompare(depth, compare, same.xy, 0) > 1 { _ = fwidth(1.0); }  // error derivative_uniformity:
  if textureSampleLevel(t, s, same.xy, 0).x > 1 { _ = fwidth(1.0); }
  if textureSampleLevel(t, s, vec2f(own), 0).x > 1 { _ = fwidth(1.0); }  // error derivative_uniformity:
}

fn samples(at : vec2f) -> vec4f {
  return textureSample(t, s, at);                            // error derivative_uniformity:
}

@fragment
fn main(@builtin(position) at : vec4f) -> @location(0) vec4f {
  let first = samples(at.xy);
  if at.x > 1 {
    return samples(at.xy);
  }
  return first;
}
