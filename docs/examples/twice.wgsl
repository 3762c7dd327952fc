// SPDX-License-Identifier: Apache-2.0
//
// A mistake for docs/cli.md: a parameter and a local of the body share a scope.
fn twice(x : i32) -> i32 {
  let x = 2 * x;
  return x;
}
