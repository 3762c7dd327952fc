// A function with a result returns on every way to its end.
fn straight() -> i32 { return 1; }
fn dead_code() -> i32 { return 0; var a = 1; a = 2; return a; }
fn nested() -> i32 { { { return 1; } } }
fn both(b : bool) -> i32 { if b { return 1; } else { return 2; } }
fn chain(b : bool, c : bool) -> i32 { if b { return 1; } else if c { return 2; } else { return 3; } }
fn all_cases(i : i32) -> i32 { switch i { case 1 { return 1; } default { return 2; } } }
fn forever() -> i32 { loop { return 1; } }
fn loop_returns(b : bool) -> i32 { loop { if b { return 1; } } }
fn for_returns(b : bool) -> i32 { for (;;) { if b { return 1; } } }
fn continues(b : bool) -> i32 { loop { if b { continue; } return 1; } }

fn empty() -> i32 { }                                       // error missing_return: the function 'empty' can end without returning a value
fn one_branch(b : bool) -> i32 { if b { return 1; } }       // error missing_return:
fn no_else(b : bool) -> i32 { if b { return 1; } else if !b { return 2; } }  // error missing_return:
fn case_breaks(i : i32) -> i32 { switch i { case 1 { break; } default { return 2; } } }   // error missing_return:
fn loop_breaks(b : bool) -> i32 { loop { if b { break; } return 1; } }   // error missing_return:
fn while_(b : bool) -> i32 { while b { return 1; } }        // error missing_return:
fn for_(n : i32) -> i32 { for (var i = 0; i < n; i++) { return 1; } }    // error missing_return:
fn break_if(b : bool) -> i32 { loop { if b { return 1; } continuing { break if b; } } }   // error missing_return:
fn discards() -> i32 { discard; }                           // error missing_return:
