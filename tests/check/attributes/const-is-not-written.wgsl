// @const describes builtin functions in the specification.
@const fn f() {}  // error misplaced_attribute: '@const' describes builtin functions
