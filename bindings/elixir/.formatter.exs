# SPDX-License-Identifier: Apache-2.0
[inputs: ["mix.exs", "lib/**/*.ex", "test/**/*.exs"], line_length: 100]
