// A loop that nothing can leave.
fn a() { loop { } }                                   // error endless_loop: the loop never ends
fn b() { loop { continuing { } } }                    // error endless_loop:
fn c(x : bool) { loop { if x { continue; } } }        // error endless_loop:
fn d() { for (;;) { } }                               // error endless_loop:
fn e(x : i32) { loop { switch x { default { break; } } } }    // error endless_loop:
fn f() { loop { discard; } }                          // error endless_loop:
fn g(x : bool) { loop { loop { if x { break; } } } }  // error endless_loop:
fn h(x : bool) { loop { continue; if x { break; } } } // error endless_loop:
fn while_is_fine() { while true { } }
fn for_is_fine() { for (; true; ) { } }
fn return_is_fine(x : bool) { loop { if x { return; } } }
fn break_if_is_fine(x : bool) { loop { continuing { break if x; } } }
