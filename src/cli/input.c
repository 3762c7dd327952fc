// SPDX-License-Identifier: Apache-2.0
/*
 * input.c - files and standard input: WGSL, data.
 *
 * in     names
 * out    texts, or why they cannot be had
 * knows  the operating system
 * not    WGSL
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

/* More than the library takes, so that it is the one to say so. */
#define MAX_INPUT ((size_t)64 << 20)
#define FIRST_READ ((size_t)64 << 10)

static const char *too_long(Arena *arena, uint64_t limit)
{
    return arena_printf(arena, "it is longer than %llu bytes", (unsigned long long)limit);
}

/* What can be said before reading; NULL: nothing. */
static const char *look(int fd, uint64_t limit, Arena *arena)
{
    struct stat status;
    if (fstat(fd, &status) != 0)
        return strerror(errno);
    if (S_ISDIR(status.st_mode))
        return "it is a directory";
    if (S_ISREG(status.st_mode) && (uint64_t)status.st_size > limit)
        return too_long(arena, limit);
    return NULL;
}

/* Makes room in a text; false without memory. */
static bool grow(char **text, size_t *room)
{
    size_t wanted = *room ? *room * 2 : FIRST_READ;
    char  *moved = realloc(*text, wanted);
    if (!moved)
        return false;
    *text = moved;
    *room = wanted;
    return true;
}

/* Reads all of `fd`; NULL, or why that is not possible. */
static const char *read_all(Source *s, int fd, uint64_t limit, Arena *arena)
{
    size_t room = 0;
    for (;;) {
        if (s->size == room && !grow(&s->text, &room))
            return "out of memory";
        ssize_t n = read(fd, s->text + s->size, room - s->size);
        if (n == 0)
            return NULL;
        if (n < 0 && errno != EINTR)
            return strerror(errno);
        s->size += n > 0 ? (size_t)n : 0;
        if (s->size > limit)
            return too_long(arena, limit);
    }
}

Source input_read(Arena *arena, const char *name)
{
    return input_read_limited(arena, name, MAX_INPUT);
}

Source input_read_limited(Arena *arena, const char *name, uint64_t limit)
{
    bool        from_stdin = strcmp(name, "-") == 0;
    Source      s = {.name = from_stdin ? "<stdin>" : name};
    int         fd = from_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    const char *why = NULL;
    if (fd < 0)
        why = strerror(errno);
    else
        why = look(fd, limit, arena);
    if (!why)
        why = read_all(&s, fd, limit, arena);
    if (fd >= 0 && !from_stdin)
        close(fd);
    if (why)
        s.why = arena_printf(arena, "%s", why);
    return s;
}

void input_release(Source *source)
{
    free(source->text);
    *source = (Source){0};
}

weft_wgsl *input_check(const Source *source, const char *const *enables,
                       const char *const *language)
{
    return weft_wgsl_create(&(weft_wgsl_desc){
        .source = source->size ? source->text : "",
        .source_size = source->size,
        .enables = enables,
        .language = language,
    });
}
