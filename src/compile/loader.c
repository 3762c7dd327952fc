// SPDX-License-Identifier: Apache-2.0
/*
 * loader.c - puts the sections of an ELF object into memory and joins them.
 *
 * in     the bytes of a relocatable object for this machine
 * out    memory that can be executed
 * knows  ELF64, the relocations that LLVM uses for position-independent code on
 *        x86-64 and AArch64
 * not    libraries: the only outside functions are those in `helpers`
 *
 * LLVM's own loaders do this too, but take longer than a whole cache hit may.
 */
#define _GNU_SOURCE
#include "compile/loader.h"

#include <elf.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/macro.h"
#include "compile/half.h"

#define MAX_SECTIONS 256u
#define MAX_IMAGE    (256u << 20)
#define STUB_SIZE    16u

#if defined(__x86_64__)
#define THIS_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE EM_AARCH64
#else
#error "Weft's loader knows x86-64 and AArch64"
#endif

/* What generated code may call. */
static const struct {
    const char *name;
    void      (*function)(void);
} helpers[] = {
    {"memset", (void (*)(void))memset},
    {"memcpy", (void (*)(void))memcpy},
    {"memmove", (void (*)(void))memmove},
    /* For the least and greatest of two f16 where machines have none: LLVM takes f32,
     * and these even where an instruction would do. */
    {"fminf", (void (*)(void))fminf},
    {"fmaxf", (void (*)(void))fmaxf},
    /* Where machines have none: f64 is fused exactly. */
    {"fma", (void (*)(void))fma},
    /* Where machines cannot convert f16. */
    {"__extendhfsf2", (void (*)(void))half_extend},
    {"__truncsfhf2", (void (*)(void))half_truncate},
    {"__truncdfhf2", (void (*)(void))half_truncate_double},
};

typedef struct Load {
    const uint8_t    *bytes;
    size_t            size;
    const Elf64_Ehdr *head;
    const Elf64_Shdr *sections;
    uint32_t          nsections;
    size_t            place[MAX_SECTIONS];  /* in the image; SIZE_MAX: not loaded */
    size_t            stubs;                /* where stubs begin                  */
    size_t            image_size;
    uint8_t          *image;
    const Elf64_Sym  *symbols;
    uint32_t          nsymbols;
    const char       *strings;
    size_t            strings_size;
    const char       *why;
} Load;

static bool fail(Load *l, const char *why)
{
    l->why = why;
    return false;
}

static bool inside(const Load *l, uint64_t offset, uint64_t size)
{
    return offset <= l->size && size <= l->size - offset;
}

/* ---- the file ---- */

static bool read_head(Load *l)
{
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)l->bytes;
    if (l->size < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) != 0)
        return fail(l, "not an ELF file");
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_type != ET_REL ||
        h->e_machine != THIS_MACHINE)
        return fail(l, "not an object for this machine");
    if (h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shnum > MAX_SECTIONS ||
        h->e_shoff % 8 || !inside(l, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr)))
        return fail(l, "bad section table");
    l->head = h;
    l->sections = (const Elf64_Shdr *)(l->bytes + h->e_shoff);
    l->nsections = h->e_shnum;
    return true;
}

static bool check_section(Load *l, const Elf64_Shdr *s)
{
    if (s->sh_type != SHT_NOBITS && !inside(l, s->sh_offset, s->sh_size))
        return fail(l, "a section lies outside the file");
    if (s->sh_size > MAX_IMAGE || s->sh_addralign > 4096)
        return fail(l, "a section is too large");
    return true;
}

static bool read_symbols(Load *l, const Elf64_Shdr *s)
{
    if (s->sh_entsize != sizeof(Elf64_Sym) || s->sh_offset % 8 || s->sh_link >= l->nsections)
        return fail(l, "bad symbol table");
    const Elf64_Shdr *names = &l->sections[s->sh_link];
    if (!check_section(l, names) || names->sh_size == 0 ||
        l->bytes[names->sh_offset + names->sh_size - 1] != 0)
        return fail(l, "bad names of symbols");
    l->symbols = (const Elf64_Sym *)(l->bytes + s->sh_offset);
    l->nsymbols = (uint32_t)(s->sh_size / sizeof(Elf64_Sym));
    l->strings = (const char *)l->bytes + names->sh_offset;
    l->strings_size = names->sh_size;
    return true;
}

static size_t align_up(size_t n, size_t to)
{
    return to > 1 ? (n + to - 1) / to * to : n;
}

static bool place_sections(Load *l)
{
    for (uint32_t i = 0; i < l->nsections; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        l->place[i] = SIZE_MAX;
        if (!check_section(l, s))
            return false;
        if (s->sh_type == SHT_SYMTAB && !read_symbols(l, s))
            return false;
        if (!(s->sh_flags & SHF_ALLOC))
            continue;
        l->place[i] = align_up(l->image_size, (size_t)s->sh_addralign);
        l->image_size = l->place[i] + (size_t)s->sh_size;
        if (l->image_size > MAX_IMAGE)
            return fail(l, "the code is too large");
    }
    l->stubs = align_up(l->image_size, STUB_SIZE);
    l->image_size = l->stubs + COUNTOF(helpers) * STUB_SIZE;
    return l->symbols ? true : fail(l, "no symbols");
}

