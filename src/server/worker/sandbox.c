// SPDX-License-Identifier: Apache-2.0
/*
 * sandbox.c - closes a worker process off.
 *
 * in     limits
 * out    bits for what took effect
 * knows  Linux: seccomp, namespaces, Landlock, prctl, rlimits
 * not    kernels, devices, messages
 */
#define _GNU_SOURCE
#include "server/worker/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/macro.h"

#ifndef PR_SET_MDWE
#define PR_SET_MDWE 65
#endif
#define MDWE_REFUSE_EXEC_GAIN 1ul

/* The address sanitizer reserves terabytes. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED 0
#endif

static const char *const names[] = {
    [SANDBOX_NO_NEW_PRIVS] = "no_new_privs", [SANDBOX_NAMESPACES] = "namespaces",
    [SANDBOX_LANDLOCK] = "landlock", [SANDBOX_RLIMITS] = "rlimits",
    [SANDBOX_SECCOMP] = "seccomp", [SANDBOX_MDWE] = "mdwe",
};
_Static_assert(COUNTOF(names) == SANDBOX_PART_COUNT, "a part has no name");

const char *sandbox_name(SandboxPart part)
{
    return part < SANDBOX_PART_COUNT ? names[part] : "unknown";
}

/* ---- before threads ---- */

static bool deny_files(void)
{
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi < 1)
        return false;
    /* All access rights of the first version; later ones add refer and truncate. */
    struct landlock_ruleset_attr attr = {.handled_access_fs = (1ull << 13) - 1};
    if (abi >= 2)
        attr.handled_access_fs |= 1ull << 13;
    if (abi >= 3)
        attr.handled_access_fs |= 1ull << 14;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0);
    if (rules < 0)
        return false;
    bool ok = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return ok;
}

static bool limit(int what, uint64_t value)
{
    struct rlimit l = {value, value};
    return setrlimit(what, &l) == 0;
}

static bool set_limits(uint64_t address_space, uint64_t files)
{
    bool ok = limit(RLIMIT_CORE, 0) && limit(RLIMIT_FSIZE, 1ull << 32)
           && limit(RLIMIT_NOFILE, files);
    if (address_space && !SANITIZED)
        ok = limit(RLIMIT_AS, address_space) && ok;
    return ok;
}

static uint32_t begin_common(uint64_t address_space, uint64_t files)
{
    uint32_t done = 0;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        done |= 1u << SANDBOX_NO_NEW_PRIVS;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS) == 0)
        done |= 1u << SANDBOX_NAMESPACES;
    if (set_limits(address_space, files))
        done |= 1u << SANDBOX_RLIMITS;
    return done;
}

uint32_t sandbox_begin(uint64_t address_space)
{
    uint32_t done = begin_common(address_space, 64);
    if (deny_files())
        done |= 1u << SANDBOX_LANDLOCK;
    return done;
}

/* Drivers reserve more address space than there is memory, and a descriptor for each fence. */
uint32_t sandbox_begin_gpu(void)
{
    return begin_common(0, 1024);
}

/* ---- seccomp ---- */

/* What a worker needs: memory, threads, time, its socket. Everything else is refused with
 * EPERM, or kills the process. */
static const int allowed[] = {
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev), SCMP_SYS(recvmsg),
    SCMP_SYS(recvfrom), SCMP_SYS(sendmsg), SCMP_SYS(sendto), SCMP_SYS(close), SCMP_SYS(poll),
    SCMP_SYS(ppoll), SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(newfstatat), SCMP_SYS(fcntl),
    SCMP_SYS(ftruncate), SCMP_SYS(memfd_create),
    SCMP_SYS(brk), SCMP_SYS(mmap), SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(mprotect),
    SCMP_SYS(madvise),
    SCMP_SYS(futex), SCMP_SYS(rseq), SCMP_SYS(set_robust_list),
    SCMP_SYS(gettid), SCMP_SYS(getpid), SCMP_SYS(sched_yield), SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_setaffinity), SCMP_SYS(getcpu), SCMP_SYS(exit), SCMP_SYS(exit_group),
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack), SCMP_SYS(restart_syscall),
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep),
    SCMP_SYS(gettimeofday), SCMP_SYS(getrusage), SCMP_SYS(getrandom), SCMP_SYS(sysinfo),
    SCMP_SYS(uname), SCMP_SYS(getuid), SCMP_SYS(membarrier),
};

/* What drivers of GPUs need beside it, once their files are open. */
static const int allowed_gpu[] = {
    SCMP_SYS(dup), SCMP_SYS(pipe2), SCMP_SYS(eventfd2), SCMP_SYS(epoll_create1),
    SCMP_SYS(epoll_ctl), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait), SCMP_SYS(mlock),
    SCMP_SYS(munlock), SCMP_SYS(msync), SCMP_SYS(kcmp), SCMP_SYS(clock_getres),
    SCMP_SYS(sched_getscheduler), SCMP_SYS(sched_getparam), SCMP_SYS(getgid),
    SCMP_SYS(geteuid), SCMP_SYS(getegid), SCMP_SYS(get_mempolicy), SCMP_SYS(mbind),
};

/* ioctl() only to kinds of devices that compute: DRM, buffers and fences that DRM shares,
 * AMD's and NVIDIA's. The kind is the second byte of the request. */
static const char ioctl_kinds[] = {'d', 'b', '>', 'K', 'F'};

