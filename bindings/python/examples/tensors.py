# SPDX-License-Identifier: Apache-2.0
"""A small network by hand: two layers, a softmax, the kernels that they become."""
import weft

x = weft.random.normal(1, (4, 8))
w1, w2 = weft.random.normal(2, (8, 16)), weft.random.normal(3, (16, 3))
hidden = weft.nn.gelu(x @ w1)
scores = weft.nn.softmax(hidden @ w2)
print("rows sum to", [round(v, 5) for v in weft.sum(scores, axis=-1).tolist()])
print("kernels so far:", scores.context.counter("tensor.kernels"))
