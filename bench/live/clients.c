// SPDX-License-Identifier: Apache-2.0
/*
 * clients.c - many WebSocket clients on one thread, and one that publishes.
 *
 *     clients PORT COUNT binary|deflate MESSAGES RATE BURST
 *
 * in     a server that broadcasts what a client sends: weft serve, or bench/live/ws-server.mjs
 * out    "connected SECONDS"; after a line on standard input MESSAGES vectors of 384 numbers,
 *        RATE a second, BURST of them in one write; "done SECONDS MESSAGES P50_MS P99_MS"
 * knows  as much of RFC 6455 as it takes to count messages
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { DIM = 384, LONG_TEXT = 400, MAX_AT_ONCE = 512 };

typedef struct Client {
    int      fd;
    bool     upgraded, ready;
    uint8_t  head[10];                  /* of a frame, or the end of the HTTP head        */
    uint32_t have;                      /* bytes of it                                    */
    uint64_t left;                      /* of the payload                                 */
    uint32_t first, first_have;         /* first number of the payload                    */
    uint64_t counted;
    bool     counts;                    /* this frame                                     */
} Client;

static struct {
    uint16_t port;
    bool     deflate;
    uint32_t count, messages, rate, burst, ready;
    uint64_t received, *sent_ns;
    float   *delays;                    /* milliseconds                                   */
    size_t   delay_count, delay_room;
    int      epoll;
    Client  *clients;
} b;

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void send_all(int fd, const void *data, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = send(fd, (const char *)data + at, size - at, MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN && errno != EINTR)
            die("send");
        at += n > 0 ? (size_t)n : 0;
    }
}

/* A frame of a client, with a mask of zeros. */
static size_t put_frame(uint8_t *out, uint8_t opcode, const void *data, size_t size)
{
    size_t n = 2;
    out[0] = 0x80 | opcode;
    out[1] = 0x80 | (uint8_t)(size < 126 ? size : 126);
    if (size >= 126) {
        out[n++] = (uint8_t)(size >> 8);
        out[n++] = (uint8_t)size;
    }
    memset(out + n, 0, 4);
    memcpy(out + n + 4, data, size);
    return n + 4 + size;
}

static void say(int fd, const char *text)
{
    uint8_t frame[512];
    send_all(fd, frame, put_frame(frame, 1, text, strlen(text)));
}

static int connect_to_server(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(b.port)};
    int                one = 1, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) != 0)
        die("connect");
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    char text[512];
    int  n = snprintf(text, sizeof text, "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUpgrade: "
                      "websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                      "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n%s\r\n", b.port,
                      b.deflate ? "Sec-WebSocket-Extensions: permessage-deflate; "
                      "server_no_context_takeover; client_no_context_takeover\r\n" : "");
    send_all(fd, text, (size_t)n);
    return fd;
}

/* ---- reading ---- */

static void count_message(Client *c)
{
    float number;
    c->counted++;
    b.received++;
    memcpy(&number, &c->first, sizeof number);
    if (b.deflate || number < 1 || number > (float)b.messages
        || b.delay_count == b.delay_room)
        return;
    b.delays[b.delay_count++] = (float)(now_ns() - b.sent_ns[(uint32_t)number - 1]) * 1e-6f;
}

static size_t take_http(Client *c, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bool right = data[i] == "\r\n\r\n"[c->have];
        c->have = right ? c->have + 1 : data[i] == '\r';
        if (c->have == 4) {
            c->upgraded = true;
            c->have = 0;
            say(c->fd, b.deflate ? "{\"type\":\"subscribe\",\"channels\":[\"vector_updates\"]}"
                : "{\"type\":\"subscribe\",\"channels\":[\"vector_updates\"],\"binary\":true}");
            return i + 1;
        }
    }
    return size;
}

/* One byte of a frame's head; true once it is complete. */
static bool take_head(Client *c, uint8_t byte)
{
    c->head[c->have++] = byte;
    uint32_t more = c->have < 2 ? 0 : c->head[1] == 126 ? 2 : c->head[1] == 127 ? 8 : 0;
    if (c->have < 2 || c->have < 2 + more)
        return false;
    c->left = more ? 0 : c->head[1];
    for (uint32_t i = 0; i < more; i++)
        c->left = c->left << 8 | c->head[2 + i];
    uint8_t opcode = c->head[0] & 15;
    c->counts = b.deflate ? opcode == 1 && c->left > LONG_TEXT : opcode == 2;
    if (!c->ready && opcode == 1) {
        c->ready = true;
        b.ready++;
    }
    if (opcode == 9)                    /* payloads of pings are empty here */
        send_all(c->fd, "\x8a\x80\0\0\0\0", 6);
    c->have = c->first_have = 0;
    return true;
}

