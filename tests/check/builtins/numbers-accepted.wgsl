// Every overload of the functions of numbers, with values known at run time.
enable f16;
var<private> i1 : i32;
var<private> i2 : vec2<i32>;
var<private> i3 : vec3<i32>;
var<private> u1 : u32;
var<private> u3 : vec3<u32>;
var<private> f1 : f32;
var<private> f2 : vec2<f32>;
var<private> f3 : vec3<f32>;
var<private> f4 : vec4<f32>;
var<private> m22f : mat2x2<f32>;
var<private> m23f : mat2x3<f32>;
var<private> m24f : mat2x4<f32>;
var<private> m32f : mat3x2<f32>;
var<private> m33f : mat3x3<f32>;
var<private> m34f : mat3x4<f32>;
var<private> m42f : mat4x2<f32>;
var<private> m43f : mat4x3<f32>;
var<private> m44f : mat4x4<f32>;
var<private> h1 : f16;
var<private> h2 : vec2<f16>;
var<private> h3 : vec3<f16>;
var<private> h4 : vec4<f16>;
var<private> m22h : mat2x2<f16>;
var<private> m23h : mat2x3<f16>;
var<private> m24h : mat2x4<f16>;
var<private> m32h : mat3x2<f16>;
var<private> m33h : mat3x3<f16>;
var<private> m34h : mat3x4<f16>;
var<private> m42h : mat4x2<f16>;
var<private> m43h : mat4x3<f16>;
var<private> m44h : mat4x4<f16>;

fn use_abs() {
  let r0 : i32 = abs(i1);
  let r1 : u32 = abs(u1);
  let r2 : f32 = abs(f1);
  let r3 : f16 = abs(h1);
  let r4 : vec2<i32> = abs(i2);
  let r5 : vec3<u32> = abs(u3);
  let r6 : vec4<f32> = abs(f4);
  let r7 : vec2<f16> = abs(h2);
}

fn use_acos() {
  let r0 : f32 = acos(f1);
  let r1 : f16 = acos(h1);
  let r2 : vec2<f32> = acos(f2);
  let r3 : vec3<f16> = acos(h3);
}

fn use_acosh() {
  let r0 : f32 = acosh(f1);
  let r1 : f16 = acosh(h1);
  let r2 : vec2<f32> = acosh(f2);
  let r3 : vec3<f16> = acosh(h3);
}

fn use_asin() {
  let r0 : f32 = asin(f1);
  let r1 : f16 = asin(h1);
  let r2 : vec2<f32> = asin(f2);
  let r3 : vec3<f16> = asin(h3);
}

fn use_asinh() {
  let r0 : f32 = asinh(f1);
  let r1 : f16 = asinh(h1);
  let r2 : vec2<f32> = asinh(f2);
  let r3 : vec3<f16> = asinh(h3);
}

fn use_atan() {
  let r0 : f32 = atan(f1);
  let r1 : f16 = atan(h1);
  let r2 : vec2<f32> = atan(f2);
  let r3 : vec3<f16> = atan(h3);
}

fn use_atan2() {
  let r0 : f32 = atan2(f1, f1);
  let r1 : f16 = atan2(h1, h1);
  let r2 : vec2<f32> = atan2(f2, f2);
  let r3 : vec3<f16> = atan2(h3, h3);
}

fn use_atanh() {
  let r0 : f32 = atanh(f1);
  let r1 : f16 = atanh(h1);
  let r2 : vec2<f32> = atanh(f2);
  let r3 : vec3<f16> = atanh(h3);
}

fn use_ceil() {
  let r0 : f32 = ceil(f1);
  let r1 : f16 = ceil(h1);
  let r2 : vec2<f32> = ceil(f2);
  let r3 : vec3<f16> = ceil(h3);
}

fn use_clamp() {
  let r0 : i32 = clamp(i1, i1, i1);
  let r1 : u32 = clamp(u1, u1, u1);
  let r2 : f32 = clamp(f1, f1, f1);
  let r3 : f16 = clamp(h1, h1, h1);
  let r4 : vec2<i32> = clamp(i2, i2, i2);
  let r5 : vec3<u32> = clamp(u3, u3, u3);
  let r6 : vec4<f32> = clamp(f4, f4, f4);
  let r7 : vec2<f16> = clamp(h2, h2, h2);
}

