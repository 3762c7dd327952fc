const a = 1;
/* closed */ const b = 2;
// error-next-line unterminated_comment: this comment has no '*/'
/* open /* closed */ const c = 3;
