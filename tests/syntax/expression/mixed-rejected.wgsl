fn f() {
  let a = 1;
  let b = 2;
  let c = 3u;
  let t = true;
  _ = a & b | a;       // error mixed_operators@13: '&' and '|' cannot be combined without parentheses
  _ = a | b ^ a;       // error mixed_operators@9: '^' and '|' cannot be combined
  _ = a ^ b & a;       // error mixed_operators@9: '&' and '^' cannot be combined
  _ = t && t || t;     // error mixed_operators@14: '&&' and '||' cannot be combined
  _ = t || t && t;     // error mixed_operators@9: '&&' and '||' cannot be combined
  _ = c << c << c;     // error mixed_operators@14: '<<' and '<<' cannot follow one another
  _ = c << c >> c;     // error mixed_operators@14: '<<' and '>>' cannot follow one another
  _ = c + c << c;      // error mixed_operators@13: '+' and '<<' cannot be combined
  _ = c << c + c;      // error mixed_operators@9: '+' and '<<' cannot be combined
  _ = c * c << c;      // error mixed_operators@13: '*' and '<<' cannot be combined
  _ = t == t == t;     // error mixed_operators@14: '==' and '==' cannot follow one another
  _ = t == t != t;     // error mixed_operators@14: '==' and '!=' cannot follow one another
  _ = a & b + a;       // error mixed_operators@9: '+' and '&' cannot be combined
  _ = a + b & a;       // error mixed_operators@13: '+' and '&' cannot be combined
  _ = t & t && t;      // error mixed_operators@13: '&' and '&&' cannot be combined
  _ = t && t & t;      // error mixed_operators@9: '&' and '&&' cannot be combined
  _ = (a & b) | a;
  _ = t && (t || t);
  _ = (c << c) << c;
}
