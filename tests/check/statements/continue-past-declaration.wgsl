// A continue must not skip what the continuing block uses.
fn accepted() {
  var i = 0;
  loop {
    if i >= 4 { break; }
    let before = 1;
    if i % 2 == 0 { continue; }
    let unused = 2;
    {
      let inner = 3;
      if i == 3 { continue; }
      _ = inner;
    }
    loop {
      let own = 1;
      if own == i { continue; }
      break;
    }
    continuing {
      let before2 = before;
      i += before2;
    }
  }
}
fn skipped() {
  var i = 0;
  loop {
    if i >= 4 { break; }
    if i % 2 == 0 { continue; }       // error continue_past_declaration: skips the declaration of 'step', which the continuing block uses
    let step = 2;
    if i % 3 == 0 { continue; }
    continuing { i = i + step; }
  }
}
fn nested() {
  var i = 0;
  loop {
    let first = 1;
    { let a = 1; let b = 2; { if i == a + b { continue; } } }   // error continue_past_declaration: 'late'
    var late = 3;
    switch late { default { if i > 9 { break; } } }
    if i > 3 { break; }
    continuing {
      if i == 1 { i += late; }
      i += first;
    }
  }
  loop {
    loop {
      if i == 1 { continue; }         // error continue_past_declaration: 'x'
      const x = 1;
      continuing { i += x; break if i > 2; }
    }
    let y = 1;
    continuing { break if y > 2; }
  }
}
