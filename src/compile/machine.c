// SPDX-License-Identifier: Apache-2.0
/*
 * machine.c - the processor that kernels are compiled for, by name.
 *
 * in     a name (vector/machines.def)
 * out    a Machine, or a diagnostic that says what there is
 * knows  which code generators LLVM has, and what this machine can run
 * not    kernels
 */
#include "compile/compile.h"
#include "emit/llvm/emit.h"

/* "haswell, skylake and znver3" */
static const char *list_machines(Arena *arena)
{
    const char *list = "";
    for (const char *const *n = machine_names(); *n; n++)
        list = arena_printf(arena, "%s%s%s", list, n == machine_names() ? ""
                                                : n[1] ? ", " : " and ", *n);
    return list;
}

bool compile_find_machine(Machine *out, const char *name, bool to_run, Diag *diag)
{
    Machine m;
    const char *missing = NULL;
    if (!machine_find(&m, name)) {
        diag_add(diag, DIAG_unknown_processor, (Span){0},
                 "there is no processor '%s': known are %s", name, list_machines(diag->arena));
        return false;
    }
    if (!emit_has_target(&m)) {
        diag_add(diag, DIAG_unknown_processor, (Span){0},
                 "the LLVM of this build makes no code for '%s'", name);
        return false;
    }
    if (to_run && (missing = machine_missing(diag->arena, emit_host(), &m))) {
        diag_add(diag, DIAG_unknown_processor, (Span){0},
                 "this machine cannot run code for '%s': that needs %s", name, missing);
        return false;
    }
    *out = m;
    return true;
}
