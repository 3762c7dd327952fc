// Where break, continue and return may stand.
fn accepted(b : bool) -> i32 {
  loop { break; }
  for (;;) { if b { continue; } break; }
  while b { switch 1 { default { continue; } } }
  switch 1 { default { if b { break; } } }
  loop {
    if b { continue; }
    continuing {
      loop { break; }
      for (;;) { if b { continue; } break; }
      switch 1 { default { break; } }
      break if b;
    }
  }
  loop { if b { return 1; } }
  return 2;
}
fn rejected(b : bool) {
  break;                                              // error misplaced_break: 'break' must be inside a loop or a switch
  continue;                                           // error misplaced_continue: 'continue' must be inside a loop
  if b { break; }                                     // error misplaced_break:
  switch 1 { default { continue; } }                  // error misplaced_continue:
  loop { if b { break; } continuing { break; } }      // error misplaced_break: end it with 'break if'
  loop { if b { break; } continuing { if b { break; } } }   // error misplaced_break:
  loop { if b { break; } continuing { continue; } }   // error misplaced_continue: in the continuing block of its own loop
  loop { if b { break; } continuing { switch 1 { default { continue; } } } }   // error misplaced_continue:
  loop { if b { break; } continuing { return; } }     // error return_in_continuing: 'return' cannot be used in a continuing block
  loop { if b { break; } continuing { loop { return; } } }  // error return_in_continuing:
  { continue; }                                       // error misplaced_continue:
}
