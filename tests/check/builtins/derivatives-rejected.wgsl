// Calls that no overload fits, and results that are dropped: derivatives.
struct W { a : i32 }
var<private> w : W;
var<private> i1 : i32;
var<private> f1 : f32;

fn use_dpdx() {
  _ = dpdx();  // error argument_count: 'dpdx' takes 1 argument, but 0 are given
  _ = dpdx(f1, i1);  // error argument_count: 'dpdx' takes 1 argument, but 2 are given
  _ = dpdx(w);  // error argument_type: 'W'
  dpdx(f1);  // error result_not_used: the result of 'dpdx' must be used
}

fn use_dpdxCoarse() {
  _ = dpdxCoarse();  // error argument_count: 'dpdxCoarse' takes 1 argument, but 0 are given
  _ = dpdxCoarse(f1, i1);  // error argument_count: 'dpdxCoarse' takes 1 argument, but 2 are given
  _ = dpdxCoarse(w);  // error argument_type: 'W'
  dpdxCoarse(f1);  // error result_not_used: the result of 'dpdxCoarse' must be used
}

fn use_dpdxFine() {
  _ = dpdxFine();  // error argument_count: 'dpdxFine' takes 1 argument, but 0 are given
  _ = dpdxFine(f1, i1);  // error argument_count: 'dpdxFine' takes 1 argument, but 2 are given
  _ = dpdxFine(w);  // error argument_type: 'W'
  dpdxFine(f1);  // error result_not_used: the result of 'dpdxFine' must be used
}

fn use_dpdy() {
  _ = dpdy();  // error argument_count: 'dpdy' takes 1 argument, but 0 are given
  _ = dpdy(f1, i1);  // error argument_count: 'dpdy' takes 1 argument, but 2 are given
  _ = dpdy(w);  // error argument_type: 'W'
  dpdy(f1);  // error result_not_used: the result of 'dpdy' must be used
}

fn use_dpdyCoarse() {
  _ = dpdyCoarse();  // error argument_count: 'dpdyCoarse' takes 1 argument, but 0 are given
  _ = dpdyCoarse(f1, i1);  // error argument_count: 'dpdyCoarse' takes 1 argument, but 2 are given
  _ = dpdyCoarse(w);  // error argument_type: 'W'
  dpdyCoarse(f1);  // error result_not_used: the result of 'dpdyCoarse' must be used
}

fn use_dpdyFine() {
  _ = dpdyFine();  // error argument_count: 'dpdyFine' takes 1 argument, but 0 are given
  _ = dpdyFine(f1, i1);  // error argument_count: 'dpdyFine' takes 1 argument, but 2 are given
  _ = dpdyFine(w);  // error argument_type: 'W'
  dpdyFine(f1);  // error result_not_used: the result of 'dpdyFine' must be used
}

fn use_fwidth() {
  _ = fwidth();  // error argument_count: 'fwidth' takes 1 argument, but 0 are given
  _ = fwidth(f1, i1);  // error argument_count: 'fwidth' takes 1 argument, but 2 are given
  _ = fwidth(w);  // error argument_type: 'W'
  fwidth(f1);  // error result_not_used: the result of 'fwidth' must be used
}

fn use_fwidthCoarse() {
  _ = fwidthCoarse();  // error argument_count: 'fwidthCoarse' takes 1 argument, but 0 are given
  _ = fwidthCoarse(f1, i1);  // error argument_count: 'fwidthCoarse' takes 1 argument, but 2 are given
  _ = fwidthCoarse(w);  // error argument_type: 'W'
  fwidthCoarse(f1);  // error result_not_used: the result of 'fwidthCoarse' must be used
}

fn use_fwidthFine() {
  _ = fwidthFine();  // error argument_count: 'fwidthFine' takes 1 argument, but 0 are given
  _ = fwidthFine(f1, i1);  // error argument_count: 'fwidthFine' takes 1 argument, but 2 are given
  _ = fwidthFine(w);  // error argument_type: 'W'
  fwidthFine(f1);  // error result_not_used: the result of 'fwidthFine' must be used
}
