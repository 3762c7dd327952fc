// SPDX-License-Identifier: Apache-2.0
@compute @workgroup_size(64, 2) fn main() {}
