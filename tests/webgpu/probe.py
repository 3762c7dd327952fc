# SPDX-License-Identifier: Apache-2.0
"""probe - turns facts into a program that checks them.

in     the rows of facts.tsv
out    the text of one program, good as C11 and as C++17. It prints each fact
       that is not so, with what is so instead, and exits with 1 if there is one.
knows  how each kind of fact is put to a compiler
not    which facts there are. Types are compared in C++, where no two of them
       are compatible by accident; C compares each function with its WGPUProc.
"""
import collections

PRELUDE = r"""
#include <webgpu/weft.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

static int bad;

static void num(const char *fact, unsigned long long want, unsigned long long is)
{
    if (want != is && ++bad)
        printf("%s: want %llu, is %llu\n", fact, want, is);
}

static void real(const char *fact, double want, double is)
{
    if (!(isnan(want) ? isnan(is) != 0 : want == is) && ++bad)
        printf("%s: want %g, is %g\n", fact, want, is);
}

static void yes(const char *fact, int is)
{
    if (!is && ++bad)
        printf("%s: is not so\n", fact);
}

#ifdef __cplusplus
#include <type_traits>
#define ALIGN(type)            alignof(type)
#define SAME(fact, a, ...)     yes(fact, std::is_same<a, __VA_ARGS__>::value)
#define POINTS(fact, a, ...)   yes(fact, std::is_same<a, std::add_pointer<__VA_ARGS__>::type>::value)
#define PROC(fact, proc, name) yes(fact, std::is_same<proc, decltype(&name)>::value)
#define MEMBER(type, name)     decltype(type::name)
#define FUNCTION(name)         decltype(&name)
#else
#define ALIGN(type)            _Alignof(type)
#define SAME(fact, a, ...)     (void)0
#define POINTS(fact, a, ...)   (void)0
#define PROC(fact, proc, name) yes(fact, _Generic(&name, proc: 1, default: 0))
#endif
"""


def quoted(fact):
    return f'"{fact.kind} {fact.name}"'


def scalar(fact):
    return [f"SAME({quoted(fact)}, {fact.name}, {fact.value});"]


def handle(fact):
    return [f"SAME({quoted(fact)}, {fact.name}, {fact.value});",
            f"num({quoted(fact)}, sizeof(void *), sizeof({fact.name}));"]


def macro(fact):
    return ["#ifndef " + fact.name, f"yes({quoted(fact)}, 0);", "#endif"]


def number(fact):
    if fact.value == "nan":
        return [f"real({quoted(fact)}, NAN, {fact.name});"]
    return [f"num({quoted(fact)}, {fact.value}u, (unsigned long long){fact.name});"]


def enum(fact):
    return [f"num({quoted(fact)}, 4, sizeof({fact.name}));"]


def flags(fact):
    return [f"num({quoted(fact)}, 8, sizeof({fact.name}));"]


def struct(fact):
    size, align, _ = fact.value.split(" ", 2)
    return [f"num({quoted(fact)}, {size}, sizeof({fact.name}));",
            f"num({quoted(fact)}, {align}, ALIGN({fact.name}));"]


def member(fact):
    offset, size, kind = fact.value.split(" ", 2)
    of, name = fact.name.split(".")
    return [f"num({quoted(fact)}, {offset}, offsetof({of}, {name}));",
            f"num({quoted(fact)}, {size}, sizeof((({of} *)0)->{name}));",
            f"SAME({quoted(fact)}, MEMBER({of}, {name}), {kind});"]


def pointer(fact):
    return [f"POINTS({quoted(fact)}, {fact.name}, {fact.value});"]


def function(fact):
    proc = "WGPUProc" + fact.name[len("wgpu"):]
    return [f"POINTS({quoted(fact)}, FUNCTION({fact.name}), {fact.value});",
            f"PROC({quoted(fact)}, {proc}, {fact.name});"]


PUT = {"scalar": scalar, "handle": handle, "macro": macro, "constant": number,
       "enum": enum, "value": number, "flags": flags, "flag": number,
       "struct": struct, "member": member, "pointer": pointer,
       "function": function}


def default(fact):
    at = "x." + fact.name.split(".", 1)[1]
    if fact.value == "null":
        return f"yes({quoted(fact)}, {at} == NULL);"
    if fact.value.isdigit():
        return (f"num({quoted(fact)}, {fact.value}u, (unsigned long long){at});"
                f" real({quoted(fact)}, (double){fact.value}u, (double){at});")
    return f"real({quoted(fact)}, {fact.value.upper()}, {at});"


def inits(facts):
    """One block for each init macro: it defines, it assigns, it sets its defaults."""
    defaults = collections.defaultdict(list)
    for fact in facts:
        if fact.kind == "default":
            defaults[fact.name.split(".")[0]].append(fact)
    for fact in facts:
        if fact.kind == "init":
            yield "{"
            yield f"    {fact.value} x = {fact.name};"
            yield f"    x = {fact.name};"
            for one in defaults[fact.value]:
                yield "    " + default(one)
            yield "}"


def program(facts):
    lines = [PRELUDE, "int main(void)", "{"]
    for fact in facts:
        if fact.kind in PUT:
            lines += PUT[fact.kind](fact)
    lines += inits(facts)
    lines += ["return bad != 0;", "}", ""]
    return "\n".join(lines)
