// SPDX-License-Identifier: Apache-2.0
/*
 * run_groups.c - how many workgroups to run.
 *
 * in     --groups, or what the sizes of pictures and arrays suggest
 * out    Run.groups, and a note that says where they come from
 */
#include "cli/run_priv.h"

const char *run_size_text(Run *r, const uint32_t size[3])
{
    Arena *a = &r->cli->arena;
    if (size[2] != 1)
        return arena_printf(a, "%u x %u x %u", size[0], size[1], size[2]);
    if (size[1] != 1)
        return arena_printf(a, "%u x %u", size[0], size[1]);
    return arena_printf(a, "%u", size[0]);
}

static uint64_t divide_up(uint64_t n, uint64_t by)
{
    return (n + by - 1) / by;
}

static const Output *find_picture(const Run *r)
{
    for (uint32_t i = 0; i < r->outputs.len; i++)
        if (r->outputs.data[i].is_picture)
            return &r->outputs.data[i];
    return NULL;
}

static const char *workgroups(const uint64_t groups[3])
{
    return groups[0] == 1 && groups[1] == 1 && groups[2] == 1 ? "workgroup" : "workgroups";
}

static bool set_groups(Run *r, const uint64_t groups[3])
{
    uint32_t limit = r->device.limits.maxComputeWorkgroupsPerDimension;
    for (int i = 0; i < 3; i++) {
        if (groups[i] > limit)
            return run_fail(r, "%llu workgroups in a row are more than the device takes: %u; "
                            "give --groups, and let each do more",
                            (unsigned long long)groups[i], limit);
        r->groups[i] = (uint32_t)groups[i];
    }
    return true;
}

/* An invocation for each pixel of the first picture. */
static bool groups_of_picture(Run *r, const Output *picture)
{
    const uint32_t *size = r->special.workgroup_size;
    uint64_t groups[3] = {divide_up(picture->width, size[0]),
                          divide_up(picture->height, size[1]), 1};
    if (!set_groups(r, groups))
        return false;
    run_note(r, "%s %s of %s, for the %u x %u pixels of '%s'", run_size_text(r, r->groups),
             workgroups(groups), run_size_text(r, size), picture->width, picture->height,
             picture->bound->name);
    return true;
}

/* An invocation for each element of the longest array. */
static bool groups_of_array(Run *r)
{
    const uint32_t *size = r->special.workgroup_size;
    uint64_t count = r->longest_of ? r->longest : 1;
    uint64_t groups[3] = {divide_up(count, size[0]), 1, 1};
    if (!set_groups(r, groups))
        return false;
    if (r->longest_of)
        run_note(r, "%llu %s of %s, for the %llu element%s of '%s'",
                 (unsigned long long)groups[0], workgroups(groups), run_size_text(r, size),
                 (unsigned long long)count, count == 1 ? "" : "s", r->longest_of->name);
    else
        run_note(r, "one workgroup of %s; --groups=X,Y,Z runs more", run_size_text(r, size));
    return true;
}

bool run_groups(Run *r)
{
    const uint32_t *size = r->special.workgroup_size;
    const Output   *picture = find_picture(r);
    if (!r->auto_groups) {
        uint64_t asked[3] = {r->asked_groups[0], r->asked_groups[1], r->asked_groups[2]};
        return set_groups(r, asked);
    }
    if (size[1] == 1 && size[2] == 1)
        return groups_of_array(r);
    if (picture && size[2] == 1)
        return groups_of_picture(r, picture);
    return run_fail(r, "workgroups of %s: how many to run does not follow from the data; give "
                    "--groups=X,Y,Z", run_size_text(r, size));
}
