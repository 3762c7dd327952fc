override o = 1;
const two = 2;
fn accepted(i : i32, u : u32) {
  switch i { default { } }
  switch i { case 1, two { } case 3: { } default: { } }
  switch u { case 1, 2u, { } case 3, default { } }
  switch i { default { } case 0 { } }
  switch 1 { case 1u { } default { } }
  switch two { case -1 { } default { } }
  switch (i + 1) { case 1 + 1 { break; } default { } }
  loop { switch i { case 1 { continue; } default { break; } } break; }
}
fn rejected(i : i32, u : u32, f : f32) {
  switch f { default { } }                      // error invalid_selector: must be an i32 or u32 value, found 'f32'
  switch true { default { } }                   // error invalid_selector: found 'bool'
  switch vec2(i) { default { } }                // error invalid_selector: found 'vec2<i32>'
  switch 1.0 { default { } }                    // error invalid_selector: found 'abstract-float'
  switch i { case 1u { } default { } }          // error type_mismatch: a case selector must have the type 'i32' here, found 'u32'
  switch u { case -1 { } default { } }          // error conversion_range: -1 does not fit in 'u32'
  switch u { case 1i { } default { } }          // error type_mismatch: must have the type 'u32' here, found 'i32'
  switch i { case 1.0 { } default { } }         // error type_mismatch: found 'abstract-float'
  switch 1 { case 1i { } case 2u { } default { } }  // error type_mismatch: must have the type 'i32' here, found 'u32'
  switch i { case o { } default { } }           // error not_const: a case selector must be a const-expression
  switch i { case i { } default { } }           // error not_const: a case selector
  switch i { case 1 { } }                       // error missing_default: the switch has no default clause
  switch i { }                                  // error missing_default:
  switch i { default { } case 1, default { } }  // error duplicate_default: the switch already has a default
  switch i { case default, default { } }        // error duplicate_default:
  switch i { case 1, 2, 1 { } default { } }     // error duplicate_case@25: the value 1 is already selected
  switch i { case 2 { } case 1 + 1 { } case two { } default { } }  // error duplicate_case: the value 2 // error duplicate_case: the value 2
  switch u { case 4294967295 { } case 0xffffffffu { } default { } }  // error duplicate_case: 4294967295
}
