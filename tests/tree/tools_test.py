#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tools_test.py - check-layers and check-tree find what they are there for."""
import os
import subprocess
import tempfile
import unittest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GOOD = "/* SPDX-License-Identifier: Apache-2.0 */\n/*\n * {name} - a file.\n */\n"


class Tools(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.top = self.temp.name
        self.write("tools/layers.txt",
                   "base :\nir : base\ncheck : base ir/type.h\n"
                   "emit/llvm : base ir llvm-c\n")
        self.write("tools/large-files.txt", "# none\n")

    def tearDown(self):
        self.temp.cleanup()

    def write(self, name, text):
        path = os.path.join(self.top, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text)

    def source(self, name, text):
        self.write(name, GOOD.format(name=os.path.basename(name)) + text)
        self.write(os.path.dirname(name) + "/CMakeLists.txt",
                   "# SPDX-License-Identifier: Apache-2.0\n" + os.path.basename(name) + "\n")

    def run_tool(self, tool):
        run = subprocess.run([os.path.join(TOP, "tools", tool), self.top],
                             capture_output=True, text=True)
        return run.returncode, run.stdout + run.stderr

    def accepts(self, tool):
        self.assertEqual(self.run_tool(tool), (0, ""))

    def rejects(self, tool, why):
        status, output = self.run_tool(tool)
        self.assertEqual(status, 1, output)
        self.assertIn(why, output)

    # check-layers

    def test_allowed_includes(self):
        self.source("src/emit/llvm/a.c", '#include "ir/ir.h"\n#include <llvm-c/Core.h>\n'
                    '#include "emit/llvm/a_priv.h"\n#include <stdio.h>\n')
        self.accepts("check-layers")

    def test_a_single_header(self):
        self.source("src/check/a.c", '#include "ir/type.h"\n')
        self.accepts("check-layers")
        self.source("src/check/a.c", '#include "ir/ir.h"\n')
        self.rejects("check-layers", "src/check/a.c:5: ir/ir.h: check may not know ir")

    def test_upwards(self):
        self.source("src/base/a.h", '#include "ir/ir.h"\n')
        self.rejects("check-layers", "base may not know ir")

    def test_nested_folders_are_their_own(self):
        self.source("src/ir/a.c", '#  include "emit/llvm/x.h"\n')
        self.rejects("check-layers", "ir may not know emit/llvm")

    def test_llvm_stays_in_its_folder(self):
        self.source("src/ir/a.c", "#include <llvm-c/Core.h>\n")
        self.rejects("check-layers", "ir may not know llvm-c")

    def test_private_headers(self):
        self.source("src/ir/a.c", '#include "base/a_priv.h"\n')
        self.rejects("check-layers", "private to base")

    def test_names_from_src_on(self):
        self.source("src/ir/a.c", '#include "a.h"\n')
        self.rejects("check-layers", 'as in "ir/a.h"')
        self.source("src/ir/a.c", '#include "../base/a.h"\n')
        self.rejects("check-layers", "name it from src/ on")

    def test_unlisted_folder(self):
        self.source("src/other/a.c", "")
        self.rejects("check-layers", "src/other: not in tools/layers.txt")

    def test_nothing_to_check(self):
        self.rejects("check-layers", "no source files")

    # check-tree

    def test_good_tree(self):
        self.source("src/base/a.c", "int a;\n")
        self.write("tests/check/a.wgsl", "\t \n")
        self.accepts("check-tree")

    def test_licence_line(self):
        self.write("examples/a.wgsl", "fn f() {}\n")
        self.rejects("check-tree", "examples/a.wgsl:1: no line 'SPDX")

    def test_head(self):
        self.write("src/base/a.h", "/* SPDX-License-Identifier: Apache-2.0 */\nint a;\n")
        self.rejects("check-tree", "no file head")

    def test_columns_tabs_blanks(self):
        self.source("src/base/a.c", "\tint a; \n/*" + "-" * 100 + "*/\n")
        for why in ("a.c:5: a tab", "a.c:5: trailing blanks", "a.c:6: 104 columns"):
            self.rejects("check-tree", why)

    def test_size(self):
        self.source("src/base/a.c", "int a;\n" * 1200)
        self.rejects("check-tree", "1204 lines")
        self.write("tools/large-files.txt", "src/base/a.c:\n")
        self.rejects("check-tree", "1204 lines")
        self.write("tools/large-files.txt", "src/base/a.c: one table\n")
        self.accepts("check-tree")

    def test_stale_exception(self):
        self.write("tools/large-files.txt", "src/base/b.c: one table\n")
        self.rejects("check-tree", "src/base/b.c does not exist")

    def test_unbuilt_file(self):
        self.source("src/base/a.c", "")
        self.source("src/base/b.c", "")
        self.rejects("check-tree", "src/base/a.c:1: not in the CMakeLists.txt")

    def test_unfinished_work(self):
        self.write("notes.md", "one\nTO" + "DO: two\n")
        self.rejects("check-tree", "notes.md:2: the word")

    def test_machine_paths(self):
        self.write("notes.md", "see /ro" + "ot/src/x\n")
        self.rejects("check-tree", "a path of one machine")


if __name__ == "__main__":
    unittest.main()
