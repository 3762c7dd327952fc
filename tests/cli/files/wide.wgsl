// SPDX-License-Identifier: Apache-2.0
fn f() {
	let 日本 = 1; let é = nowhere + 日本;	// 😀
	/* 😀 */ let x = elsewhere;
}
