// A function has a stage, sizes, @must_use and filters, and nothing else.
@align(4)          // error misplaced_attribute@1: '@align' cannot be used on a function, only on a member of a structure
@binding(0)        // error misplaced_attribute: '@binding' cannot be used on a function
@location(0)       // error misplaced_attribute: only on a parameter or the result of a function or a member of a structure
@id(0)             // error misplaced_attribute: only on an override
fn f() {}
