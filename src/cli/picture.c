// SPDX-License-Identifier: Apache-2.0
/*
 * picture.c - pictures from numbers, and PNG files of them.
 *
 * in     elements of a buffer
 * out    pixels; a file
 * knows  libpng
 * not    terminals (picture_show.c)
 */
#include "cli/picture.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "cli/number.h"

/* ---- formats ---- */

static const char *const format_names[] = {
    [PICTURE_AUTO] = "auto", [PICTURE_RGBA8] = "rgba8", [PICTURE_GRAY] = "gray",
    [PICTURE_RANGE] = "range", [PICTURE_COLOR] = "color",
};

const char *picture_format_name(uint32_t index)
{
    return index < COUNTOF(format_names) ? format_names[index] : NULL;
}

bool picture_format_parse(Str name, PictureFormat *out)
{
    for (uint32_t i = 0; i < COUNTOF(format_names); i++)
        if (str_eq(name, str_of(format_names[i]))) {
            *out = (PictureFormat)i;
            return true;
        }
    return false;
}

static PictureFormat auto_format(const weft_type *element)
{
    if (element->kind == WEFT_TYPE_VECTOR)
        return PICTURE_COLOR;
    if (scalar_is_float(element->scalar))
        return PICTURE_GRAY;
    return element->scalar == WEFT_SCALAR_U32 ? PICTURE_RGBA8 : PICTURE_RANGE;
}

bool picture_format_resolve(const weft_type *element, PictureFormat *format)
{
    bool is_scalar = element->kind == WEFT_TYPE_SCALAR;
    if (!is_scalar && element->kind != WEFT_TYPE_VECTOR)
        return false;
    if (*format == PICTURE_AUTO)
        *format = auto_format(element);
    if (*format == PICTURE_COLOR)
        return !is_scalar && element->count >= 3;
    if (*format == PICTURE_RGBA8)
        return is_scalar && element->scalar == WEFT_SCALAR_U32;
    return is_scalar;
}

/* ---- pixels ---- */

/* What stands for black and white. */
typedef struct Range {
    double low, high;
} Range;

static uint8_t level(double value, Range range)
{
    double x = (value - range.low) / (range.high - range.low);
    if (!(x > 0))                       /* NaN is black */
        return 0;
    return x >= 1 ? 255 : (uint8_t)(x * 255 + 0.5);
}

static Range channel_range(const weft_type *element)
{
    return (Range){0, scalar_is_float(element->scalar) ? 1 : 255};
}

static Range range_of(const uint8_t *bytes, const weft_type *element, uint64_t stride,
                      uint64_t count)
{
    Range r = {(double)INFINITY, -(double)INFINITY};
    for (uint64_t i = 0; i < count; i++) {
        double value = scalar_load(bytes + i * stride, element->scalar);
        if (!isfinite(value))
            continue;
        r.low = MIN_OF(r.low, value);
        r.high = MAX_OF(r.high, value);
    }
    if (!(r.low < r.high))              /* nothing finite, or all the same: black */
        r.high = r.low + 1;
    return r;
}

static void pixel(uint8_t rgba[4], const uint8_t *from, const weft_type *element,
                  PictureFormat format, Range range)
{
    if (format == PICTURE_RGBA8) {
        uint32_t packed;
        memcpy(&packed, from, sizeof packed);
        for (int i = 0; i < 4; i++)
            rgba[i] = (uint8_t)(packed >> 8 * i);
        return;
    }
    rgba[3] = 255;
    if (format == PICTURE_COLOR) {
        for (uint64_t i = 0; i < element->count; i++)
            rgba[i] = level(scalar_load(from + i * element->stride, element->scalar), range);
        return;
    }
    rgba[0] = rgba[1] = rgba[2] = level(scalar_load(from, element->scalar), range);
}

bool picture_make(Picture *out, const uint8_t *bytes, const weft_type *element,
                  uint64_t stride, PictureFormat format, uint32_t width, uint32_t height)
{
    uint64_t count = (uint64_t)width * height;
    uint8_t *rgba = malloc(count * 4);
    if (!rgba)
        return false;
    Range range = format == PICTURE_RANGE ? range_of(bytes, element, stride, count)
                                          : channel_range(element);
    for (uint64_t i = 0; i < count; i++)
        pixel(rgba + i * 4, bytes + i * stride, element, format, range);
    *out = (Picture){width, height, rgba};
    return true;
}

void picture_release(Picture *p)
{
    free(p->rgba);
    *p = (Picture){0};
}

/* ---- files ---- */

bool picture_write_png(const Picture *p, Arena *arena, const char *path, const char **why)
{
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = p->width, .height = p->height,
        .format = PNG_FORMAT_RGBA,
    };
    if (png_image_write_to_file(&image, path, 0, p->rgba, 0, NULL))
        return true;
    *why = arena_printf(arena, "%s", image.message);
    png_image_free(&image);
    return false;
}
