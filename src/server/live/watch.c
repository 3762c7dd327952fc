// SPDX-License-Identifier: Apache-2.0
/*
 * watch.c - a folder whose .npy files are taken as vectors.
 *
 * in     files that are there, and those that are written or moved in
 * out    their rows as calls; what is wrong in the log
 * knows  inotify; NumPy's files; NAME.txt with a label on each line beside NAME.npy
 * not    what is done with vectors
 *
 * Files that were taken are remembered in the store by name, size and time.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/live/live_priv.h"
#include "store/npy.h"

#define DONE_NAME "weft/vectors/watched"
#define PIECE     (1u << 20)            /* numbers of one call                            */

struct Watch {
    Live       *live;
    const char *folder, *tenant;
    int         notify, stop[2];
    pthread_t   thread;
    bool        runs;
    json_t     *done;                   /* "NAME": "SIZE TIME"                            */
    pthread_mutex_t lock;
    pthread_cond_t  change;
    bool        woken;
};

/* ---- calls ---- */

static void wake(void *user)
{
    Watch *w = user;
    pthread_mutex_lock(&w->lock);
    w->woken = true;
    pthread_cond_signal(&w->change);
    pthread_mutex_unlock(&w->lock);
}

static bool stopping(Watch *w)
{
    struct pollfd p = {.fd = w->stop[0], .events = POLLIN};
    return poll(&p, 1, 0) != 0;
}

/* Ingests rows and waits; false: `why`. */
static bool ingest(Watch *w, const LiveVectors *v, char *why, size_t size)
{
    weft_error_kind kind = WEFT_ERROR_MEMORY;
    const char     *text = "out of memory";
    w->woken = false;
    LiveCall *call = live_call(w->live, &(LiveRequest){
        .ask = LIVE_INGEST, .tenant = w->tenant, .vectors = *v, .wake = wake, .user = w});
    while (call && !live_call_ended(call, &kind, &text)) {
        pthread_mutex_lock(&w->lock);
        while (!w->woken)
            pthread_cond_wait(&w->change, &w->lock);
        w->woken = false;
        pthread_mutex_unlock(&w->lock);
    }
    snprintf(why, size, "%s", text);
    live_call_release(call);
    return kind == WEFT_ERROR_NONE;
}

/* ---- files ---- */

typedef struct File {
    uint8_t *data;                      /* mapped                                         */
    size_t   size;
    char     stamp[64];
} File;

