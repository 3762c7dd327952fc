// SPDX-License-Identifier: Apache-2.0
/*
 * driver_bugs_test.c - what is wrong in Vulkan drivers, shown with Vulkan alone.
 *
 * in     modules that spirv-as made from driver-bugs/NAME.spvasm. Comments there say what
 *        goes in and what comes out:
 *          ; driver  llvmpipe          the start of the device's name
 *          ; version Mesa 22.3         the start of the driver's information, if it has any
 *          ; in      0x3f800000 2      words of binding 0; zeros follow
 *          ; right   0x3f000000        words of binding 1 after one workgroup
 *          ; wrong   0x7f800000        what the driver makes of it; "crash": it does not
 * out    a failure if that version of the driver does anything but what is wrong, so that
 *        what Weft does about it does not outlive it. Other versions may be right, and
 *        then this says so
 * not    Weft: nothing of it is in this program
 *
 *     test_driver_bugs FOLDER-OF-SPVASM FOLDER-OF-SPV NAME...
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/byhand.h"

enum { WORDS = 64 };

typedef struct Case {
    char     driver[64], version[64];
    uint32_t in[WORDS], right[WORDS], wrong[WORDS];
    uint32_t count;                     /* of the words that are compared         */
    bool     crash;
} Case;

typedef struct Machine {
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    char version[VK_MAX_DRIVER_INFO_SIZE];
} Machine;

/* ---- files ---- */

static uint32_t read_words(const char *text, uint32_t *out)
{
    uint32_t n = 0;
    char    *end;
    for (; n < WORDS; n++, text = end) {
        out[n] = (uint32_t)strtoul(text, &end, 0);
        if (end == text)
            break;
    }
    return n;
}

static bool read_case(Case *c, const char *path)
{
    char  line[1024], word[16];
    int   at;
    FILE *f = fopen(path, "r");
    *c = (Case){0};
    while (f && fgets(line, sizeof line, f)) {
        if (sscanf(line, "; %15s %n", word, &at) != 1)
            continue;
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(word, "driver") == 0)
            snprintf(c->driver, sizeof c->driver, "%s", line + at);
        else if (strcmp(word, "version") == 0)
            snprintf(c->version, sizeof c->version, "%s", line + at);
        else if (strcmp(word, "in") == 0)
            read_words(line + at, c->in);
        else if (strcmp(word, "right") == 0)
            c->count = read_words(line + at, c->right);
        else if (strcmp(word, "wrong") == 0 && strcmp(line + at, "crash") == 0)
            c->crash = true;
        else if (strcmp(word, "wrong") == 0 && read_words(line + at, c->wrong) != c->count)
            c->count = 0;
    }
    if (f)
        fclose(f);
    return c->driver[0] && c->count;
}

/* ---- Vulkan ---- */

static void find_machine(Machine *m)
{
    ByHand h;
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 all = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                       .pNext = &driver};
    by_hand_open(&h);
    vkGetPhysicalDeviceProperties2(h.physical, &all);
    snprintf(m->name, sizeof m->name, "%s", all.properties.deviceName);
    snprintf(m->version, sizeof m->version, "%s", driver.driverInfo);
    by_hand_close(&h);
}

static void dispatch(ByHand *h)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1,
                           .pCommandBuffers = &h->commands};
    MUST(vkBeginCommandBuffer(h->commands, &begin));
    by_hand_dispatch(h, 1, 1);
    by_hand_barrier(h, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                    VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    MUST(vkEndCommandBuffer(h->commands));
    MUST(vkQueueSubmit(h->queue, 1, &submit, VK_NULL_HANDLE));
    MUST(vkQueueWaitIdle(h->queue));
}

/* ---- cases ---- */

static void print_words(const char *what, const uint32_t *words, uint32_t count)
{
    printf("  %s", what);
    for (uint32_t i = 0; i < count; i++)
        printf(" 0x%08x", (unsigned)words[i]);
    printf("\n");
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Whether this is the version that has the bug; of some there is no telling. */
static bool is_known(const Machine *m, const Case *c)
{
    return c->version[0] && starts_with(m->version, c->version);
}

/* Whether the driver does what is known of it. `got` NULL: it crashes. */
static bool judge(const Machine *m, const char *name, const Case *c, const uint32_t *got)
{
    size_t size = c->count * sizeof *got;
    if (got ? !c->crash && memcmp(got, c->wrong, size) == 0 : c->crash) {
        printf("%s: wrong, as is known\n", name);
        return true;
    }
    if (got && memcmp(got, c->right, size) == 0 && !is_known(m, c)) {
        printf("%s: right in this version of the driver\n", name);
        return true;
    }
    printf("%s: not what is known of %s, %s\n", name, m->name, m->version);
    if (!got) {
        printf("  it crashes\n");
        return false;
    }
    print_words("     ", got, c->count);
    print_words("right", c->right, c->count);
    print_words("wrong", c->wrong, c->count);
    return false;
}

/* In a process of its own, which leaves the words. False: it crashes. */
static bool run_module(const char *path, const Case *c, uint32_t *got)
{
    int status, ends[2];
    fflush(stdout);
    if (pipe(ends) != 0)
        by_hand_must(VK_ERROR_INITIALIZATION_FAILED, "making a pipe");
    pid_t child = fork();
    if (child == 0) {
        ByHand h;
        by_hand_open(&h);
        by_hand_buffer(&h, sizeof c->in);
        by_hand_buffer(&h, sizeof c->in);
        by_hand_kernel(&h, path, NULL);
        memcpy(h.data[0], c->in, sizeof c->in);
        dispatch(&h);
        bool told = write(ends[1], h.data[1], sizeof c->in) == sizeof c->in;
        by_hand_close(&h);
        _exit(!told);
    }
    close(ends[1]);
    bool whole = read(ends[0], got, sizeof c->in) == sizeof c->in;
    close(ends[0]);
    waitpid(child, &status, 0);
    return whole && WIFEXITED(status);
}

static bool run_case(const Machine *m, const char *texts, const char *modules, const char *name)
{
    char     path[1024];
    Case     c;
    uint32_t got[WORDS];
    snprintf(path, sizeof path, "%s/%s.spvasm", texts, name);
    if (!read_case(&c, path)) {
        printf("%s: no case\n", path);
        return false;
    }
    if (!starts_with(m->name, c.driver))
        return true;
    snprintf(path, sizeof path, "%s/%s.spv", modules, name);
    return judge(m, name, &c, run_module(path, &c, got) ? got : NULL);
}

int main(int argc, char **argv)
{
    Machine m = {0};
    bool    ok = argc > 3;
    find_machine(&m);
    for (int i = 3; i < argc; i++)
        ok = run_case(&m, argv[1], argv[2], argv[i]) && ok;
    return !ok;
}
