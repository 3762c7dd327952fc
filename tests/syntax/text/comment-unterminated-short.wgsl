// error-next-line unterminated_comment: this comment has no '*/'
const a = 1; /*/