static void take(Client *c, const uint8_t *data, size_t size)
{
    size_t at = c->upgraded ? 0 : take_http(c, data, size);
    while (at < size || (c->left == 0 && c->counts)) {
        if (c->left == 0 && c->counts) {
            c->counts = false;
            count_message(c);
        } else if (c->left == 0) {
            take_head(c, data[at++]);
        } else {
            size_t n = c->left < size - at ? (size_t)c->left : size - at;
            for (size_t i = 0; i < n && c->first_have < 4; i++)
                ((uint8_t *)&c->first)[c->first_have++] = data[at + i];
            at += n;
            c->left -= n;
        }
    }
}

/* Reads what has come within so many milliseconds. */
static void poll_once(int wait)
{
    struct epoll_event events[512];
    static uint8_t     data[256 << 10];
    int                n = epoll_wait(b.epoll, events, 512, wait);
    for (int i = 0; i < n; i++) {
        Client *c = events[i].data.ptr;
        ssize_t got = recv(c->fd, data, sizeof data, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            die("the server closed a connection");
        if (got > 0)
            take(c, data, (size_t)got);
    }
}

/* ---- the run ---- */

static void connect_all(void)
{
    uint64_t start = now_ns();
    for (uint32_t i = 0; i < b.count; i++) {
        Client *c = &b.clients[i];
        c->fd = connect_to_server();
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
        epoll_ctl(b.epoll, EPOLL_CTL_ADD, c->fd, &e);
        while (i - b.ready > MAX_AT_ONCE)
            poll_once(10);
    }
    while (b.ready < b.count)
        poll_once(10);
    printf("connected %.3f\n", (double)(now_ns() - start) * 1e-9);
    fflush(stdout);
}

static void publish(int fd, uint32_t first)
{
    static uint8_t out[64 * (DIM * 4 + 16)];
    size_t         size = 0;
    float          row[DIM];
    for (uint32_t k = 0; k < b.burst && first + k < b.messages; k++) {
        for (int i = 0; i < DIM; i++)
            row[i] = (float)(random() % 2000001 - 1000000) * 1e-6f;
        row[0] = (float)(first + k + 1);
        b.sent_ns[first + k] = now_ns();
        size += put_frame(out + size, 2, row, sizeof row);
    }
    send_all(fd, out, size);
}

static int by_value(const void *x, const void *y)
{
    float d = *(const float *)x - *(const float *)y;
    return d < 0 ? -1 : d > 0;
}

static void run(Client *publisher)
{
    uint64_t start = now_ns(), total = (uint64_t)b.messages * b.count, last = start;
    for (uint32_t at = 0; b.received < total;) {
        uint64_t due = start + (uint64_t)at * 1000000000u / b.rate, now = now_ns();
        if (at < b.messages && now >= due) {
            publish(publisher->fd, at);
            at += b.burst;
        }
        uint64_t before = b.received;
        poll_once(at < b.messages && due > now ? (int)((due - now) / 1000000) : 1);
        last = b.received > before ? now_ns() : last;
        if (now_ns() - last > 20000000000u)
            break;                      /* some are lost */
    }
    qsort(b.delays, b.delay_count, sizeof *b.delays, by_value);
    printf("done %.3f %llu %.2f %.2f\n", (double)(now_ns() - start) * 1e-9,
           (unsigned long long)b.received,
           b.delay_count ? (double)b.delays[b.delay_count / 2] : 0,
           b.delay_count ? (double)b.delays[b.delay_count * 99 / 100] : 0);
}

int main(int argc, char **argv)
{
    struct rlimit files;
    if (argc != 7) {
        fprintf(stderr, "usage: clients PORT COUNT binary|deflate MESSAGES RATE BURST\n");
        return 2;
    }
    b.port = (uint16_t)atoi(argv[1]);
    b.count = (uint32_t)atoi(argv[2]);
    b.deflate = strcmp(argv[3], "deflate") == 0;
    b.messages = (uint32_t)atoi(argv[4]);
    b.rate = (uint32_t)atoi(argv[5]);
    b.burst = (uint32_t)atoi(argv[6]);
    if (!b.port || !b.count || !b.messages || !b.rate || !b.burst || b.burst > 64)
        return 2;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    b.clients = calloc(b.count + 1, sizeof *b.clients);
    b.sent_ns = calloc(b.messages, sizeof *b.sent_ns);
    b.delay_room = (size_t)b.messages * b.count;
    b.delays = malloc(b.delay_room * sizeof *b.delays);
    b.epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!b.clients || !b.sent_ns || !b.delays || b.epoll < 0)
        die("memory");
    connect_all();
    Client *publisher = &b.clients[b.count];
    publisher->fd = connect_to_server();
    publisher->ready = true;
    while (!publisher->upgraded) {      /* it subscribes to nothing */
        uint8_t byte;
        if (recv(publisher->fd, &byte, 1, 0) != 1)
            die("publisher");
        publisher->have = byte == (uint8_t)"\r\n\r\n"[publisher->have] ? publisher->have + 1
                                                                       : byte == '\r';
        publisher->upgraded = publisher->have == 4;
    }
    say(publisher->fd, "{\"type\":\"vector_stream\",\"dimension\":384}");
    getchar();
    run(publisher);
    return 0;
}
