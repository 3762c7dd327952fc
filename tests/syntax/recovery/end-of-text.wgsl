// error-next-line unexpected_token: expected '}' to end the function, found the end of the text
fn f() { let a = 1;