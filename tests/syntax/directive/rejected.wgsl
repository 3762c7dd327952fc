enable;                                    // error unexpected_token@7: expected the name of an extension, found ';'
enable f16 subgroups;                      // error unexpected_token@12: expected ';' after the directive, found 'subgroups'
enable ,;                                  // error unexpected_token@8: expected the name of an extension, found ','
enable "f16";                              // error unknown_character@8: WGSL has no strings
requires;                                  // error unexpected_token@9: expected the name of a language feature, found ';'
diagnostic(off);                           // error unexpected_token@15: expected ',' after the severity, found ')'
diagnostic off, derivative_uniformity;     // error unexpected_token@12: expected '(' after 'diagnostic', found 'off'
diagnostic(off, derivative_uniformity;     // error unexpected_token@38: expected ')' after the diagnostic rule, found ';'
const a = 1;
