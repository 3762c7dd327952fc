// f16 in all its spellings needs the extension.
var<private> a : f16;             // error extension_not_enabled: 'f16' needs 'enable f16;'
var<private> b : vec3h;           // error extension_not_enabled: 'f16'
var<private> c : mat2x2h;         // error extension_not_enabled: 'f16'
var<private> d : array<f16, 4>;   // error extension_not_enabled: 'f16'
const e = 1h;                     // error extension_not_enabled: 'f16'
const f = f16(1);                 // error extension_not_enabled: 'f16'
const g = vec2<f16>();            // error extension_not_enabled: 'f16'
const h = vec2h(1, 2);            // error extension_not_enabled: 'f16'
