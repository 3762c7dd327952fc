// SPDX-License-Identifier: Apache-2.0
/*
 * inputs.c - pictures from PNG files, and the names of classes.
 *
 * in     files
 * out    RGB; texts
 * knows  libpng's simplified interface; as much of JavaScript as a table of strings has
 * not    models
 */
#include "inputs.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool picture_read(Picture *out, const char *path)
{
    png_image image = { .version = PNG_IMAGE_VERSION };
    if (!png_image_begin_read_from_file(&image, path)) {
        fprintf(stderr, "%s: %s\n", path, image.message);
        return false;
    }
    image.format = PNG_FORMAT_RGB;
    uint8_t *rgb = malloc(PNG_IMAGE_SIZE(image));
    if (!rgb || !png_image_finish_read(&image, NULL, rgb, 0, NULL)) {
        fprintf(stderr, "%s: %s\n", path, rgb ? image.message : "out of memory");
        png_image_free(&image);
        free(rgb);
        return false;
    }
    *out = (Picture){ image.width, image.height, rgb };
    return true;
}

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long  size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0)
        text = malloc((size_t)size + 1);
    if (text) {
        rewind(file);
        text[fread(text, 1, (size_t)size, file)] = 0;
    }
    if (file)
        fclose(file);
    return text;
}

/* Joins the strings of one row, 'a' + "b", in place; where it ends. */
static char *join_strings(char **name, char *at)
{
    char *to = *name = at;
    while (*at && *at != ',' && *at != '}') {
        const char quote = *at++;
        if (quote != '\'' && quote != '"')
            continue;
        for (; *at && *at != quote; at++) {
            at += at[0] == '\\' && at[1];
            *to++ = *at;
        }
        at += *at != 0;
    }
    if (*at)
        at++;
    *to = 0;
    return at;
}

bool labels_read(Labels *out, const char *path)
{
    *out = (Labels){ .text = read_all(path) };
    char *at = out->text ? strstr(out->text, "IMAGENET_CLASSES = {") : NULL;
    int   count = 0;
    while (at && count < CLASSES) {
        char *end;
        at += strcspn(at, "0123456789");
        if (!*at || strtol(at, &end, 10) != count || *end != ':')
            break;
        at = join_strings(&out->names[count++], end + 1);
    }
    if (count == CLASSES)
        return true;
    fprintf(stderr, "%s: expected %d names, found %d\n", path, CLASSES, count);
    free(out->text);
    *out = (Labels){ 0 };
    return false;
}