/* These end the process: no honest code in a worker comes near them. */
static const int deadly[] = {
    SCMP_SYS(execve), SCMP_SYS(execveat),
};

static bool allow_if(scmp_filter_ctx filter, int call, struct scmp_arg_cmp condition)
{
    return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, condition) == 0;
}

/* Calls that take the id of any process of the same user: the server is one, and namespaces do
 * not hide it. abort() signals its own process; only the worker's own limits can be changed.
 * sched_setaffinity() stays allowed for all of them: the pool of the CPU device moves its
 * threads by their ids, which a filter cannot tell from those of the server. */
static bool add_self_rules(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp own = SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0);
    const struct scmp_arg_cmp self = SCMP_A0(SCMP_CMP_EQ, 0, 0);
    return allow_if(filter, SCMP_SYS(tgkill), own)
        && allow_if(filter, SCMP_SYS(prlimit64), own)
        && allow_if(filter, SCMP_SYS(prlimit64), self);
}

static bool add_rules(scmp_filter_ctx filter)
{
    for (size_t i = 0; i < COUNTOF(allowed); i++)
        if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0) != 0)
            return false;
    for (size_t i = 0; i < COUNTOF(deadly); i++)
        if (seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, deadly[i], 0) != 0)
            return false;
    /* Threads, but no processes: clone3() passes its flags in memory, where a filter cannot
     * look, so glibc is told to use clone(). */
    if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) != 0)
        return false;
    return allow_if(filter, SCMP_SYS(clone),
                    SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD))
        && allow_if(filter, SCMP_SYS(prctl), SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME, 0))
        && add_self_rules(filter);
}

static bool add_gpu_rules(scmp_filter_ctx filter)
{
    for (size_t i = 0; i < COUNTOF(allowed_gpu); i++)
        if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed_gpu[i], 0) != 0)
            return false;
    for (size_t i = 0; i < COUNTOF(ioctl_kinds); i++)
        if (seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
                             SCMP_A1(SCMP_CMP_MASKED_EQ, 0xff00,
                                     (scmp_datum_t)ioctl_kinds[i] << 8)) != 0)
            return false;
    return true;
}

static bool install_filter(bool gpu)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    if (!filter)
        return false;
    bool ok = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 && add_rules(filter)
           && (!gpu || add_gpu_rules(filter)) && seccomp_load(filter) == 0;
    seccomp_release(filter);
    return ok;
}

uint32_t sandbox_close(void)
{
    uint32_t done = 0;
    if (prctl(PR_SET_MDWE, MDWE_REFUSE_EXEC_GAIN, 0, 0, 0) == 0)
        done |= 1u << SANDBOX_MDWE;
    if (install_filter(false))
        done |= 1u << SANDBOX_SECCOMP;
    return done;
}

/* Drivers compile, too, into memory that was writable; so PR_SET_MDWE stays off. */
uint32_t sandbox_close_gpu(void)
{
    return install_filter(true) ? 1u << SANDBOX_SECCOMP : 0;
}

uint32_t sandbox_probe(void)
{
    int pipes[2];
    uint32_t found = 0;
    if (pipe2(pipes, O_CLOEXEC) != 0)
        return 0;
    pid_t child = fork();
    if (child == 0) {
        uint32_t done = sandbox_begin(0);
        done |= sandbox_close();
        ssize_t n = write(pipes[1], &done, sizeof done);
        _exit(n == (ssize_t)sizeof done ? 0 : 1);
    }
    close(pipes[1]);
    if (child < 0 || read(pipes[0], &found, sizeof found) != (ssize_t)sizeof found)
        found = 0;
    close(pipes[0]);
    if (child > 0)
        waitpid(child, NULL, 0);
    return found;
}

/* ---- attempts, for tests ---- */

static void tell(char *out, size_t size, const char *what, long result)
{
    size_t at = strlen(out);
    snprintf(out + at, size - at, "%s %s\n", what,
             result >= 0 ? "allowed" : strerrorname_np(errno));
}

static long attempt_code(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return -1;
    long result = mprotect(page, 4096, PROT_READ | PROT_EXEC);
    munmap(page, 4096);
    return result;
}

static long attempt_fork(void)
{
    pid_t parent = getpid();
    long  result = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
    if (getpid() != parent)
        _exit(0);
    if (result > 0)
        waitpid((pid_t)result, NULL, 0);
    return result;
}

/* A limit of a process is set to what it is. */
static long attempt_limit(pid_t other)
{
    struct rlimit l;
    if (prlimit(other, RLIMIT_CORE, NULL, &l) != 0)
        return -1;
    return prlimit(other, RLIMIT_CORE, &l, NULL);
}

void sandbox_attempt(pid_t other, char *out, size_t size)
{
    *out = '\0';
    tell(out, size, "open", open("/etc/passwd", O_RDONLY | O_CLOEXEC));
    tell(out, size, "create", open("/tmp/weft-escape", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    tell(out, size, "socket", socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    tell(out, size, "kill", kill(other, 0));
    tell(out, size, "limit", attempt_limit(other));
    tell(out, size, "fork", attempt_fork());
    tell(out, size, "unshare", unshare(CLONE_NEWUSER));
    tell(out, size, "code", attempt_code());
    /* The last: a traced process stops at every signal, such as that of a child's end. */
    tell(out, size, "ptrace", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}