fn use_cos() {
  let r0 : f32 = cos(f1);
  let r1 : f16 = cos(h1);
  let r2 : vec2<f32> = cos(f2);
  let r3 : vec3<f16> = cos(h3);
}

fn use_cosh() {
  let r0 : f32 = cosh(f1);
  let r1 : f16 = cosh(h1);
  let r2 : vec2<f32> = cosh(f2);
  let r3 : vec3<f16> = cosh(h3);
}

fn use_countLeadingZeros() {
  let r0 : i32 = countLeadingZeros(i1);
  let r1 : u32 = countLeadingZeros(u1);
  let r2 : vec2<i32> = countLeadingZeros(i2);
  let r3 : vec3<u32> = countLeadingZeros(u3);
}

fn use_countOneBits() {
  let r0 : i32 = countOneBits(i1);
  let r1 : u32 = countOneBits(u1);
  let r2 : vec2<i32> = countOneBits(i2);
  let r3 : vec3<u32> = countOneBits(u3);
}

fn use_countTrailingZeros() {
  let r0 : i32 = countTrailingZeros(i1);
  let r1 : u32 = countTrailingZeros(u1);
  let r2 : vec2<i32> = countTrailingZeros(i2);
  let r3 : vec3<u32> = countTrailingZeros(u3);
}

fn use_cross() {
  let r0 : vec3<f32> = cross(f3, f3);
  let r1 : vec3<f16> = cross(h3, h3);
}

fn use_degrees() {
  let r0 : f32 = degrees(f1);
  let r1 : f16 = degrees(h1);
  let r2 : vec2<f32> = degrees(f2);
  let r3 : vec3<f16> = degrees(h3);
}

fn use_determinant() {
  let r0 : f32 = determinant(m22f);
  let r1 : f32 = determinant(m33f);
  let r2 : f32 = determinant(m44f);
  let r3 : f16 = determinant(m22h);
  let r4 : f16 = determinant(m33h);
  let r5 : f16 = determinant(m44h);
}

fn use_distance() {
  let r0 : f32 = distance(f1, f1);
  let r1 : f16 = distance(h1, h1);
  let r2 : f32 = distance(f2, f2);
  let r3 : f16 = distance(h3, h3);
}

fn use_dot() {
  let r0 : i32 = dot(i2, i2);
  let r1 : u32 = dot(u3, u3);
  let r2 : f32 = dot(f4, f4);
  let r3 : f16 = dot(h2, h2);
}

fn use_dot4I8Packed() {
  let r0 : i32 = dot4I8Packed(u1, u1);
}

fn use_dot4U8Packed() {
  let r0 : u32 = dot4U8Packed(u1, u1);
}

fn use_exp() {
  let r0 : f32 = exp(f1);
  let r1 : f16 = exp(h1);
  let r2 : vec2<f32> = exp(f2);
  let r3 : vec3<f16> = exp(h3);
}

fn use_exp2() {
  let r0 : f32 = exp2(f1);
  let r1 : f16 = exp2(h1);
  let r2 : vec2<f32> = exp2(f2);
  let r3 : vec3<f16> = exp2(h3);
}

fn use_extractBits() {
  let r0 : i32 = extractBits(i1, u1, u1);
  let r1 : u32 = extractBits(u1, u1, u1);
  let r2 : vec2<i32> = extractBits(i2, u1, u1);
  let r3 : vec3<u32> = extractBits(u3, u1, u1);
}

fn use_faceForward() {
  let r0 : vec2<f32> = faceForward(f2, f2, f2);
  let r1 : vec3<f16> = faceForward(h3, h3, h3);
}

fn use_firstLeadingBit() {
  let r0 : i32 = firstLeadingBit(i1);
  let r1 : u32 = firstLeadingBit(u1);
  let r2 : vec2<i32> = firstLeadingBit(i2);
  let r3 : vec3<u32> = firstLeadingBit(u3);
}

fn use_firstTrailingBit() {
  let r0 : i32 = firstTrailingBit(i1);
  let r1 : u32 = firstTrailingBit(u1);
  let r2 : vec2<i32> = firstTrailingBit(i2);
  let r3 : vec3<u32> = firstTrailingBit(u3);
}

fn use_floor() {
  let r0 : f32 = floor(f1);
  let r1 : f16 = floor(h1);
  let r2 : vec2<f32> = floor(f2);
  let r3 : vec3<f16> = floor(h3);
}

