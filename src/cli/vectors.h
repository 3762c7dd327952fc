// SPDX-License-Identifier: Apache-2.0
/*
 * vectors.h - what the parts of `weft vectors` share.
 */
#ifndef WEFT_CLI_VECTORS_H
#define WEFT_CLI_VECTORS_H

#include <weft/store.h>
#include <weft/vectors.h>

#include "cli/cli.h"
#include "cli/picture.h"

/* A file of vectors on a device. */
typedef struct VectorsFile {
    Cli          *cli;
    weft_context *ctx;
    const char   *path;
    weft_store   *store;
    weft_tensor  *tensor;               /* [count, dimension]                             */
    weft_vectors_rows rows;
    uint64_t      count;
    uint32_t      dimension;
    const char  **labels;               /* [label_count], in the arena; NULL: none        */
    uint64_t      label_count;
} VectorsFile;

/* Options that all parts have. */
#define VECTORS_OPTIONS                                                                      \
    {"tensor", 0, "NAME", "the matrix in a file with several (default: the only one)"},      \
    {"labels", 0, "FILE", "a file with a line of text for each vector"},                     \
    {"adapter", 0, "NAME", "cpu, vulkan, or a part of a name that 'weft devices' shows"},    \
    {"threads", 0, "N", "threads of the CPU device (default: one for each core)"},           \
    {"json", 0, NULL, "print JSON, for programs"}

/* The device alone; then the file of the first operand. False after a message; close all the
 * same. */
bool vectors_open_device(VectorsFile *f, Cli *cli);
bool vectors_open(VectorsFile *f, Cli *cli);
/* Another file of vectors on the same device: rows and store only. */
bool vectors_open_more(VectorsFile *f, const VectorsFile *first, const char *path);
void vectors_close(VectorsFile *f);
/* Prints the error of the context; returns CLI_TROUBLE. */
int  vectors_complain(const VectorsFile *f);
/* Writes rows[count][columns] as .npy. False after a message. */
bool vectors_write_npy(Cli *cli, const char *path, const float *rows, uint64_t count,
                       uint32_t columns);
/* The label of a row, or its number. */
const char *vectors_label(const VectorsFile *f, uint64_t row);

/* ---- pictures (vectors_plot.c): false after a message ---- */

/* The units of a map, coloured by values[units] from the least to the greatest. */
bool plot_map(Cli *cli, const char *path, const weft_vectors_map *map, const float *values);
/* Points of points[count][components]: the first two axes; colour by the third. */
bool plot_cloud(Cli *cli, const char *path, const float *points, uint64_t count,
                uint32_t components);

extern const Command cli_vectors_train, cli_vectors_search, cli_vectors_project;

#endif
