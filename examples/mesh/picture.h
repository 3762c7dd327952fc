// SPDX-License-Identifier: Apache-2.0
/*
 * picture.h - pictures of triangles, for the examples: a z-buffer, light from above the viewer, PNG
 * without compression.
 */
#ifndef WEFT_EXAMPLES_PICTURE_H
#define WEFT_EXAMPLES_PICTURE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Picture {
    uint32_t width, height;
    uint8_t *rgb;                   /* [height][width][3]                                   */
    float   *depth;                 /* [height][width]                                      */
} Picture;

Picture picture_make(uint32_t width, uint32_t height);
void    picture_free(Picture *p);
bool    picture_write(const Picture *p, const char *path);

/* Triangles face[faces][3] of position[vertices][3], turned by `turn` about the y axis and
 * `tilt` about the x axis, in the square from (x, y) with sides of `size` pixels that shows
 * `reach` around `centre`. flat: each triangle has one shade. */
typedef struct View {
    double turn, tilt;
    double centre[3], reach;
    uint32_t x, y, size;
    bool   flat;
} View;

void picture_mesh(Picture *p, const View *view, const double *position, uint32_t vertices,
                  uint32_t (*face)[3], uint32_t faces);
/* The middle and half the largest side of what the positions cover. */
void view_fit(View *view, const double *position, uint32_t vertices);
/* A dot of `radius` pixels. */
void picture_dot(Picture *p, double x, double y, double radius, const uint8_t colour[3]);

#endif
