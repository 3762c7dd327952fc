fn f(a : bool) {
  loop { break; continuing { } continuing { } }  // error unexpected_token@17: 'continuing' must be the last statement of the loop's body // error unexpected_token@32: 'continuing' can only be the last statement of a 'loop' body
  loop { continuing { } break; }        // error unexpected_token@10: 'continuing' must be the last statement of the loop's body
  loop { break; { continuing { } } }    // error unexpected_token@19: 'continuing' can only be the last statement of a 'loop' body
  while a { continuing { } }            // error unexpected_token@13: 'continuing' can only be the last statement of a 'loop' body
  for (; a;) { continuing { } }         // error unexpected_token@16: 'continuing' can only be the last statement of a 'loop' body
  continuing { }                        // error unexpected_token@3: 'continuing' can only be the last statement of a 'loop' body
  loop { break; continuing }            // error unexpected_token@28: expected '{' to start the continuing block, found '}'
}