fn use_fma() {
  let r0 : f32 = fma(f1, f1, f1);
  let r1 : f16 = fma(h1, h1, h1);
  let r2 : vec2<f32> = fma(f2, f2, f2);
  let r3 : vec3<f16> = fma(h3, h3, h3);
}

fn use_fract() {
  let r0 : f32 = fract(f1);
  let r1 : f16 = fract(h1);
  let r2 : vec2<f32> = fract(f2);
  let r3 : vec3<f16> = fract(h3);
}

fn use_frexp() {
  _ = frexp(f1);
  _ = frexp(h1);
  _ = frexp(f2);
  _ = frexp(h3);
}

fn use_insertBits() {
  let r0 : i32 = insertBits(i1, i1, u1, u1);
  let r1 : u32 = insertBits(u1, u1, u1, u1);
  let r2 : vec2<i32> = insertBits(i2, i2, u1, u1);
  let r3 : vec3<u32> = insertBits(u3, u3, u1, u1);
}

fn use_inverseSqrt() {
  let r0 : f32 = inverseSqrt(f1);
  let r1 : f16 = inverseSqrt(h1);
  let r2 : vec2<f32> = inverseSqrt(f2);
  let r3 : vec3<f16> = inverseSqrt(h3);
}

fn use_ldexp() {
  let r0 : f32 = ldexp(f1, i1);
  let r1 : f16 = ldexp(h1, i1);
  let r2 : vec2<f32> = ldexp(f2, i2);
  let r3 : vec3<f16> = ldexp(h3, i3);
}

fn use_length() {
  let r0 : f32 = length(f1);
  let r1 : f16 = length(h1);
  let r2 : f32 = length(f2);
  let r3 : f16 = length(h3);
}

fn use_log() {
  let r0 : f32 = log(f1);
  let r1 : f16 = log(h1);
  let r2 : vec2<f32> = log(f2);
  let r3 : vec3<f16> = log(h3);
}

fn use_log2() {
  let r0 : f32 = log2(f1);
  let r1 : f16 = log2(h1);
  let r2 : vec2<f32> = log2(f2);
  let r3 : vec3<f16> = log2(h3);
}

fn use_max() {
  let r0 : i32 = max(i1, i1);
  let r1 : u32 = max(u1, u1);
  let r2 : f32 = max(f1, f1);
  let r3 : f16 = max(h1, h1);
  let r4 : vec2<i32> = max(i2, i2);
  let r5 : vec3<u32> = max(u3, u3);
  let r6 : vec4<f32> = max(f4, f4);
  let r7 : vec2<f16> = max(h2, h2);
}

fn use_min() {
  let r0 : i32 = min(i1, i1);
  let r1 : u32 = min(u1, u1);
  let r2 : f32 = min(f1, f1);
  let r3 : f16 = min(h1, h1);
  let r4 : vec2<i32> = min(i2, i2);
  let r5 : vec3<u32> = min(u3, u3);
  let r6 : vec4<f32> = min(f4, f4);
  let r7 : vec2<f16> = min(h2, h2);
}

fn use_mix() {
  let r0 : f32 = mix(f1, f1, f1);
  let r1 : f16 = mix(h1, h1, h1);
  let r2 : vec2<f32> = mix(f2, f2, f2);
  let r3 : vec3<f16> = mix(h3, h3, h3);
  let r4 : vec4<f32> = mix(f4, f4, f1);
  let r5 : vec2<f16> = mix(h2, h2, h1);
}

fn use_modf() {
  _ = modf(f1);
  _ = modf(h1);
  _ = modf(f2);
  _ = modf(h3);
}

fn use_normalize() {
  let r0 : vec2<f32> = normalize(f2);
  let r1 : vec3<f16> = normalize(h3);
}

fn use_pow() {
  let r0 : f32 = pow(f1, f1);
  let r1 : f16 = pow(h1, h1);
  let r2 : vec2<f32> = pow(f2, f2);
  let r3 : vec3<f16> = pow(h3, h3);
}

fn use_quantizeToF16() {
  let r0 : f32 = quantizeToF16(f1);
  let r1 : vec2<f32> = quantizeToF16(f2);
  let r2 : vec3<f32> = quantizeToF16(f3);
  let r3 : vec4<f32> = quantizeToF16(f4);
}

fn use_radians() {
  let r0 : f32 = radians(f1);
  let r1 : f16 = radians(h1);
  let r2 : vec2<f32> = radians(f2);
  let r3 : vec3<f16> = radians(h3);
}

