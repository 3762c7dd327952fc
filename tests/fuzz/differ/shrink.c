// SPDX-License-Identifier: Apache-2.0
/*
 * shrink.c - makes a program that fails smaller.
 *
 * Tries texts without some of the lines, without a block around its lines, and with an
 * expression in parentheses instead of the one around it. Most of them are no valid
 * programs; one that is and still fails takes the place of the program.
 */
#define _DEFAULT_SOURCE

#include "shrink.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 60u                 /* a program that works longer hangs           */
#define WAITS   600u                /* and so does one that takes longer           */

/* ---- a process of its own ---- */

/* What the other process leaves. */
typedef struct Report {
    Verdict verdict;
    bool    finished;
    char    why[300], doing[64];
} Report;

static void child(const GenProgram *p, RunOptions options, Report *report)
{
    Arena arena;
    const char *why = NULL;
    setrlimit(RLIMIT_CPU, &(struct rlimit){SECONDS, SECONDS + 1});
    alarm(WAITS);
    arena_init(&arena, 0);
    options.doing = report->doing;
    report->verdict = run_program(&arena, p, &options, &why);
    snprintf(report->why, sizeof report->why, "%s", why ? why : "");
    report->finished = true;
    arena_fini(&arena);
}

Trial trial(Arena *a, const GenProgram *p, const RunOptions *options)
{
    Trial t = {.verdict = VERDICT_DIFFERENT};
    int status = 0;
    Report *r = mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    (void)a;
    BUG_IF(r == MAP_FAILED, "no memory");
    fflush(stdout);
    pid_t pid = fork();
    BUG_IF(pid < 0, "no process");
    if (pid == 0) {
        child(p, *options, r);
        _exit(0);
    }
    waitpid(pid, &status, 0);
    if (r->finished) {
        t.verdict = r->verdict;
        snprintf(t.why, sizeof t.why, "%s", r->why);
    } else {
        int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        snprintf(t.why, sizeof t.why, "%s: %s", r->doing,
                 signal_number == SIGALRM || signal_number == SIGXCPU ? "hangs" : "crashes");
    }
    munmap(r, sizeof *r);
    return t;
}

/* ---- texts ---- */

typedef struct Shrink {
    Arena      *arena;
    GenProgram *p;
    const RunOptions *options;
    Trial       last;               /* of the smallest so far                     */
} Shrink;

/* What keeps invocations out of each other's way must stay: without it there is more
 * than one right answer, and the interpreter need not notice. */
static bool is_needed(Str s)
{
    static const char *const needed[] = {"  me = ", "  li = ", "Barrier()"};
    for (size_t i = 0; i < COUNTOF(needed); i++) {
        uint32_t n = (uint32_t)strlen(needed[i]);
        for (uint32_t at = 0; at + n <= s.len; at++)
            if (memcmp(s.data + at, needed[i], n) == 0)
                return true;
    }
    return false;
}

/* The program with text[from, to) replaced by text[keep_from, keep_to) of it. */
static bool try_cut(Shrink *s, uint32_t from, uint32_t to, uint32_t keep_from, uint32_t keep_to)
{
    Str old = s->p->text;
    if (is_needed((Str){old.data + from, to - from}) &&
        !is_needed((Str){old.data + keep_from, keep_to - keep_from}))
        return false;
    Text t = {.arena = s->arena};
    text_add(&t, (Str){old.data, from});
    text_add(&t, (Str){old.data + keep_from, keep_to - keep_from});
    text_add(&t, (Str){old.data + to, old.len - to});
    s->p->text = (Str){t.data, (uint32_t)t.len};
    Trial now = trial(s->arena, s->p, s->options);
    if (now.verdict == VERDICT_DIFFERENT) {
        s->last = now;
        return true;
    }
    s->p->text = old;
    return false;
}

static uint32_t line_end(Str s, uint32_t at)
{
    while (at < s.len && s.data[at] != '\n')
        at++;
    return at < s.len ? at + 1 : at;
}

/* Where the parenthesis or brace at `at` is closed; 0: nowhere. */
static uint32_t closed_at(Str s, uint32_t at)
{
    char open = s.data[at], close = open == '(' ? ')' : '}';
    for (uint32_t depth = 0; at < s.len; at++) {
        depth += s.data[at] == open;
        if (s.data[at] == close && --depth == 0)
            return at;
    }
    return 0;
}

/* ---- passes over the text ---- */

/* Takes out `n` lines at a time. */
static bool drop_lines(Shrink *s, uint32_t n)
{
    bool any = false;
    for (uint32_t at = 0; at < s->p->text.len;) {
        uint32_t end = at;
        for (uint32_t i = 0; i < n; i++)
            end = line_end(s->p->text, end);
        if (try_cut(s, at, end, at, at))
            any = true;
        else
            at = line_end(s->p->text, at);
    }
    return any;
}

/* Takes out blocks, or what is around the lines of a block. */
static bool drop_blocks(Shrink *s)
{
    bool any = false;
    for (uint32_t at = 0; at < s->p->text.len; at = line_end(s->p->text, at)) {
        bool changed = true;
        while (changed && at < s->p->text.len) {
            Str t = s->p->text;
            uint32_t first = line_end(t, at), close;
            changed = false;
            if (first < 2 || t.data[first - 2] != '{' || !(close = closed_at(t, first - 2)))
                continue;
            uint32_t after = line_end(t, close), last = close;
            while (last > first && t.data[last - 1] != '\n')
                last--;
            changed = try_cut(s, at, after, at, at) || try_cut(s, at, after, first, last);
            any |= changed;
        }
    }
    return any;
}

/* (a + b) becomes a parenthesis inside of it; f(x) becomes one in x. */
static bool drop_parentheses(Shrink *s)
{
    bool any = false;
    for (uint32_t at = 0; at < s->p->text.len; at++) {
        Str t = s->p->text;
        uint32_t close = t.data[at] == '(' ? closed_at(t, at) : 0, from = at;
        while (from > 0 && (t.data[from - 1] == '_' || t.data[from - 1] == '>' ||
                            (t.data[from - 1] >= '0' && t.data[from - 1] <= 'z')))
            from--;
        for (uint32_t in = at + 1; close && in < close; in++) {
            uint32_t inner = t.data[in] == '(' ? closed_at(t, in) : 0;
            if (inner && try_cut(s, from, close + 1, in, inner + 1)) {
                any = true;
                break;
            }
            if (inner)
                in = inner;
        }
    }
    return any;
}

Trial shrink(Arena *a, GenProgram *p, const RunOptions *options)
{
    Shrink s = {.arena = a, .p = p, .options = options};
    bool any = true;
    snprintf(s.last.why, sizeof s.last.why, "nothing could be left out");
    for (int rounds = 0; any && rounds < 8; rounds++) {
        any = drop_blocks(&s);
        for (uint32_t n = 8; n > 0; n /= 2)
            any |= drop_lines(&s, n);
        any |= drop_parentheses(&s);
    }
    return s.last;
}
