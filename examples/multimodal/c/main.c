// SPDX-License-Identifier: Apache-2.0
/*
 * main.c - which sentence is about which picture? Three models share tensors on one device.
 *
 *   multimodal_match DATA VISION PICTURE.png... [-- SENTENCE...]
 *
 * in     data that ../fetch.sh got, SqueezeNet, pictures, sentences
 * out    a table: the cosine of each picture with each sentence
 * knows  ConSE: a picture is the mean of the vectors of its five likeliest labels
 * not    how the encoders work: minilm.c, squeezenet.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoders.h"

enum { LIKELIEST = 5, MOST = 32 };

typedef struct Match {
    weft_context *ctx;
    MiniLM       *text;
    SqueezeNet   *vision;
    Labels        labels;
    const char   *paths[MOST], *sentences[MOST];
    Picture       pictures[MOST];
    uint32_t      picture_count, sentence_count;
    uint32_t      classes[MOST * LIKELIEST];    /* that some picture has among its likeliest */
    uint32_t      class_count;
    uint32_t      best[MOST];                   /* class of each picture, and how likely */
    float         likely[MOST];
} Match;

/* ---- the third model ---- */

/* The place of a class in the list, which gets it if it is new. */
static uint32_t class_place(Match *m, uint32_t class)
{
    for (uint32_t i = 0; i < m->class_count; i++)
        if (m->classes[i] == class)
            return i;
    m->classes[m->class_count] = class;
    return m->class_count++;
}

/* Marks the five likeliest of row[1000] by their place in m->classes. */
static void choose(Match *m, uint32_t picture, float *row, uint32_t places[LIKELIEST],
                   float chances[LIKELIEST])
{
    for (int k = 0; k < LIKELIEST; k++) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < CLASSES; i++)
            if (row[i] > row[best])
                best = i;
        if (k == 0) {
            m->best[picture] = best;
            m->likely[picture] = row[best];
        }
        places[k] = class_place(m, best);
        chances[k] = row[best];
        row[best] = -1;
    }
}

/* weights[pictures, classes], and the classes; NULL: an error */
static weft_tensor *weigh(Match *m, weft_tensor *probabilities)
{
    static float rows[MOST][CLASSES], chances[MOST][LIKELIEST];
    uint32_t     places[MOST][LIKELIEST];
    const size_t size = m->picture_count * sizeof rows[0];
    if (!weft_tensor_read(rows, size, probabilities))
        return NULL;
    for (uint32_t p = 0; p < m->picture_count; p++)
        choose(m, p, rows[p], places[p], chances[p]);
    float *weights = calloc((size_t)m->picture_count * m->class_count, sizeof *weights);
    for (uint32_t p = 0; weights && p < m->picture_count; p++)
        for (int k = 0; k < LIKELIEST; k++)
            weights[p * m->class_count + places[p][k]] = chances[p][k];
    weft_tensor *t = weft_tensor_create(m->ctx, &(weft_tensor_desc){
        .rank = 2, .shape = { m->picture_count, m->class_count }, .data = weights });
    free(weights);
    return t;
}

/* What an encoder puts under its name, the third model may see. */
static bool share(weft_context *ctx, const char *owner, const char *name, weft_tensor *t)
{
    return weft_share_put(ctx, owner, name, t) && weft_share_grant(ctx, owner, name, "match");
}

static weft_tensor *unit(weft_tensor *x)
{
    return weft_tensor_div(x, weft_tensor_norm(x, WEFT_AXIS_KEEP(-1), 2));
}

/* The cosines [pictures, sentences]; NULL: an error. */
static weft_tensor *match(Match *m)
{
    const char *names[MOST * LIKELIEST];
    share(m->ctx, "squeezenet", "probabilities",
          squeezenet_encode(m->vision, m->pictures, m->picture_count));
    share(m->ctx, "minilm", "sentences", minilm_encode(m->text, m->sentences, m->sentence_count));
    weft_tensor *weights = weigh(m, weft_share_get(m->ctx, "squeezenet", "probabilities", "match"));
    if (!weights)
        return NULL;
    for (uint32_t i = 0; i < m->class_count; i++)
        names[i] = m->labels.names[m->classes[i]];
    share(m->ctx, "minilm", "labels", minilm_encode(m->text, names, m->class_count));
    weft_tensor *labels = weft_share_get(m->ctx, "minilm", "labels", "match");
    weft_tensor *texts = weft_share_get(m->ctx, "minilm", "sentences", "match");
    return weft_tensor_matmul(unit(weft_tensor_matmul(weights, labels)),
                              weft_tensor_transpose(texts, 0, 1));
}

