// SPDX-License-Identifier: Apache-2.0
const a = 1;
const a = 2;
@compute fn f() {}
