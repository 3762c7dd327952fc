#define A 1                           // error unknown_character@1: WGSL has no preprocessor
const a = 1;
#include "b.h"                        // error unknown_character@1: WGSL has no preprocessor
const b = 1;
