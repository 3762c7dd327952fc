fn g() -> i32 { return 1; }
fn v() { return; }
fn f(p : ptr<function, i32>) {
  ;
  var a : i32;
  var b = 1;
  var<function> c : i32 = 2;
  let d : i32 = 3;
  const e = 4;
  a = b;
  a += b; a -= b; a *= b; a /= 3; a %= 3; a &= b; a |= b; a ^= b; a <<= 1u; a >>= 1u;
  a++;
  a--;
  *p = 1;
  (*p) = 2;
  ((a)) = 3;
  (*(&a)) = 4;
  _ = a;
  _ = g();
  v();
  { }
  { ; { a = 1; } }
  const_assert e == 4;
  if a == 1 { } else if (a == 2) { } else if a == 3 { } else { }
  switch a { default { } }
  switch (a) { case 1 { } case 2: { } case 3, 4: { } case 5, 6, { } case 7, default, 8: { } }
  loop { break; }
  loop { if a == 1 { break; } continue; continuing { } }
  loop { continuing { a++; break if a > 3; } }
  for (;;) { break; }
  for (var i = 0; i < 3; i++) { continue; }
  for (a = 0; a < 3; a += 2) { }
  for (v(); false; v()) { }
  for (let q = 0; q > 1;) { }
  while a < 3 { a++; }
  while (a < 3) { a++; break; }
  return;
}