/* ---- the program ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void print(const Match *m, const float *scores)
{
    int width = 0;
    for (uint32_t p = 0; p < m->picture_count; p++) {
        const int n = (int)strlen(base_name(m->paths[p]));
        width = n > width ? n : width;
    }
    printf("%*s", width, "");
    for (uint32_t s = 0; s < m->sentence_count; s++)
        printf("  %8s", m->sentences[s]);
    puts("");
    for (uint32_t p = 0; p < m->picture_count; p++) {
        printf("%-*s", width, base_name(m->paths[p]));
        for (uint32_t s = 0; s < m->sentence_count; s++) {
            const int n = (int)strlen(m->sentences[s]);
            printf("  %*.3f", n > 8 ? n : 8, (double)scores[p * m->sentence_count + s]);
        }
        const char *name = m->labels.names[m->best[p]];
        printf("  %.*s %.2f\n", (int)strcspn(name, ","), name, (double)m->likely[p]);
    }
}

static bool read_arguments(Match *m, int argc, char **argv)
{
    static const char *const preset[] = { "a cat", "a cup of coffee", "a motorcycle in a garage",
                                          "a person in a space suit" };
    int i = 3;
    for (; i < argc && strcmp(argv[i], "--") != 0 && m->picture_count < MOST; i++)
        m->paths[m->picture_count++] = argv[i];
    for (i++; i < argc && m->sentence_count < MOST; i++)
        m->sentences[m->sentence_count++] = argv[i];
    if (m->sentence_count == 0)
        for (; m->sentence_count < 4; m->sentence_count++)
            m->sentences[m->sentence_count] = preset[m->sentence_count];
    if (m->picture_count)
        return true;
    fputs("usage: multimodal_match DATA VISION PICTURE.png... [-- SENTENCE...]\n", stderr);
    return false;
}

static bool open_models(Match *m, const char *data, const char *vision)
{
    char path[1024];
    for (uint32_t p = 0; p < m->picture_count; p++)
        if (!picture_read(&m->pictures[p], m->paths[p]))
            return false;
    snprintf(path, sizeof path, "%s/imagenet_classes.js", data);
    if (!labels_read(&m->labels, path))
        return false;
    m->ctx = weft_context_create(NULL);
    snprintf(path, sizeof path, "%s/minilm", data);
    m->text = minilm_create(m->ctx, path);
    m->vision = squeezenet_create(m->ctx, vision);
    return m->text && m->vision;
}

int main(int argc, char **argv)
{
    static float scores[MOST * MOST];
    Match        m = { 0 };
    bool         ok = false;
    if (!read_arguments(&m, argc, argv))
        return 2;
    if (open_models(&m, argv[1], argv[2])) {
        weft_tensor_scope_begin(m.ctx);
        weft_tensor *cosines = match(&m);
        ok = weft_tensor_read(scores, weft_tensor_bytes(cosines), cosines);
        weft_tensor_scope_end(m.ctx, NULL, 0);
    }
    if (ok)
        print(&m, scores);
    else if (m.ctx && weft_context_error(m.ctx)->kind)
        fprintf(stderr, "multimodal_match: %s\n", weft_context_error(m.ctx)->message);
    for (int i = 0; m.ctx && i < 2; i++)
        weft_share_release(m.ctx, i ? "minilm" : "squeezenet");
    for (uint32_t p = 0; p < m.picture_count; p++)
        free(m.pictures[p].rgb);
    free(m.labels.text);
    squeezenet_release(m.vision);
    minilm_release(m.text);
    weft_context_release(m.ctx);
    return ok ? 0 : 1;
}
