# SPDX-License-Identifier: Apache-2.0
"""onnx_test.py - runs the single-operator test cases of ONNX on the operators of weft/tensor.h.

usage  WEFT_LIB=libweft.so onnx_test.py [--bar N] [--only SUBSTRING] [--list]

The cases come from Debian's libonnx-testdata. Those with more than one node, or with element
types that Weft does not have, are no part of the count. A case that Weft does not run must have
a reason in REASONS; every other failure is an error.
"""
import argparse
import collections
import os
import sys
import warnings

try:
    import numpy as np
except ImportError:
    print("skipped: NumPy is not there (Debian package python3-numpy)")
    sys.exit(77)

import onnx_file
from onnx_file import Model, Unsupported
from onnx_ops import OPS
from weft_ctypes import Weft, WeftError

warnings.simplefilter("ignore")
DATA = "/usr/share/libonnx-testdata/data/node"
SKIPPED = 77                            # what CTest takes for a skipped test

MISSING = "the library has no such operator"

# operator or case: why it does not run
REASONS = {
    "Bernoulli": "its expected values come from another random generator",
    "GRU": "recurrent layers are not part of weft/tensor.h",
    "LSTM": "recurrent layers are not part of weft/tensor.h",
    "RNN": "recurrent layers are not part of weft/tensor.h",
    "DFT": "Fourier transforms are not part of weft/tensor.h",
    "STFT": "Fourier transforms are not part of weft/tensor.h",
    "MelWeightMatrix": "audio features are not part of weft/tensor.h",
    "TfIdfVectorizer": "text features are not part of weft/tensor.h",
    "NonMaxSuppression": "selection of boxes is not part of weft/tensor.h",
    "RoiAlign": "not part of weft/tensor.h",
    "GridSample": "not part of weft/tensor.h",
    "MaxUnpool": "not part of weft/tensor.h",
    "test_unique_not_sorted_without_axis": "weft_tensor_unique() sorts",
    "test_unique_sorted_with_axis": "weft_tensor_unique() compares elements, not slices",
    "test_unique_sorted_with_axis_3d": "weft_tensor_unique() compares elements, not slices",
    "test_unique_sorted_with_negative_axis": "weft_tensor_unique() compares elements, not slices",
    "test_resize_tf_crop_and_resize": "resizing has no regions",
    "Upsample": "replaced by Resize in ONNX",
    "test_adam_multiple": "the expected values use an epsilon that the model does not give",
    "test_averagepool_3d_default": "pooling has at most two spatial axes",
    "test_maxpool_3d_default": "pooling has at most two spatial axes",
    "test_convtranspose_3d": "convolution has at most two spatial axes",
    "test_maxpool_with_argmax_2d_precomputed_pads": "pooling gives no positions of maxima",
    "test_maxpool_with_argmax_2d_precomputed_strides": "pooling gives no positions of maxima",
    "test_training_dropout": "its expected values come from another random generator",
    "test_training_dropout_default": "its expected values come from another random generator",
    "test_training_dropout_default_mask": "its expected values come from another random generator",
    "test_training_dropout_mask": "its expected values come from another random generator",
    "QLinearConv": "quantised convolution is not part of weft/tensor.h",
}


class Case:
    def __init__(self, name):
        self.name = name
        folder = os.path.join(DATA, name)
        self.model = Model(open(os.path.join(folder, "model.onnx"), "rb").read())
        data = os.path.join(folder, "test_data_set_0")
        count = lambda kind: sum(f.startswith(kind) for f in os.listdir(data))
        read = lambda kind, i: onnx_file.tensor(
            open(os.path.join(data, f"{kind}_{i}.pb"), "rb").read())
        self.given = [read("input", i) for i in range(count("input"))]
        self.want = [read("output", i) for i in range(count("output"))]
        if len(self.model.nodes) != 1:
            raise Unsupported("several nodes")
        self.node = self.model.nodes[0]
        self.outputs = [n for n in self.node.outputs if n]
        by_name = dict(zip(self.model.inputs, self.given))
        by_name.update(self.model.constants)
        self.raw = [by_name[n] if n else None for n in self.node.inputs]
        types = {str(t.dtype) for t in self.given + self.want}
        if types & {"uint16", "int16", "uint64"}:
            raise Unsupported("types that Weft does not have")


def compare(got, want):
    if got.shape != want.shape:
        return f"shape {got.shape}, expected {want.shape}"
    if got.dtype != want.dtype:
        return f"type {got.dtype}, expected {want.dtype}"
    if want.dtype == np.uint8 or want.dtype == np.int8:
        return None if np.abs(got.astype(int) - want.astype(int)).max(initial=0) <= 1 else "values"
    close = np.isclose(got.astype(np.float64), want.astype(np.float64), rtol=2e-3, atol=2e-5,
                       equal_nan=True)
    return None if close.all() else f"{got[~close].ravel()[:3]}, expected {want[~close].ravel()[:3]}"


def run(w, case):
    """None if it passes, else what is wrong."""
    if case.node.op not in OPS:
        return "operator is not mapped"
    with w.scope():
        try:
            inputs = [None if r is None else w.array(r) for r in case.raw]
            out = OPS[case.node.op](w, inputs, case.node.attr, case)
            for got, want in zip(out, case.want):
                fault = compare(got.numpy(), want)
                if fault:
                    return fault
            return None if len(out) >= len(case.want) else "too few results"
        except (WeftError, Unsupported, AttributeError) as e:
            w.error()
            return MISSING if "undefined symbol" in str(e) else f"{type(e).__name__}: {e}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bar", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if not os.path.isdir(DATA):
        print(f"skipped: {DATA} is not there (Debian package libonnx-testdata)")
        return SKIPPED
    w, passed, left, wrong = Weft(), 0, collections.Counter(), []
    for name in sorted(os.listdir(DATA)):
        if options.only not in name:
            continue
        try:
            case = Case(name)
        except (Unsupported, ValueError, IndexError, KeyError):
            continue
        fault = run(w, case)
        reason = REASONS.get(case.node.op) or REASONS.get(name)
        if fault == MISSING:
            reason = MISSING
        if fault is None:
            passed += 1
        elif reason:
            left[reason] += 1
        else:
            wrong.append(f"{name} ({case.node.op}): {fault}")
            if options.list:
                print(wrong[-1][:300], flush=True)
    for reason, count in sorted(left.items()):
        print(f"{count:4} not run: {reason}")
    for line in [] if options.list else wrong:
        print(f"wrong: {line[:300]}")
    print(f"{passed} cases pass, {len(wrong)} fail, {sum(left.values())} are left out with a reason")
    return 1 if wrong or passed < options.bar else 0


if __name__ == "__main__":
    sys.exit(main())
