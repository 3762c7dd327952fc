// error-next-line unexpected_token@11: expected ';' after the directive, found 'const'
enable f16
const a = 1h;
