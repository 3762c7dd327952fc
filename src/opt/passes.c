// SPDX-License-Identifier: Apache-2.0
/*
 * passes.c - the passes, in the order they happen.
 */
#include "opt/opt.h"

const OptPass opt_passes[] = {
    {"promote",  opt_promote,  "variables of one invocation become values"},
    {"simplify", opt_simplify, "what is known now is not computed later"},
    {"prune",    opt_prune,    "most of what promotion added is not needed"},
    {"arrays",   opt_unroll_arrays, "indices that loops count are constants, if unrolled"},
    {"flatten",  opt_flatten,  "a jump costs more than a few operations"},
    {"f64",      opt_f64,      "no machine has functions of f64"},
    {"merge",    opt_merge,    "what is computed twice is computed once"},
    {"again",    opt_again,    "what was in memory need not be loaded again"},
    {"settle",   opt_simplify, "merging shows more values to be one"},
    {"induction", opt_induction, "what a loop tests bounds what it counts beside that"},
    {"unsigned", opt_unsigned, "index arithmetic in i32 has the facts of u32"},
    {"trim",     opt_prune,    "and leaves more that is not needed"},
    {"vars",     opt_drop_vars, "memory for variables that are values now"},
};

const uint32_t opt_pass_count = COUNTOF(opt_passes);
