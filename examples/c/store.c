// SPDX-License-Identifier: Apache-2.0
/*
 * store.c - tensors in files: a model in a folder, exported as safetensors and as npz.
 *
 * in     a folder to work in                              default: a new one in /tmp
 * out    the files; what is in them, read back
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/store.h>

static weft_context *ctx;

static void check(void)
{
    const weft_error *e = weft_context_error(ctx);
    if (!e->kind)
        return;
    printf("%s: %s\n", weft_error_kind_name(e->kind), e->message);
    exit(1);
}

static const char *path_in(const char *folder, const char *name)
{
    static char paths[4][512];
    static int  next;
    char       *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* A model of two tensors, in a folder that could hold many. */
static void train(const char *folder)
{
    weft_store *s = weft_store_open(ctx, &(weft_store_desc){
        .path = folder, .model = "line", .write = true, .quota = 1 << 30 });
    float        slope[2] = { 2, -1 };
    weft_tensor *w = weft_tensor_create(ctx, &(weft_tensor_desc){
        .rank = 1, .shape = { 2 }, .data = slope });
    weft_tensor *b = weft_tensor_full(ctx, WEFT_F32, 0, NULL, 0.5);
    weft_store_put(s, "w", w);
    weft_store_put(s, "b", b);
    weft_store_set_metadata(s, "version", "1");
    weft_store_commit(s);                   /* both tensors and the version, or nothing */
    weft_tensor_release(w);
    weft_tensor_release(b);
    weft_store_release(s);
    check();
}

/* All tensors and metadata of a model into a file. */
static void export_model(const char *folder, const char *file)
{
    weft_store *from = weft_store_open(ctx, &(weft_store_desc){ .path = folder, .model = "line" });
    weft_store *to = weft_store_open(ctx, &(weft_store_desc){
        .path = file, .write = true, .replace = true });
    weft_store_entry e;
    for (uint32_t i = 0; weft_store_entry_get(&e, from, i); i++) {
        weft_tensor *t = weft_store_get(from, e.name);
        weft_store_put(to, e.name, t);
        weft_tensor_release(t);
    }
    if (strstr(file, ".safetensors"))
        weft_store_set_metadata(to, "version", weft_store_metadata(from, "version"));
    weft_store_commit(to);
    weft_store_release(from);
    weft_store_release(to);
    check();
}

/* w . (3, 4) + b */
static double predict(const char *file)
{
    weft_store  *s = weft_store_open(ctx, &(weft_store_desc){ .path = file });
    float        point[2] = { 3, 4 };
    weft_tensor *x = weft_tensor_create(ctx, &(weft_tensor_desc){
        .rank = 1, .shape = { 2 }, .data = point });
    weft_tensor *w = weft_store_get(s, "w"), *b = weft_store_get(s, "b");
    weft_store_release(s);                  /* tensors keep the file mapped */
    weft_tensor *products = weft_tensor_mul(w, x), *sum = weft_tensor_sum(products, NULL);
    weft_tensor *y = weft_tensor_add(sum, b), *all[] = { x, w, b, products, sum, y };
    double       value = 0;
    weft_tensor_item(&value, y);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        weft_tensor_release(all[i]);
    check();
    return value;
}

int main(int argc, char **argv)
{
    char        made[] = "/tmp/weft-example-XXXXXX";
    const char *folder = argc > 1 ? argv[1] : mkdtemp(made);
    ctx = weft_context_create(NULL);
    check();
    train(path_in(folder, "models"));
    export_model(path_in(folder, "models"), path_in(folder, "line.safetensors"));
    export_model(path_in(folder, "models"), path_in(folder, "line.npz"));
    double a = predict(path_in(folder, "line.safetensors"));
    double b = predict(path_in(folder, "line.npz"));
    printf("%s: line.safetensors says %g, line.npz says %g\n", folder, a, b);
    weft_context_release(ctx);
    return a == 2.5 && b == 2.5 ? 0 : 1;
}
