}                             // error unexpected_token@1: this '}' closes nothing
1;                            // error unexpected_token@1: expected a declaration, found '1'
a = 1;                        // error unexpected_token@1: expected a declaration, found 'a'
{ }                           // error unexpected_token@1: expected a declaration, found '{'
const b = 1;
if true { }                   // error unexpected_token@1: expected a declaration, found 'if'
