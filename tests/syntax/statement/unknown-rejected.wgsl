fn f() {
  )                                   // error unexpected_token@3: expected a statement, found ')'
  let a = 1;
  = 1;                                // error unexpected_token@3: expected a statement, found '='
  : a;                                // error unexpected_token@3: expected a statement, found ':'
  alias b = i32;                      // error unexpected_token@3: expected a statement, found 'alias'
  enable f16;                         // error unexpected_token@3: expected a statement, found 'enable'
  let c = 1;
}