static bool map_image(Load *l)
{
    void *memory = mmap(NULL, l->image_size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return fail(l, "no memory for code");
    l->image = memory;
    for (uint32_t i = 0; i < l->nsections; i++) {
        const Elf64_Shdr *s = &l->sections[i];
        if (l->place[i] != SIZE_MAX && s->sh_type != SHT_NOBITS)
            memcpy(l->image + l->place[i], l->bytes + s->sh_offset, s->sh_size);
    }
    return true;
}

/* ---- outside functions, through a jump that reaches any address ---- */

static void write_stub(uint8_t *stub, uint64_t target)
{
#if defined(__x86_64__)
    static const uint8_t jump[6] = {0xff, 0x25, 0x02, 0x00, 0x00, 0x00}; /* jmp [rip+2] */
#else
    static const uint8_t jump[8] = {0x50, 0x00, 0x00, 0x58,     /* ldr x16, .+8 */
                                    0x00, 0x02, 0x1f, 0xd6};    /* br x16       */
#endif
    memcpy(stub, jump, sizeof jump);
    memcpy(stub + 8, &target, sizeof target);
}

static void write_stubs(Load *l)
{
    for (size_t i = 0; i < COUNTOF(helpers); i++)
        write_stub(l->image + l->stubs + i * STUB_SIZE, (uint64_t)(uintptr_t)helpers[i].function);
}

static bool symbol_address(Load *l, uint32_t index, uint64_t *out)
{
    if (index >= l->nsymbols)
        return fail(l, "a relocation names no symbol");
    const Elf64_Sym *s = &l->symbols[index];
    if (s->st_name >= l->strings_size)
        return fail(l, "bad name of a symbol");
    if (s->st_shndx == SHN_UNDEF) {
        const char *name = l->strings + s->st_name;
        for (size_t i = 0; i < COUNTOF(helpers); i++)
            if (strcmp(name, helpers[i].name) == 0) {
                *out = (uint64_t)(uintptr_t)(l->image + l->stubs + i * STUB_SIZE);
                return true;
            }
        return fail(l, "the code calls a function that is not provided");
    }
    if (s->st_shndx >= l->nsections || l->place[s->st_shndx] == SIZE_MAX ||
        s->st_value > l->sections[s->st_shndx].sh_size)
        return fail(l, "bad symbol");
    *out = (uint64_t)(uintptr_t)(l->image + l->place[s->st_shndx]) + s->st_value;
    return true;
}

/* ---- relocations ---- */

static void add_u32(uint8_t *at, uint32_t clear, uint32_t bits)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    word = (word & ~clear) | bits;
    memcpy(at, &word, sizeof word);
}

#if defined(__x86_64__)

static bool relocate(Load *l, uint32_t type, uint8_t *at, uint64_t target)
{
    uint64_t here = (uint64_t)(uintptr_t)at;
    int64_t distance = (int64_t)(target - here);
    switch (type) {
    case R_X86_64_64:
        memcpy(at, &target, 8);
        return true;
    case R_X86_64_PC64:
        memcpy(at, &distance, 8);
        return true;
    case R_X86_64_PC32: case R_X86_64_PLT32:
        if (distance < INT32_MIN || distance > INT32_MAX)
            return fail(l, "a target is too far away");
        add_u32(at, UINT32_MAX, (uint32_t)distance);
        return true;
    default:
        return fail(l, "a kind of relocation that is not known");
    }
}

static size_t relocation_size(uint32_t type)
{
    return type == R_X86_64_64 || type == R_X86_64_PC64 ? 8 : 4;
}

#else

static bool relocate(Load *l, uint32_t type, uint8_t *at, uint64_t target)
{
    uint64_t here = (uint64_t)(uintptr_t)at;
    int64_t distance = (int64_t)(target - here);
    int64_t pages = (int64_t)((target & ~0xfffull) - (here & ~0xfffull)) >> 12;
    uint32_t low = (uint32_t)(target & 0xfff);
    switch (type) {
    case R_AARCH64_ABS64: memcpy(at, &target, 8); return true;
    case R_AARCH64_PREL64: memcpy(at, &distance, 8); return true;
    case R_AARCH64_PREL32: add_u32(at, UINT32_MAX, (uint32_t)distance); return true;
    case R_AARCH64_CALL26: case R_AARCH64_JUMP26:
        add_u32(at, 0x3ffffff, (uint32_t)(distance >> 2) & 0x3ffffff);
        return true;
    case R_AARCH64_ADR_PREL_PG_HI21:
        add_u32(at, 0x60ffffe0u, (uint32_t)(pages & 3) << 29 |
                                 (uint32_t)(pages >> 2 & 0x7ffff) << 5);
        return true;
    case R_AARCH64_ADD_ABS_LO12_NC: case R_AARCH64_LDST8_ABS_LO12_NC:
        add_u32(at, 0x3ffc00, low << 10);
        return true;
    case R_AARCH64_LDST16_ABS_LO12_NC: add_u32(at, 0x3ffc00, low >> 1 << 10); return true;
    case R_AARCH64_LDST32_ABS_LO12_NC: add_u32(at, 0x3ffc00, low >> 2 << 10); return true;
    case R_AARCH64_LDST64_ABS_LO12_NC: add_u32(at, 0x3ffc00, low >> 3 << 10); return true;
    case R_AARCH64_LDST128_ABS_LO12_NC: add_u32(at, 0x3ffc00, low >> 4 << 10); return true;
    default: return fail(l, "a kind of relocation that is not known");
    }
}