static bool file_open(const char *path, File *out)
{
    struct stat st;
    int         fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    *out = (File){.size = 0};
    if (fd < 0)
        return false;
    bool ok = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    if (ok) {
        void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        ok = data != MAP_FAILED;
        out->data = ok ? data : NULL;
        out->size = (size_t)st.st_size;
        snprintf(out->stamp, sizeof out->stamp, "%lld %lld.%09ld", (long long)st.st_size,
                 (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    }
    close(fd);
    return ok;
}

static void file_close(File *f)
{
    if (f->data)
        munmap(f->data, f->size);
}

/* The lines of NAME.txt as a JSON array; NULL: there is none. */
static json_t *read_labels(const char *path)
{
    FILE   *file = fopen(path, "re");
    json_t *list = file ? json_array() : NULL;
    char   *line = NULL;
    size_t  room = 0;
    ssize_t n;
    while (file && (n = getline(&line, &room, file)) >= 0) {
        while (n && (line[n - 1] == '\n' || line[n - 1] == '\r'))
            n--;
        json_t *text = n <= 1024 ? json_stringn(line, (size_t)n) : NULL;
        json_array_append_new(list, text ? text : json_null());
    }
    free(line);
    if (file)
        fclose(file);
    return list;
}

static void copy_numbers(float *to, const Npy *npy, uint64_t from, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *at = npy->data + (from + i) * npy->item;
        double         wide;
        if (npy->item == 4) {
            memcpy(&to[i], at, 4);
        } else {
            memcpy(&wide, at, 8);
            to[i] = (float)wide;
        }
    }
}

static char *label_part(json_t *labels, uint64_t from, uint64_t rows)
{
    json_t *part = labels ? json_array() : NULL;
    for (uint64_t i = 0; part && i < rows; i++) {
        json_t *item = json_array_get(labels, from + i);
        json_array_append_new(part, item ? json_incref(item) : json_null());
    }
    char *text = part ? json_dumps(part, JSON_COMPACT) : NULL;
    json_decref(part);
    return text;
}

static bool take_rows(Watch *w, const Npy *npy, json_t *labels, char *why, size_t size)
{
    uint64_t width = npy->dims[npy->ndims - 1], rows = npy->count / width;
    uint64_t step = PIECE / width ? PIECE / width : 1;
    float   *numbers = malloc(step * width * sizeof *numbers);
    bool     ok = numbers != NULL;
    snprintf(why, size, "out of memory");
    for (uint64_t from = 0; ok && from < rows && !stopping(w); from += step) {
        uint64_t n = MIN_OF(step, rows - from);
        char    *part = label_part(labels, from, n);
        copy_numbers(numbers, npy, from * width, n * width);
        ok = ingest(w, &(LiveVectors){.data = numbers, .numbers = n * width,
                                      .dimension = (uint32_t)width, .labels = part}, why, size);
        free(part);
    }
    free(numbers);
    return ok;
}

static bool take_file(Watch *w, const char *path, File *f, char *why, size_t size)
{
    Npy         npy;
    Arena       arena;
    char        beside[PATH_MAX];
    const char *fault = NULL;
    arena_init(&arena, 0);
    bool ok = npy_open(&npy, &arena, f->data, f->size, &fault);
    if (!ok) {
        snprintf(why, size, "%s", fault);
    } else if (npy.kind != 'f' || npy.item < 4 || npy.swapped || npy.fortran || npy.ndims < 1
               || npy.ndims > 2 || !npy.count || npy.dims[npy.ndims - 1] > 4096) {
        snprintf(why, size, "not rows of at most 4,096 numbers of the type '<f4' or '<f8', in C "
                 "order");
        ok = false;
    } else {
        snprintf(beside, sizeof beside, "%.*s.txt", (int)strlen(path) - 4, path);
        json_t *labels = read_labels(beside);
        ok = take_rows(w, &npy, labels, why, size);
        json_decref(labels);
    }
    arena_fini(&arena);
    return ok;
}

/* ---- what was taken ---- */

static void keep_done(Watch *w)
{
    char *text = json_dumps(w->done, JSON_COMPACT);
    if (!text)
        return;
    BufferRecord b = {.name = DONE_NAME, .size = strlen(text), .updated = live_now(),
                      .bytes = {text, strlen(text)}};
    StoreOp op = {.kind = STORE_PUT_BUFFER, .job = {.tenant = w->tenant}, .buffers = &b,
                  .buffer_count = 1};
    store_apply(live_store(w->live), &op);
    free(text);
}

static json_t *load_done(Watch *w)
{
    Arena        arena;
    BufferRecord b;
    json_t      *done = NULL;
    arena_init(&arena, 0);
    if (store_buffer_get(live_store(w->live), &arena, w->tenant, DONE_NAME, &b))
        done = json_loadb(b.bytes.data, b.bytes.size, 0, NULL);
    arena_fini(&arena);
    return json_is_object(done) ? done : json_object();
}

static void look_at(Watch *w, const char *name)
{
    char   path[PATH_MAX], why[512] = "it cannot be read";
    size_t length = strlen(name);
    File   f;
    if (length < 5 || strcmp(name + length - 4, ".npy") != 0 || *name == '.' || stopping(w))
        return;
    snprintf(path, sizeof path, "%s/%s", w->folder, name);
    bool        ok = file_open(path, &f);
    const char *taken = json_string_value(json_object_get(w->done, name));
    if (ok && taken && strcmp(taken, f.stamp) == 0) {
        file_close(&f);
        return;
    }
    ok = ok && take_file(w, path, &f, why, sizeof why);
    if (ok) {
        json_object_set_new(w->done, name, json_string(f.stamp));
        keep_done(w);
    }
    log_event(w->live->desc.log, ok ? LOG_INFO : LOG_WARN, "vectors-file",
              ok ? "its vectors were taken" : why, "file.path", path, NULL);
    file_close(&f);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void look_at_all(Watch *w)
{
    DIR   *dir = opendir(w->folder);
    char **names = NULL;
    size_t count = 0;
    for (struct dirent *e; dir && (e = readdir(dir));) {
        char **more = realloc(names, (count + 1) * sizeof *names);
        if (!more)
            break;
        names = more;
        if ((names[count] = strdup(e->d_name)))
            count++;
    }
    if (dir)
        closedir(dir);
    if (count)
        qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++) {
        look_at(w, names[i]);
        free(names[i]);
    }
    free(names);
}

static void *watch_main(void *user)
{
    Watch        *w = user;
    struct pollfd p[2] = {{.fd = w->notify, .events = POLLIN},
                          {.fd = w->stop[0], .events = POLLIN}};
    w->done = load_done(w);
    look_at_all(w);
    while (poll(p, 2, -1) >= 0 || errno == EINTR) {
        _Alignas(struct inotify_event) char events[8192];
        if (p[1].revents)
            break;
        ssize_t n = read(w->notify, events, sizeof events);
        for (ssize_t at = 0; at < n;) {
            const struct inotify_event *e = (const void *)(events + at);
            if (e->mask & IN_Q_OVERFLOW)
                look_at_all(w);
            else if (e->len)
                look_at(w, e->name);
            at += (ssize_t)(sizeof *e + e->len);
        }
    }
    json_decref(w->done);
    return NULL;
}

Watch *watch_open(Live *l, char *why, size_t size)
{
    Watch *w = calloc(1, sizeof *w);
    if (!w) {
        snprintf(why, size, "out of memory");
        return NULL;
    }
    w->live = l;
    w->folder = l->desc.config->vectors_watch;
    w->tenant = l->desc.config->vectors_watch_tenant;
    w->stop[0] = w->stop[1] = -1;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->change, NULL);
    w->notify = inotify_init1(IN_CLOEXEC);
    bool ok = w->notify >= 0 && inotify_add_watch(w->notify, w->folder, IN_CLOSE_WRITE
                                                  | IN_MOVED_TO | IN_ONLYDIR) >= 0;
    if (!ok)
        snprintf(why, size, "vectors.watch: %.200s: %s", w->folder, strerror(errno));
    ok = ok && pipe2(w->stop, O_CLOEXEC) == 0;
    w->runs = ok && pthread_create(&w->thread, NULL, watch_main, w) == 0;
    if (w->runs)
        return w;
    watch_close(w);
    return NULL;
}

void watch_close(Watch *w)
{
    if (!w)
        return;
    if (w->runs) {
        ssize_t n = write(w->stop[1], "x", 1);
        (void)n;
        pthread_join(w->thread, NULL);
    }
    for (int i = 0; i < 2; i++)
        if (w->stop[i] >= 0)
            close(w->stop[i]);
    if (w->notify >= 0)
        close(w->notify);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->change);
    free(w);
}
