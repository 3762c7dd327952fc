// Rules about some arguments hold as soon as those are known, whatever the others.
override o : f32;

fn runtime(f : f32, i : i32, u : u32) {
  _ = clamp(f, 2, 1);                // error domain: clamp
  _ = clamp(f, 1, 2);
  _ = clamp(f, 2, f);
  _ = smoothstep(1, 1, f);           // error domain: smoothstep
  _ = smoothstep(2, 1, f);
  _ = extractBits(i, 30, 3);         // error domain: extractBits
  _ = extractBits(i, 30, u);
  _ = insertBits(u, 1, 0, 33);       // error domain: insertBits
  _ = ldexp(f, 129);                 // error domain: ldexp
  _ = ldexp(f, 128);
}

override a = clamp(o, 2.0, 1.0);     // error domain: clamp
override b = ldexp(o, 200);          // error domain: ldexp

const c = sqrt(-1);                  // error domain:
const d = pack2x16float(vec2(1e30, 0));  // error conversion_range: does not fit in 'f16'
const e = normalize(vec2(0.0));      // error domain:
