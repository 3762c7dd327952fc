// Calls of builtin functions: what is said of those that do not fit.
fn counts() {
  _ = clamp(1, 2);           // error argument_count: 'clamp' takes 3 arguments, but 2 are given
  _ = abs();                 // error argument_count: 'abs' takes 1 argument, but 0 are given
}

fn types(f : f32, u : u32, v : vec3<f32>, p : ptr<function, f32>) {
  _ = clamp(f, u, f);        // error argument_type@16: the 2nd argument of 'clamp', 'low', is 'u32', but must be 'f32'
  _ = clamp(v, v, f);        // error argument_type@19: the 3rd argument of 'clamp', 'high', is 'f32', but must be 'vec3<f32>'
  _ = sin(u);                // error argument_type: the 1st argument of 'sin', 'e', is 'u32', but must be f32, or a vector of these
  _ = abs(p);                // error argument_type: is 'ptr<function, f32>', but must be
  _ = mix(v, f, f);          // error argument_type: the 2nd argument of 'mix', 'e2', is 'f32', but must be 'vec3<f32>'
  _ = mix(v, v, u);          // error argument_type: no overload of 'mix' takes 'u32' as its 3rd argument
  _ = select(f, u, true);    // error argument_type: the 2nd argument of 'select', 't', is 'u32', but must be 'f32'
}

fn templates(u : u32) {
  _ = abs<u32>(u);           // error template_arguments: 'abs' takes no template list
  _ = bitcast(u);            // error template_arguments: 'bitcast' needs one template argument
  _ = bitcast<u32, u32>(u);  // error template_arguments: 'bitcast' needs one template argument
  _ = bitcast<bool>(u);      // error argument_type: the bits of 'u32' cannot be read as 'bool'
  _ = bitcast<vec2<u32>>(u); // error argument_type: the bits of 'u32' cannot be read as 'vec2<u32>'
  _ = bitcast<u32>(-1);      // error conversion_range: -1
  _ = bitcast<f32>(-1);      // error not_finite: bitcast(-1)
}

fn misspelt() {
  _ = abss(1);               // error unresolved_name: 'abss'
  _ = textureSampel(1);      // error unresolved_name: 'textureSampel'
}

fn one_mistake_one_error(f : f32, u : u32) {
  _ = sin(cos(u));           // error argument_type: of 'cos'
  _ = sin(f + u);            // error operand_type:
  _ = max(vec2(f, u), 1);    // error constructor_arguments:
  _ = vec2(sin(u), unknown); // error argument_type: 'sin' // error unresolved_name: 'unknown'
}

fn needs_subgroups() {
  _ = subgroupAdd(1);        // error extension_not_enabled: subgroupAdd
}
