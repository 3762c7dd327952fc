// SPDX-License-Identifier: Apache-2.0
/*
 * loader.h - an object file of ours made callable.
 */
#ifndef WEFT_COMPILE_LOADER_H
#define WEFT_COMPILE_LOADER_H

#include <stdbool.h>
#include <stddef.h>

/* Code in memory: executable, not writable. */
typedef struct LoadedCode {
    void  *memory;
    size_t size;
    void  *entry;
} LoadedCode;

/*
 * Loads an ELF object and finds the function `entry` in it. The bytes may come
 * from a damaged file: everything is checked before it is used.
 * On failure returns false, and *why is a sentence that lives for ever.
 */
bool loader_open(LoadedCode *out, const void *object, size_t size, const char *entry,
                 const char **why);
void loader_close(LoadedCode *code);

#endif
