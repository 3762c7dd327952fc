#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py - runs the command lines in text files and compares what they print.

    tests/cli/run.py --weft build/release/bin/weft [--update] FILE...

A FILE is a .cli file, or a Markdown document whose indented or fenced blocks are
read the same way. It has command lines that begin with "$ weft", each followed by
what it prints: standard output and standard error together, then `[status N]` if
the exit status is not 0. An empty line, or the end of the block, ends it.

    $ weft explain redeclared
    redeclared: A name is declared twice in one scope.

Lines of a .cli file that begin with "# " before a command are comments. Commands
run in the folder of the file (documents: at the top of the tree) by sh, so pipes
into them and redirections work: `$ printf '' | weft check -`. $TMP is a folder for
files, empty at the start; its name is shown as $TMP. In a document a
block runs only if it has such a line. --update rewrites .cli files with what the
commands print now; read the difference before you keep it.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMMAND = re.compile(r"^\$ (.*\bweft\b.*)$")


def blocks_of(path, lines):
    """[(first line number, lines)] of what may hold commands."""
    if not path.endswith(".md"):
        return [(1, lines)]
    blocks, block, fence = [], None, False
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            fence = not fence
            if fence:
                block = (number + 1, [])
                blocks.append(block)
        elif fence:
            block[1].append(line)
        elif line.startswith("    "):
            if block is None or number != block[0] + len(block[1]):
                block = (number, [])
                blocks.append(block)
            block[1].append(line[4:])
    return blocks


def cases_of(path, lines):
    """[(line number, command, expected lines)]"""
    cases = []
    for first, block in blocks_of(path, lines):
        current = None
        for number, line in enumerate(block, first):
            found = COMMAND.match(line)
            if found:
                current = (number, found[1], [])
                cases.append(current)
            elif line == "":
                current = None
            elif current:
                current[2].append(line)
    return cases


def run(command, folder, weft, scratch):
    env = dict(os.environ, PATH=os.path.dirname(weft) + ":" + os.environ["PATH"],
               TERM="xterm", TMP=scratch + "/files", XDG_CACHE_HOME=scratch + "/cache")
    for name in ("NO_COLOR", "COLUMNS", "COLORTERM", "WEFT_WEBGPU"):
        env.pop(name, None)
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, timeout=300,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    text = done.stdout.decode("utf-8", "backslashreplace").replace("\x1b", "\\e")
    text = text.replace(env["TMP"], "$TMP")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    # An empty line would end the case.
    lines = [line or "." for line in lines]
    if done.returncode:
        lines.append(f"[status {done.returncode}]")
    return lines


def show(path, number, command, wanted, got):
    print(f"{path}:{number}: {command}")
    for line in wanted:
        print(f"    - {line}")
    for line in got:
        print(f"    + {line}")


def update(path, lines, weft, scratch):
    out, skip = [], False
    for line in lines:
        found = COMMAND.match(line)
        if found:
            out.append(line)
            out += run(found[1], os.path.dirname(path), weft, scratch)
            skip = True
        elif line == "":
            skip = False
            out.append(line)
        elif not skip:
            out.append(line)
    with open(path, "w", encoding="utf-8") as f:
        f.write("\n".join(out) + "\n")


def check(path, lines, weft, scratch):
    """(passed, failed) of the commands in one file."""
    passed = failed = 0
    folder = TOP if path.endswith(".md") else os.path.dirname(path)
    cases = cases_of(path, lines)
    if not cases:
        print(f"{path}: no commands")
        failed += 1
    for number, command, wanted in cases:
        got = run(command, folder, weft, scratch)
        if got == wanted:
            passed += 1
        else:
            failed += 1
            show(os.path.relpath(path), number, command, wanted, got)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--weft", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    weft = os.path.abspath(args.weft)
    passed = failed = 0
    for path in map(os.path.abspath, args.files):
        with open(path, encoding="utf-8") as f:
            lines = f.read().rstrip("\n").split("\n")
        with tempfile.TemporaryDirectory() as scratch:
            os.mkdir(scratch + "/files")
            if args.update and not path.endswith(".md"):
                update(path, lines, weft, scratch)
                continue
            good, bad = check(path, lines, weft, scratch)
        passed += good
        failed += bad
    if not args.update:
        print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
