// SPDX-License-Identifier: Apache-2.0
/*
 * load.c - loads a compute server on this machine and measures it: `bench/server`.
 *
 * in     the command `weft`
 * out    latency beyond the same job in process, jobs a second, many connections
 * knows  sockets, HTTP as far as fixed requests need it
 * not    the server's insides, but for the executor that its workers run
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/macro.h"
#include "server/worker/executor.h"

#define MAX_CONNECTIONS 12000u

static const char kernel[] =
    "@group(0) @binding(0) var<storage, read> x : array<f32>;\\n"
    "@group(0) @binding(1) var<storage, read_write> y : array<f32>;\\n"
    "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) at : vec3u) {\\n"
    "  if at.x < arrayLength(&y) { y[at.x] = x[at.x] * 2; } }\\n";

typedef struct Client {
    int      fd;
    uint64_t sent_ns, due_ns;           /* due: when it sends next                        */
    bool     busy;
    char     answer[2048];
    size_t   size;
} Client;

typedef struct Load {
    uint16_t port;
    char     keys[20][128];
    uint32_t key_count;
    int      epoll;
    Client  *clients;
    uint32_t count;
    uint64_t *times;                    /* ns of every answer                             */
    size_t   done, room, errors, all_errors;
} Load;

/* ---- the server ---- */

