// SPDX-License-Identifier: Apache-2.0
const a = [31m; // â€®abc
const ÿ = 1;
