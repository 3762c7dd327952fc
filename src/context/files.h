// SPDX-License-Identifier: Apache-2.0
/*
 * files.h - small files that can be made again (tuning results, profiles), and the memory of
 * the machine: what layers above a context also ask of the operating system.
 */
#ifndef WEFT_CONTEXT_FILES_H
#define WEFT_CONTEXT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The folder for files that can be made again: $XDG_CACHE_HOME/weft or ~/.cache/weft,
 * made if missing. False without one. */
bool platform_cache_folder(char *out, size_t size);
/* The whole file with a final NUL, malloc'ed; NULL if there is none or it is larger
 * than `limit`. */
char *platform_read_file(const char *path, size_t limit);
/* Replaces the file in one step, so that a reader sees the old text or the new one. */
bool  platform_replace_file(const char *path, const char *text, size_t size);
/* Excludes other processes that do the same; -1: without a lock. */
int   platform_lock_file(const char *path);
void  platform_unlock_file(int lock);

/* Bytes of memory of the machine; 0 if unknown. */
uint64_t platform_memory(void);

#endif
