// Constants stay abstract until a concrete operand, or a use, says what they are.
const a = 1 + 2;
const b = 1 + 2.0;
const c = vec3(1, 2, 3) * 0.5;
const d = 1 << 40;                  // no 32 bits yet
const e = -2147483648;
const f = mat2x2(1, 2, 3, 4) * 2;
const g = 4 / 3;
const h = 1 == 1.0;
const_assert a == 3;
const_assert b == 3.0;
const_assert d == 1099511627776;
const_assert g == 1;
const_assert h;

fn concrete(x : u32, y : f32) {
  let p : u32 = x + 1;
  let q : f32 = 2 * y;
  let r : vec2<u32> = vec2(1, 2) + x;
  let s : vec2<f32> = vec2(1, 2) * y;
  let t : i32 = 1 << x;
  let w : f32 = a;
  let z : vec3<f32> = c;
}

fn out_of_range(x : i32, n : u32) {
  let p = x + 5000000000;           // error conversion_range: 5000000000
  let q = x << 32;                  // error shift_amount: 32
  let r = x / 0;                    // error division_by_zero:
  let s = x % 0;                    // error division_by_zero:
  let t = vec2(x, x) / vec2(1, 0);  // error division_by_zero:
  let v = n - -1;                   // error conversion_range: -1
  let w = -2147483648 - 1 + x;      // error conversion_range:
}
