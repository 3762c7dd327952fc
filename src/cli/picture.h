// SPDX-License-Identifier: Apache-2.0
/*
 * picture.h - pictures from numbers: in a PNG file, on a terminal.
 */
#ifndef WEFT_CLI_PICTURE_H
#define WEFT_CLI_PICTURE_H

#include <weft/wgsl.h>

#include "base/text.h"

#define PICTURE_MAX_SIDE 65536u

typedef struct Picture {
    uint32_t width, height;
    uint8_t *rgba;                      /* [height * width * 4], malloc'ed           */
} Picture;

/* How an element becomes a pixel. */
typedef enum PictureFormat {
    PICTURE_AUTO,                       /* as its type suggests                      */
    PICTURE_RGBA8,                      /* u32: red in the lowest byte, then green,
                                           blue, alpha                               */
    PICTURE_GRAY,                       /* scalars: floats 0 to 1, integers 0 to 255 */
    PICTURE_RANGE,                      /* scalars: the least is black, the greatest
                                           white                                     */
    PICTURE_COLOR,                      /* vectors of 3 or 4: channels as with gray  */
} PictureFormat;

/* "gray"; false: there is no such format. */
bool        picture_format_parse(Str name, PictureFormat *out);
const char *picture_format_name(uint32_t index);        /* NULL: no more            */
/* What AUTO means for this type; false: no format suits it. */
bool        picture_format_resolve(const weft_type *element, PictureFormat *format);

/* A picture of width x height elements that lie `stride` bytes apart. False: no
 * memory. */
bool picture_make(Picture *out, const uint8_t *bytes, const weft_type *element,
                  uint64_t stride, PictureFormat format, uint32_t width, uint32_t height);
void picture_release(Picture *p);

/* False, with *why in the arena. */
bool picture_write_png(const Picture *p, Arena *arena, const char *path, const char **why);

/* With half blocks, two pixels a character, and colours; made smaller to fit. */
void picture_show(Text *out, const Picture *p, uint32_t columns, uint32_t rows,
                  bool true_color);

#endif
