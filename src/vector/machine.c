// SPDX-License-Identifier: Apache-2.0
/*
 * machine.c - processors by their features, and by name.
 *
 * in     feature strings such as "+avx2,+fma"
 * out    Machine
 * knows  which instructions belong to which feature
 * not    LLVM, kernels
 */
#include "vector/machine.h"

#include <string.h>

typedef struct Row {
    const char *name;
    MachineArch arch;
    const char *features;
} Row;

static const Row rows[] = {
#define MACHINE(name, arch, features) {name, MACHINE_##arch, features},
#include "vector/machines.def"
#undef MACHINE
};

static const char *const names[] = {
#define MACHINE(name, arch, features) name,
#include "vector/machines.def"
#undef MACHINE
    NULL,
};

static bool has(const char *features, const char *name, size_t len)
{
    for (const char *at = features; (at = strstr(at, name)); at += len)
        if (at > features && at[-1] == '+' && (at[len] == ',' || at[len] == '\0'))
            return true;
    return false;
}

static bool has_feature(const char *features, const char *name)
{
    return has(features, name, strlen(name));
}

static void describe_x86(Machine *m)
{
    const char *f = m->features;
    bool wide = has_feature(f, "avx512f");
    m->has_avx2 = has_feature(f, "avx2");
    m->has_mask_registers = wide;
    m->lanes = wide ? 16 : m->has_avx2 ? 8 : 4;
    m->registers = wide ? 32 : 16;
    m->has_fma = has_feature(f, "fma");
    m->converts_f16 = has_feature(f, "f16c");
    m->has_f16 = has_feature(f, "avx512fp16");
    m->has_stream = has_feature(f, "avx");
    if (has_feature(f, "avx512vnni") && has_feature(f, "avx512vl"))
        m->dot_lanes = 16;
    else if (has_feature(f, "avxvnni"))
        m->dot_lanes = 8;
    if (m->has_fma)
        m->estimate_lanes = wide && has_feature(f, "avx512vl") ? 16 : 8;
}

Machine machine_of(MachineArch arch, const char *name, const char *features)
{
    Machine m = {.name = name, .features = features, .arch = arch, .lanes = 4,
                 .registers = 32, .has_fma = true, .converts_f16 = true};
    if (arch == MACHINE_X86_64) {
        describe_x86(&m);
    } else {
        m.has_f16 = has_feature(features, "fullfp16");
        m.dot_lanes = has_feature(features, "dotprod") ? 4 : 0;
    }
    return m;
}

bool machine_find(Machine *out, const char *name)
{
    static const char *const triples[] = {
        [MACHINE_X86_64] = "x86_64-unknown-linux-gnu",
        [MACHINE_AARCH64] = "aarch64-unknown-linux-gnu",
    };
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        *out = machine_of(rows[i].arch, rows[i].name, rows[i].features);
        out->triple = triples[rows[i].arch];
        return true;
    }
    return false;
}

const char *const *machine_names(void)
{
    return names;
}

const char *machine_missing(Arena *arena, const Machine *host, const Machine *wanted)
{
    static const char *const archs[] = {"x86-64", "AArch64", "another"};
    if (host->arch != wanted->arch)
        return arena_printf(arena, "%s processors", archs[wanted->arch]);
    for (const char *at = wanted->features; *at;) {
        size_t len = strcspn(at, ",");
        const char *name = arena_printf(arena, "%.*s", (int)len - 1, at + 1);
        if (!has_feature(host->features, name))
            return name;
        at += len + (at[len] == ',');
    }
    return NULL;
}
