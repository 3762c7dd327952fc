// SPDX-License-Identifier: Apache-2.0
/*
 * pages.c - reads the folder of the web pages.
 *
 * in     a folder
 * out    Pages
 * knows  POSIX directories, zlib, libsodium's hash
 * not    HTTP
 */
#include "server/pages/pages.h"

#include <dirent.h>
#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/macro.h"

#define MAX_FILES     512u
#define MAX_FILE_SIZE (8u << 20)
#define MAX_DEPTH     6u
#define MAX_PATH      4096u

struct Pages {
    Arena     arena;                /* of paths and contents */
    PageFile *files;                /* [count], sorted by path */
    size_t    count;
};

/*                       ending    type */
static const struct { const char *ending, *type; } types[] = {
    {".html",  "text/html; charset=utf-8"},
    {".js",    "text/javascript; charset=utf-8"},
    {".mjs",   "text/javascript; charset=utf-8"},
    {".css",   "text/css; charset=utf-8"},
    {".json",  "application/json"},
    {".wgsl",  "text/plain; charset=utf-8"},
    {".txt",   "text/plain; charset=utf-8"},
    {".svg",   "image/svg+xml"},
    {".png",   "image/png"},
    {".wasm",  "application/wasm"},
    {".bin",   "application/octet-stream"},
    {".woff2", "font/woff2"},
};

static const char *type_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < COUNTOF(types); i++)
        if (strcmp(dot, types[i].ending) == 0)
            return types[i].type;
    return NULL;
}

/* ---- one file ---- */

static uint8_t *read_file(Arena *arena, const char *path, size_t size)
{
    FILE    *file = fopen(path, "rbe");
    uint8_t *data = arena_alloc(arena, size + 1);
    bool     ok = file && fread(data, 1, size, file) == size;
    if (file)
        fclose(file);
    return ok ? data : NULL;
}

/* Compresses a text; a file that is compressed already stays as it is. */
static void pack(Arena *arena, PageFile *f)
{
    z_stream z = {0};
    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        return;
    uLong    room = deflateBound(&z, (uLong)f->size);
    uint8_t *out = arena_alloc(arena, room);
    z.next_in = (Bytef *)(uintptr_t)f->data;
    z.avail_in = (uInt)f->size;
    z.next_out = out;
    z.avail_out = (uInt)room;
    if (deflate(&z, Z_FINISH) == Z_STREAM_END && z.total_out < f->size * 9 / 10) {
        f->packed = out;
        f->packed_size = z.total_out;
    }
    deflateEnd(&z);
}

static void set_etag(PageFile *f)
{
    uint8_t hash[16];
    crypto_generichash(hash, sizeof hash, f->data, f->size, NULL, 0);
    f->etag[0] = '"';
    sodium_bin2hex(f->etag + 1, 33, hash, sizeof hash);
    memcpy(f->etag + 33, "\"", 2);
}

static bool add_file(Pages *p, const char *path, const char *address, size_t file_size,
                     char *why, size_t size)
{
    const char *type = type_of(address);
    if (!type)
        return true;                /* a note for developers, or an editor's file */
    if (p->count == MAX_FILES || file_size > MAX_FILE_SIZE) {
        snprintf(why, size, "%s: %s", path, p->count == MAX_FILES
                 ? "the folder has more than 512 files" : "larger than 8 MiB");
        return false;
    }
    PageFile f = {.path = arena_printf(&p->arena, "%s", address), .type = type,
                  .size = file_size, .data = read_file(&p->arena, path, file_size)};
    if (!f.data) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return false;
    }
    pack(&p->arena, &f);
    set_etag(&f);
    p->files[p->count++] = f;
    return true;
}

/* ---- folders ---- */

static bool add_folder(Pages *p, const char *path, const char *address, uint32_t depth,
                       char *why, size_t size);

static bool add_entry(Pages *p, const char *path, const char *address, uint32_t depth,
                      char *why, size_t size)
{
    struct stat s;
    if (stat(path, &s) != 0)
        return true;                /* removed since, or a link to nothing */
    if (S_ISDIR(s.st_mode))
        return depth == MAX_DEPTH || add_folder(p, path, address, depth + 1, why, size);
    return !S_ISREG(s.st_mode) || add_file(p, path, address, (size_t)s.st_size, why, size);
}

static bool add_folder(Pages *p, const char *path, const char *address, uint32_t depth,
                       char *why, size_t size)
{
    bool ok = true;
    char inner_path[MAX_PATH], inner_address[MAX_PATH];
    DIR *folder = opendir(path);
    if (!folder) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return false;
    }
    for (struct dirent *e; ok && (e = readdir(folder));) {
        if (e->d_name[0] == '.')
            continue;
        if (snprintf(inner_path, sizeof inner_path, "%s/%s", path, e->d_name) < (int)MAX_PATH
            && snprintf(inner_address, sizeof inner_address, "%s/%s", address, e->d_name)
                   < (int)MAX_PATH)
            ok = add_entry(p, inner_path, inner_address, depth, why, size);
    }
    closedir(folder);
    return ok;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const PageFile *)a)->path, ((const PageFile *)b)->path);
}

Pages *pages_open(const char *folder, char *why, size_t size)
{
    Pages *p = calloc(1, sizeof *p);
    if (p)
        p->files = calloc(MAX_FILES, sizeof *p->files);
    if (!p || !p->files) {
        snprintf(why, size, "out of memory");
        free(p);
        return NULL;
    }
    arena_init(&p->arena, 0);
    if (!add_folder(p, folder, "", 0, why, size)) {
        pages_close(p);
        return NULL;
    }
    qsort(p->files, p->count, sizeof *p->files, by_path);
    return p;
}

void pages_close(Pages *p)
{
    if (!p)
        return;
    arena_fini(&p->arena);
    free(p->files);
    free(p);
}

static const PageFile *find(const Pages *p, const char *path, const char *more)
{
    char     full[MAX_PATH];
    PageFile key = {.path = full};
    if (snprintf(full, sizeof full, "%s%s", path, more) >= (int)sizeof full)
        return NULL;
    return bsearch(&key, p->files, p->count, sizeof key, by_path);
}

const PageFile *pages_find(const Pages *p, const char *path)
{
    if (!p || *path != '/')
        return NULL;
    if (path[strlen(path) - 1] == '/')
        return find(p, path, "index.html");
    const PageFile *f = find(p, path, "");
    return f ? f : find(p, path, ".html");
}

bool pages_default_folder(char *out, size_t size)
{
    char    exe[MAX_PATH], path[MAX_PATH + 32];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (length <= 0)
        return false;
    exe[length] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(exe, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
    snprintf(path, sizeof path, "%s/share/weft/web", exe);
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode)
        && snprintf(out, size, "%s", path) < (int)size;
}
