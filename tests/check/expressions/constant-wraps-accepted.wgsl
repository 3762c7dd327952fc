// What looks like an error in constant evaluation and is none: concrete integers
// wrap, conversions between them keep the bits, floats round.
enable f16;
const_assert 2147483647i + 1i == -2147483648;
const_assert 4294967295u + 1u == 0u;
const_assert 0u - 1u == 0xffffffffu;
const_assert 65536i * 65536i == 0;
const_assert -(-2147483647i - 1i) == -2147483648;
const_assert abs(-2147483647i - 1i) == -2147483648;
const_assert u32(-1i) == 0xffffffffu;
const_assert i32(0xffffffffu) == -1;
const_assert 1u << 31u == 0x80000000u;
const_assert 1 << 31u == 2147483648;
const_assert -1i >> 31u == -1;
const_assert 0i << 31u == 0;
const_assert bitcast<u32>(-1i) == 0xffffffffu;
const_assert bitcast<i32>(1f) == 0x3f800000;
const_assert i32(-1.9) == -1;
const_assert u32(1.9f) == 1;
const_assert f16(2049) == 2048h;
const_assert f32(16777217) == 16777216f;
const_assert 7 / -2 == -3;
const_assert 7 % -2 == 1;
const_assert 7.5 % -2.0 == 1.5;
const_assert dot(vec2(2147483647i), vec2(2i)) == -4;
const_assert 1e-50 * 1e-300 == 0;
