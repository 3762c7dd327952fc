fn f(i : i32, b : vec2<bool>) {
  if i { }                    // error type_mismatch: the condition of an if must have the type 'bool', found 'i32'
  if true { } else if 1 { }   // error type_mismatch: the condition of an if must have the type 'bool', found 'abstract-int'
  if b { }                    // error type_mismatch: found 'vec2<bool>'
  while 1.5 { break; }        // error type_mismatch: the condition of a while loop
  for (; i; ) { break; }      // error type_mismatch: the condition of a for loop
  loop { continuing { break if i; } }   // error type_mismatch: the condition of 'break if'
  var v = true;
  if v { }
  while all(b) { }
  for (var k = 0; k < 3; k++) { }
  loop { continuing { break if v; } }
}
