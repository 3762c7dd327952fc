// SPDX-License-Identifier: Apache-2.0
/*
 * replay.c - main() of a fuzz target in builds without libFuzzer.
 *
 * in     files and folders, as arguments
 * out    every file was handed to LLVMFuzzerTestOneInput() once, whole, and
 *        once for each of a few prefixes; a count on standard output
 * not    any particular target
 *
 * No file at all is a failure: a target without seeds tests nothing.
 */
#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t replay_path(const char *path);

/* Hands over a copy of exactly `size` bytes, so that a sanitizer sees a read
 * past the end. */
static void hand_over(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    if (size)
        memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static size_t replay_file(const char *path, size_t size)
{
    uint8_t *data = malloc(size ? size : 1);
    FILE *file = fopen(path, "rb");
    if (!data || !file || fread(data, 1, size, file) != size) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    fclose(file);
    hand_over(data, size);
    for (size_t eighth = 1; eighth < 8; eighth++)
        hand_over(data, size / 8 * eighth);
    free(data);
    return 1;
}

static size_t replay_folder(const char *path)
{
    size_t files = 0;
    DIR *folder = opendir(path);
    if (!folder) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char name[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        files += replay_path(name);
    }
    closedir(folder);
    return files;
}

static size_t replay_path(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(1);
    }
    if (S_ISDIR(info.st_mode))
        return replay_folder(path);
    return replay_file(path, (size_t)info.st_size);
}

int main(int argc, char **argv)
{
    size_t files = 0;
    for (int i = 1; i < argc; i++)
        files += replay_path(argv[i]);
    printf("%zu files replayed\n", files);
    return files ? 0 : 1;
}
