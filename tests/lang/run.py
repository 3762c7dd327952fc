#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py - checks WGSL files against the expectations written in them.

    tests/lang/run.py --weft build/release/bin/weft [-v] PATH...

PATH is a .wgsl file or a folder of them. An expectation is a comment on the
line that causes the diagnostic:

    let x = 2;        // error redeclared: 'x' is already declared
    let y = z; w = 1; // error unknown-name: 'z' // error unknown-name@12: 'w'

that is: severity (error, warning, info), the diagnostic's id, optionally @ and
its column, a colon, and a part of its message (may be empty). A line that
cannot carry a comment has it on the line above:

    // error-next-line unterminated: comment
    /* never closed

A file without expectations must be accepted without a word. Every diagnostic
must be expected, and every expectation met. The closing line is
`N passed, N failed`; no files, a crash, or anything on the command's standard
error is a failure.
"""
import argparse
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

BATCH = 64              # files for one process of `weft check`
SECONDS = 300           # for one such process

# The line breaks of WGSL (section 3.1), which the command counts too.
LINE_BREAK = re.compile("\r\n|[\n\v\f\r\u0085\u2028\u2029]")

EXPECTATION = re.compile(
    r"//\s*(?P<severity>error|warning|info)(?P<next>-next-line)?"
    r"\s+(?P<id>[A-Za-z_][\w.-]*)(?:@(?P<column>\d+))?"
    r"\s*:[ \t]*(?P<message>.*?)\s*(?=//|$)")

ALONE = re.compile(r"\s*//\s*(error|warning|info)-next-line\s")


class Expectation:
    def __init__(self, line, match):
        self.line = line
        self.severity = match["severity"]
        self.id = match["id"]
        self.column = int(match["column"]) if match["column"] else None
        self.message = match["message"]

    def met_by(self, diagnostic):
        return (diagnostic["line"] == self.line
                and diagnostic["severity"] == self.severity
                and diagnostic["id"] == self.id
                and self.column in (None, diagnostic["column"])
                and self.message in diagnostic["message"])

    def __str__(self):
        at = f"@{self.column}" if self.column else ""
        return f"{self.severity} {self.id}{at}: {self.message}"


def expectations(text):
    """All that `text` expects. A comment for the next line skips its kind."""
    found = []
    waiting = []
    for number, line in enumerate(LINE_BREAK.split(text), 1):
        matches = list(EXPECTATION.finditer(line))
        if ALONE.match(line):
            waiting += matches
            continue
        here = waiting + [m for m in matches if not m["next"]]
        waiting = [m for m in matches if m["next"]]
        found += [Expectation(number, m) for m in here]
    # What waits for a line after the last one is about the end of the file.
    found += [Expectation(number + 1, m) for m in waiting]
    return found


def compare(wanted, result):
    """What is wrong with the result of one file, a line each."""
    wrong = []
    wanted = list(wanted)
    for diagnostic in result["diagnostics"]:
        for expectation in wanted:
            if expectation.met_by(diagnostic):
                wanted.remove(expectation)
                break
        else:
            wrong.append((diagnostic["line"], "not expected: {severity} {id}@{column}: "
                          "{message}".format(**diagnostic)))
    wrong += [(e.line, f"expected, but missing: {e}") for e in wanted]
    errors = any(d["severity"] == "error" for d in result["diagnostics"])
    if result["ok"] == errors:
        wrong.append((0, f"\"ok\" is {result['ok']}, which the diagnostics deny"))
    return [f"{line}: {what}" for line, what in sorted(wrong)]


def check(weft, files):
    """Runs one `weft check`. Gives (results by file, what went wrong)."""
    try:
        run = subprocess.run([weft, "check", "--json", *files],
                             stdin=subprocess.DEVNULL, capture_output=True,
                             timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None, f"no answer after {SECONDS} s"
    said = run.stderr.decode(errors="replace").strip()
    if run.returncode not in (0, 1) or said:
        return None, f"exit status {run.returncode}\n{said}".rstrip()
    try:
        results = json.loads(run.stdout)["files"]
    except (ValueError, KeyError, TypeError) as why:
        return None, f"not the JSON that was agreed: {why!r}"
    if [r["file"] for r in results] != files:
        return None, "the JSON is not about the files that were given"
    if run.returncode != (0 if all(r["ok"] for r in results) else 1):
        return None, f"exit status {run.returncode} does not fit the results"
    return dict(zip(files, results)), None


def run_batch(weft, files):
    """[(file, problems)]. A batch that fails as a whole is split, so that the
    blame falls on the file it belongs to."""
    results, trouble = check(weft, files)
    if trouble and len(files) > 1:
        middle = len(files) // 2
        return run_batch(weft, files[:middle]) + run_batch(weft, files[middle:])
    if trouble:
        return [(files[0], [trouble])]
    judged = []
    for file in files:
        with open(file, encoding="utf-8", errors="surrogateescape", newline="") as f:
            judged.append((file, compare(expectations(f.read()), results[file])))
    return judged


def collect(paths):
    files = []
    for path in paths:
        if os.path.isdir(path):
            for folder, _, names in os.walk(path):
                files += [os.path.join(folder, n) for n in names if n.endswith(".wgsl")]
        elif os.path.exists(path):
            files.append(path)
        else:
            sys.exit(f"{path}: no such file or folder")
    return sorted(files)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--weft", required=True)
    parser.add_argument("-v", "--verbose", action="store_true")
    parser.add_argument("paths", nargs="+")
    args = parser.parse_args()

    files = collect(args.paths)
    if not files:
        sys.exit("no .wgsl files in: " + " ".join(args.paths))

    batches = [files[i:i + BATCH] for i in range(0, len(files), BATCH)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = [one for batch in pool.map(lambda b: run_batch(args.weft, b), batches)
                  for one in batch]

    failed = 0
    for file, problems in judged:
        failed += bool(problems)
        for problem in problems:
            print(f"{file}:{problem}")
        if args.verbose and not problems:
            print(f"{file}: ok")
    print(f"{len(judged) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
