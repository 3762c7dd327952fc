alias A = vec2<>;                 // error unexpected_token@15: a template list needs at least one argument
alias B = vec2<f32;               // error unexpected_token@15: this '<' opens a template list that no '>' closes
alias C = array<f32, 4 5>;        // error unexpected_token@24: expected ',' or '>' in the template list, found '5'
alias D = array<f32,,>;           // error unexpected_token@21: expected an expression, found ','
alias E = array<,>;               // error unexpected_token@17: expected an expression, found ','
var<> x : i32;                    // error unexpected_token@4: a template list needs at least one argument
fn f(a : vec3<f32) { }            // error unexpected_token@14: this '<' opens a template list that no '>' closes
fn g() {
  let a = vec2<f32>;              // error not_a_value:
  let b = 1;
  let c = max(b<b, b>b);          // error unexpected_token@22: expected ',' or ')' in the list of arguments, found 'b'
}