static pid_t start_server(const char *weft, const char *folder, bool keys, const char *answer,
                          uint16_t *port)
{
    int pipes[2];
    if (pipe(pipes) != 0)
        exit(2);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(pipes[1], 1);
        execl(weft, "weft", "serve", "--data", folder, "--set", "server.listen=127.0.0.1:0",
              "--set", "server.metrics_listen=off", "--set", "server.log_level=error", "--set",
              keys ? "auth.required=true" : "auth.required=false", "--set", answer,
              (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    FILE *out = fdopen(pipes[0], "r");
    char  line[256];
    *port = 0;
    while (!*port && fgets(line, sizeof line, out)) {
        char *colon = strrchr(line, ':');
        if (strstr(line, "listening") && colon)
            *port = (uint16_t)atoi(colon + 1);
    }
    if (!*port)
        exit(2);
    return pid;                         /* the pipe stays open: the server writes to it */
}

static void make_keys(Load *l, const char *weft, const char *folder)
{
    for (l->key_count = 0; l->key_count < 20; l->key_count++) {
        char command[512];
        snprintf(command, sizeof command, "%s key create --data %s --tenant tenant%u", weft,
                 folder, l->key_count);
        FILE *out = popen(command, "r");
        if (!fgets(l->keys[l->key_count], sizeof l->keys[0], out))
            exit(2);
        l->keys[l->key_count][strcspn(l->keys[l->key_count], "\n")] = '\0';
        pclose(out);
    }
}

/* ---- connections ---- */

static bool open_client(Load *l, Client *c)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(l->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1;
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0 || connect(c->fd, (struct sockaddr *)&to, sizeof to) != 0)
        return false;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    return epoll_ctl(l->epoll, EPOLL_CTL_ADD, c->fd, &event) == 0;
}

static void open_clients(Load *l, uint32_t count)
{
    l->epoll = epoll_create1(EPOLL_CLOEXEC);
    l->clients = calloc(count, sizeof *l->clients);
    for (l->count = 0; l->count < count; l->count++)
        if (!open_client(l, &l->clients[l->count])) {
            fprintf(stderr, "connection %u: %s\n", l->count, strerror(errno));
            exit(2);
        }
}

static void close_clients(Load *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        close(l->clients[i].fd);
    close(l->epoll);
    free(l->clients);
    l->count = 0;
}

static void send_job(Load *l, Client *c)
{
    char     body[1024], request[2048];
    uint32_t index = (uint32_t)(c - l->clients);
    int size = snprintf(body, sizeof body, "{\"wgsl\":\"%s\",\"inputs\":{\"x\":[1,2,3]},"
                        "\"outputs\":{\"y\":{\"shape\":[3],\"dtype\":\"f32\"}},\"wait\":true}",
                        kernel);
    int n = snprintf(request, sizeof request, "POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                     "%s%s%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
                     l->key_count ? "Authorization: Bearer " : "",
                     l->key_count ? l->keys[index % l->key_count] : "",
                     l->key_count ? "\r\n" : "", size, body);
    c->busy = true;
    c->size = 0;
    c->sent_ns = clock_ns();
    if (send(c->fd, request, (size_t)n, MSG_NOSIGNAL) != n)
        l->errors++;
}

/* True once the whole answer is there. */
static bool read_answer(Load *l, Client *c)
{
    ssize_t n = recv(c->fd, c->answer + c->size, sizeof c->answer - 1 - c->size, 0);
    if (n <= 0) {
        if (n == 0 || errno != EAGAIN) {
            l->errors += c->busy;
            c->busy = false;
            epoll_ctl(l->epoll, EPOLL_CTL_DEL, c->fd, NULL);
        }
        return false;
    }
    c->size += (size_t)n;
    c->answer[c->size] = '\0';
    char *body = strstr(c->answer, "\r\n\r\n"), *length = strstr(c->answer, "Content-Length: ");
    if (!body || !length || c->size < (size_t)(body + 4 - c->answer) + (size_t)atol(length + 16))
        return false;
    c->busy = false;
    if (!strstr(c->answer, "\"data\":[2,4,6]")) {
        if (l->errors++ < 3)
            fprintf(stderr, "%.400s\n", c->answer);
    } else if (l->done < l->room) {
        l->times[l->done++] = clock_ns() - c->sent_ns;
    }
    return true;
}

/* ---- loads ---- */

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static double quantile(Load *l, double share)
{
    qsort(l->times, l->done, sizeof *l->times, compare);
    return l->done ? (double)l->times[(size_t)(share * (double)(l->done - 1))] * 1e-6 : 0;
}

/* Every connection sends its next job as soon as the last is answered. */
static double run_closed(Load *l, double seconds)
{
    struct epoll_event events[256];
    uint64_t start = clock_ns(), end = start + (uint64_t)(seconds * 1e9);
    l->done = l->errors = 0;
    for (uint32_t i = 0; i < l->count; i++)
        send_job(l, &l->clients[i]);
    while (clock_ns() < end) {
        int n = epoll_wait(l->epoll, events, (int)COUNTOF(events), 10);
        for (int i = 0; i < n; i++)
            if (read_answer(l, events[i].data.ptr))
                send_job(l, events[i].data.ptr);
    }
    return (double)l->done / ((double)(clock_ns() - start) * 1e-9);
}

/* `active` connections send a job each `period`, spread evenly, whatever happens. */
static void run_open(Load *l, uint32_t active, double period, double seconds)
{
    struct epoll_event events[256];
    uint64_t start = clock_ns(), end = start + (uint64_t)(seconds * 1e9);
    l->done = l->errors = 0;
    for (uint32_t i = 0; i < active; i++)
        l->clients[i].due_ns = start + (uint64_t)(period * 1e9 * i / active);
    for (uint32_t next = 0; clock_ns() < end;) {
        uint64_t now = clock_ns();
        Client  *c = &l->clients[next];
        if (now >= c->due_ns) {
            if (!c->busy)
                send_job(l, c);
            c->due_ns += (uint64_t)(period * 1e9);
            next = (next + 1) % active;
            continue;
        }
        int n = epoll_wait(l->epoll, events, (int)COUNTOF(events), 1);
        for (int i = 0; i < n; i++)
            read_answer(l, events[i].data.ptr);
    }
}

/* The same job without a server, at the same pace: median, in ms. */
static double run_in_process(void)
{
    static JobSpec spec;
    static double  numbers[3] = {1, 2, 3};
    char           text[1024];
    uint64_t       times[300];
    size_t         at = 0;
    for (const char *c = kernel; *c; c++)
        text[at++] = c[0] == '\\' && c[1] == 'n' ? *(c++, "\n") : *c;
    text[at] = '\0';
    spec = (JobSpec){.wgsl = text, .entry = "", .runner = "", .input_count = 1,
                     .output_count = 1};
    spec.inputs[0] = (WireInput){"x", WIRE_NUMBERS, (const uint8_t *)numbers, sizeof numbers};
    spec.outputs[0] = (WireOutput){.name = "y", .scalar = WIRE_F32, .size = 12, .dims = 1,
                                   .shape = {3}};
    ExecError e;
    Executor *x = executor_open(0, &e);
    for (size_t i = 0; i < COUNTOF(times) + 20; i++) {
        Pack     out = {0};
        WireDone done;
        nanosleep(&(struct timespec){.tv_nsec = i < 20 ? 0 : 10000000}, NULL);
        uint64_t start = clock_ns();
        if (!executor_run(x, &spec, &out, &done, &e))
            exit(2);
        if (i >= 20)
            times[i - 20] = clock_ns() - start;
        pack_fini(&out);
    }
    executor_close(x);
    qsort(times, COUNTOF(times), sizeof *times, compare);
    return (double)times[COUNTOF(times) / 2] * 1e-6;
}

static double cpu_of(pid_t pid)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    double ticks = 0;
    if (file && fgets(text, sizeof text, file)) {
        char         *at = strrchr(text, ')');
        unsigned long user = 0, system = 0;
        if (at && sscanf(at + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                         &system) == 2)
            ticks = (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
    }
    if (file)
        fclose(file);
    return ticks;
}

/* What the disk takes to keep 4 KiB, in ms: a durable job cannot be faster. */
static double measure_disk(const char *folder)
{
    char     path[128], page[4096] = "";
    uint64_t times[100];
    snprintf(path, sizeof path, "%s/probe", folder);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    for (size_t i = 0; i < COUNTOF(times); i++) {
        uint64_t start = clock_ns();
        if (write(fd, page, sizeof page) != (ssize_t)sizeof page || fdatasync(fd) != 0)
            exit(2);
        times[i] = clock_ns() - start;
    }
    close(fd);
    qsort(times, COUNTOF(times), sizeof *times, compare);
    return (double)times[COUNTOF(times) / 2] * 1e-6;
}

static void end_server(pid_t pid)
{
    kill(pid, SIGTERM);
    waitpid(pid, NULL, 0);
}

/* Ten connections send ten jobs a second each. */
static void measure_latency(Load *l, const char *weft, const char *folder, const char *answer,
                            double seconds, double alone)
{
    char  setting[64];
    snprintf(setting, sizeof setting, "store.answer=%s", answer);
    pid_t pid = start_server(weft, folder, false, setting, &l->port);
    open_clients(l, 64);
    run_closed(l, MIN_OF(seconds, 2));  /* workers are there, the kernel is compiled */
    close_clients(l);
    open_clients(l, 10);
    run_open(l, 10, 0.1, seconds);
    printf("over HTTP beyond that, answered once %-8s p50 %.3f, p99 %.3f ms, "
           "%zu errors of %zu\n", answer, quantile(l, 0.5) - alone,
           quantile(l, 0.99) - alone, l->errors, l->done);
    l->all_errors += l->errors;
    close_clients(l);
    end_server(pid);
}

static void measure_small(Load *l, const char *weft, const char *folder, double seconds)
{
    double alone = run_in_process();
    l->key_count = 0;
    printf("4 KiB to disk (fdatasync), p50              %8.3f ms\n", measure_disk(folder));
    printf("same job in process, 100 a second, p50      %8.3f ms\n", alone);
    measure_latency(l, weft, folder, "written", seconds, alone);
    measure_latency(l, weft, folder, "durable", seconds, alone);
    pid_t pid = start_server(weft, folder, false, "store.answer=durable", &l->port);
    open_clients(l, 64);
    run_closed(l, MIN_OF(seconds, 2));
    double cpu = cpu_of(pid), rate = run_closed(l, seconds);
    printf("jobs a second, durable, 64 connections      %8.0f   (p99 %.1f ms, %zu errors)\n",
           rate, quantile(l, 0.99), l->errors);
    l->all_errors += l->errors;
    printf("CPU time of the server process a job        %8.1f us\n",
           (cpu_of(pid) - cpu) / (double)MAX_OF(l->done, 1) * 1e6);
    close_clients(l);
    end_server(pid);
}

static void measure_many(Load *l, const char *weft, const char *folder, uint32_t count,
                         double seconds)
{
    make_keys(l, weft, folder);
    pid_t pid = start_server(weft, folder, true, "store.answer=durable", &l->port);
    open_clients(l, count);
    run_open(l, 1000, 10, 10);          /* workers for all tenants */
    run_open(l, 1000, 10, seconds);
    printf("%5u connections of 20 tenants, 1,000 submit every 10 s: p50 %.1f ms, p99 %.1f ms, "
           "%zu errors of %zu\n", count, quantile(l, 0.5), quantile(l, 0.99), l->errors,
           l->done + l->errors);
    l->all_errors += l->errors * 1000 > l->done;    /* below 0.1 % */
    close_clients(l);
    end_server(pid);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_server WEFT [SECONDS [CONNECTIONS]]\n");
        return 2;
    }
    double   seconds = argc > 2 ? atof(argv[2]) : 10;
    uint32_t count = argc > 3 ? (uint32_t)atoi(argv[3]) : 5000;
    char     folder[] = "/tmp/weft-bench-XXXXXX", second[] = "/tmp/weft-bench-XXXXXX";
    Load     load = {.room = 10000000};
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    signal(SIGPIPE, SIG_IGN);
    load.times = malloc(load.room * sizeof *load.times);
    if (!mkdtemp(folder) || !mkdtemp(second) || !load.times)
        return 2;
    measure_small(&load, argv[1], folder, seconds);
    if (count)
        measure_many(&load, argv[1], second, MIN_OF(count, MAX_CONNECTIONS), seconds);
    char command[128];
    snprintf(command, sizeof command, "rm -r %s %s", folder, second);
    free(load.times);
    return system(command) != 0 || load.all_errors > 0;
}
