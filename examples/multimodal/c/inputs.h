/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inputs.h - pictures from PNG files, and the names of classes.
 */
#ifndef INPUTS_H
#define INPUTS_H

#include <stdbool.h>
#include <stdint.h>

enum { CLASSES = 1000 };

typedef struct Picture {
    uint32_t width, height;
    uint8_t *rgb;                       /* [height][width][3]; from malloc() */
} Picture;

/* False: the reason is on stderr. */
bool picture_read(Picture *out, const char *path);

/* The names in imagenet_classes.js of the npm package @tensorflow-models/mobilenet. */
typedef struct Labels {
    char *text;
    char *names[CLASSES];               /* in text */
} Labels;

bool labels_read(Labels *out, const char *path);

#endif