fn use_reflect() {
  let r0 : vec2<f32> = reflect(f2, f2);
  let r1 : vec3<f16> = reflect(h3, h3);
}

fn use_refract() {
  let r0 : vec2<f32> = refract(f2, f2, f1);
  let r1 : vec3<f16> = refract(h3, h3, h1);
}

fn use_reverseBits() {
  let r0 : i32 = reverseBits(i1);
  let r1 : u32 = reverseBits(u1);
  let r2 : vec2<i32> = reverseBits(i2);
  let r3 : vec3<u32> = reverseBits(u3);
}

fn use_round() {
  let r0 : f32 = round(f1);
  let r1 : f16 = round(h1);
  let r2 : vec2<f32> = round(f2);
  let r3 : vec3<f16> = round(h3);
}

fn use_saturate() {
  let r0 : f32 = saturate(f1);
  let r1 : f16 = saturate(h1);
  let r2 : vec2<f32> = saturate(f2);
  let r3 : vec3<f16> = saturate(h3);
}

fn use_sign() {
  let r0 : i32 = sign(i1);
  let r1 : f32 = sign(f1);
  let r2 : f16 = sign(h1);
  let r3 : vec2<i32> = sign(i2);
  let r4 : vec3<f32> = sign(f3);
  let r5 : vec4<f16> = sign(h4);
}

fn use_sin() {
  let r0 : f32 = sin(f1);
  let r1 : f16 = sin(h1);
  let r2 : vec2<f32> = sin(f2);
  let r3 : vec3<f16> = sin(h3);
}

fn use_sinh() {
  let r0 : f32 = sinh(f1);
  let r1 : f16 = sinh(h1);
  let r2 : vec2<f32> = sinh(f2);
  let r3 : vec3<f16> = sinh(h3);
}

fn use_smoothstep() {
  let r0 : f32 = smoothstep(f1, f1, f1);
  let r1 : f16 = smoothstep(h1, h1, h1);
  let r2 : vec2<f32> = smoothstep(f2, f2, f2);
  let r3 : vec3<f16> = smoothstep(h3, h3, h3);
}

fn use_sqrt() {
  let r0 : f32 = sqrt(f1);
  let r1 : f16 = sqrt(h1);
  let r2 : vec2<f32> = sqrt(f2);
  let r3 : vec3<f16> = sqrt(h3);
}

fn use_step() {
  let r0 : f32 = step(f1, f1);
  let r1 : f16 = step(h1, h1);
  let r2 : vec2<f32> = step(f2, f2);
  let r3 : vec3<f16> = step(h3, h3);
}

fn use_tan() {
  let r0 : f32 = tan(f1);
  let r1 : f16 = tan(h1);
  let r2 : vec2<f32> = tan(f2);
  let r3 : vec3<f16> = tan(h3);
}

fn use_tanh() {
  let r0 : f32 = tanh(f1);
  let r1 : f16 = tanh(h1);
  let r2 : vec2<f32> = tanh(f2);
  let r3 : vec3<f16> = tanh(h3);
}

fn use_transpose() {
  let r0 : mat2x2<f32> = transpose(m22f);
  let r1 : mat2x3<f32> = transpose(m32f);
  let r2 : mat2x4<f32> = transpose(m42f);
  let r3 : mat3x2<f32> = transpose(m23f);
  let r4 : mat3x3<f32> = transpose(m33f);
  let r5 : mat3x4<f32> = transpose(m43f);
  let r6 : mat4x2<f32> = transpose(m24f);
  let r7 : mat4x3<f32> = transpose(m34f);
  let r8 : mat4x4<f32> = transpose(m44f);
  let r9 : mat2x2<f16> = transpose(m22h);
  let r10 : mat2x3<f16> = transpose(m32h);
  let r11 : mat2x4<f16> = transpose(m42h);
  let r12 : mat3x2<f16> = transpose(m23h);
  let r13 : mat3x3<f16> = transpose(m33h);
  let r14 : mat3x4<f16> = transpose(m43h);
  let r15 : mat4x2<f16> = transpose(m24h);
  let r16 : mat4x3<f16> = transpose(m34h);
  let r17 : mat4x4<f16> = transpose(m44h);
}

fn use_trunc() {
  let r0 : f32 = trunc(f1);
  let r1 : f16 = trunc(h1);
  let r2 : vec2<f32> = trunc(f2);
  let r3 : vec3<f16> = trunc(h3);
}