static size_t relocation_size(uint32_t type)
{
    return type == R_AARCH64_ABS64 || type == R_AARCH64_PREL64 ? 8 : 4;
}

#endif

static bool relocate_section(Load *l, const Elf64_Shdr *s)
{
    if (s->sh_info >= l->nsections || s->sh_entsize != sizeof(Elf64_Rela) || s->sh_offset % 8)
        return fail(l, "bad relocation section");
    if (l->place[s->sh_info] == SIZE_MAX)
        return true;                        /* debug information */
    uint8_t *base = l->image + l->place[s->sh_info];
    uint64_t room = l->sections[s->sh_info].sh_size;
    const Elf64_Rela *r = (const Elf64_Rela *)(l->bytes + s->sh_offset);
    for (uint64_t i = 0; i < s->sh_size / sizeof *r; i++) {
        uint64_t symbol;
        uint32_t type = (uint32_t)ELF64_R_TYPE(r[i].r_info);
        if (r[i].r_offset > room || relocation_size(type) > room - r[i].r_offset)
            return fail(l, "a relocation lies outside its section");
        if (!symbol_address(l, (uint32_t)ELF64_R_SYM(r[i].r_info), &symbol) ||
            !relocate(l, type, base + r[i].r_offset, symbol + (uint64_t)r[i].r_addend))
            return false;
    }
    return true;
}

static bool relocate_all(Load *l)
{
    for (uint32_t i = 0; i < l->nsections; i++) {
        if (l->sections[i].sh_type == SHT_REL)
            return fail(l, "relocations without addends");
        if (l->sections[i].sh_type == SHT_RELA && !relocate_section(l, &l->sections[i]))
            return false;
    }
    return true;
}

/* ---- the entry ---- */

static bool find_entry(Load *l, const char *name, void **out)
{
    for (uint32_t i = 0; i < l->nsymbols; i++) {
        const Elf64_Sym *s = &l->symbols[i];
        if (s->st_name >= l->strings_size || s->st_shndx == SHN_UNDEF ||
            ELF64_ST_TYPE(s->st_info) != STT_FUNC || strcmp(l->strings + s->st_name, name))
            continue;
        uint64_t address;
        if (!symbol_address(l, i, &address))
            return false;
        *out = (void *)(uintptr_t)address;
        return true;
    }
    return fail(l, "the entry is missing");
}

/* Where memory that was writable may not become executable (PR_SET_MDWE, SELinux), a file in
 * memory with the same bytes is mapped in its place, at the same address. */
static bool map_as_file(const Load *l)
{
    int  fd = memfd_create("weft-kernel", MFD_CLOEXEC);
    bool ok = fd >= 0;
    for (size_t at = 0; ok && at < l->image_size;) {
        ssize_t n = write(fd, l->image + at, l->image_size - at);
        ok = n > 0;
        at += ok ? (size_t)n : 0;
    }
    ok = ok && mmap(l->image, l->image_size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
                    0) != MAP_FAILED;
    if (fd >= 0)
        close(fd);
    return ok;
}

bool loader_open(LoadedCode *out, const void *object, size_t size, const char *entry,
                 const char **why)
{
    bool ok = false;
    void *function = NULL;
    Load l = {.bytes = object, .size = size};
    if (((uintptr_t)object & 7) != 0) {
        l.why = "the object is not aligned";
        goto done;
    }
    if (!read_head(&l) || !place_sections(&l) || !map_image(&l))
        goto done;
    write_stubs(&l);
    if (!relocate_all(&l) || !find_entry(&l, entry, &function))
        goto done;
    if (mprotect(l.image, l.image_size, PROT_READ | PROT_EXEC) != 0 && !map_as_file(&l)) {
        l.why = "the system allows no generated code";
        goto done;
    }
    __builtin___clear_cache((char *)l.image, (char *)l.image + l.image_size);
    *out = (LoadedCode){l.image, l.image_size, function};
    l.image = NULL;
    ok = true;
done:
    if (l.image)
        munmap(l.image, l.image_size);
    *why = l.why;
    return ok;
}

void loader_close(LoadedCode *code)
{
    if (code->memory)
        munmap(code->memory, code->size);
    *code = (LoadedCode){0};
}
