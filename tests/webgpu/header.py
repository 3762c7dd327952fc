# SPDX-License-Identifier: Apache-2.0
"""header - reads what webgpu.h and weft.h declare.

in     the headers, after the C preprocessor has been over them
out    Header: every name that a program can use, sorted by kind
knows  the shape of the declarations: typedefs of scalars, handles, enums,
       structs and function pointers; `static const` flags; functions; macros
not    C in general. A declaration with WGPU in it that has no known shape is
       an error, so nothing is passed over in silence.
"""
import re
import subprocess


class Header:
    """Each member maps a name to what the text says about it."""

    def __init__(self):
        self.scalars = {}       # WGPUBool -> "uint32_t"
        self.handles = {}       # WGPUBuffer -> "struct WGPUBufferImpl *"
        self.enums = {}         # WGPUStatus -> [enumerator, ...]
        self.flags = {}         # WGPUMapMode -> [constant, ...]
        self.structs = {}       # WGPUFuture -> [(type, member), ...]
        self.pointers = {}      # WGPUProc..., WGPU...Callback -> "void(WGPUBuffer)"
        self.functions = {}     # wgpuBufferUnmap -> "void(WGPUBuffer)"
        self.macros = {}        # WGPU_STRLEN -> its text


def preprocess(cc, include, *flags):
    """The text of both headers as the compiler sees it."""
    run = subprocess.run(
        [cc, "-E", "-P", "-x", "c", "-std=c11", "-I", include, *flags, "-"],
        input="#include <webgpu/weft.h>\n", capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"{cc} cannot read the headers:\n{run.stderr}")
    return run.stdout


def type_text(text):
    """A type in one spelling: `WGPULimits const *` and `const WGPULimits *`."""
    text = re.sub(r"\s*\*\s*", " * ", text.strip())
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"^(?!const )(.*?) const \*", r"const \1 *", text)


def split_name(text):
    """`const char *data` -> ("const char *", "data")."""
    match = re.fullmatch(r"\s*(.*?[\s*])(\w+)\s*", text, re.S)
    if not match:
        raise SystemExit(f"header: not a declaration: {text.strip()}")
    return type_text(match[1]), match[2]


def signature(result, parameters):
    if parameters.strip() == "void":
        types = ["void"]
    else:
        types = [split_name(one)[0] for one in parameters.split(",")]
    types = [one.replace("struct ", "") for one in types]
    return f"{type_text(result)}({', '.join(types)})"


# What a declaration looks like, and where it goes. Tried in this order.
def _enum(header, m):
    header.enums[m["name"]] = re.findall(r"(\w+)\s*=", m["body"])


def _struct(header, m):
    members = [one for one in m["body"].split(";") if one.strip()]
    header.structs[m["name"]] = [split_name(one) for one in members]


def _pointer(header, m):
    header.pointers[m["name"]] = signature(m["result"], m["parameters"])


def _handle(header, m):
    header.handles[m["name"]] = type_text(m["type"])


def _scalar(header, m):
    if m["type"] == "WGPUFlags":
        header.flags[m["name"]] = []
    else:
        header.scalars[m["name"]] = m["type"]


def _forward(_header, _m):
    """`struct WGPULimits;` says nothing that the struct does not."""


def _flag(header, m):
    header.flags[m["type"]].append(m["name"])


def _function(header, m):
    header.functions[m["name"]] = signature(m["result"], m["parameters"])


SHAPES = [(re.compile(pattern, re.S), into) for pattern, into in (
    (r"typedef enum (?P<name>\w+) \{(?P<body>.*)\} (?P=name)", _enum),
    (r"typedef struct (?P<name>\w+) \{(?P<body>.*)\} (?P=name)", _struct),
    (r"typedef (?P<result>[\w *]+?)\s*\(\*(?P<name>\w+)\)\((?P<parameters>.*)\)",
     _pointer),
    (r"struct \w+", _forward),
    (r"typedef (?P<type>struct \w+Impl ?\*) ?(?P<name>\w+)", _handle),
    (r"typedef (?P<type>\w+) (?P<name>\w+)", _scalar),
    (r"static const (?P<type>\w+) (?P<name>\w+) = \w+", _flag),
    (r"(?P<result>[\w *]+?)\s*\b(?P<name>wgpu\w+)\((?P<parameters>.*)\)", _function),
)]


def declarations(text):
    """Cuts the text at the semicolons that are outside braces."""
    depth, start = 0, 0
    for at, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == ";" and depth == 0:
            yield " ".join(text[start:at].split())
            start = at + 1


def read(cc, include):
    header = Header()
    for one in declarations(preprocess(cc, include)):
        if not re.search(r"\bWGPU|\bwgpu", one):
            continue                        # of <stdint.h> and its like
        for shape, into in SHAPES:
            match = shape.fullmatch(one)
            if match:
                into(header, match)
                break
        else:
            raise SystemExit(f"header: a declaration of unknown shape: {one}")
    for line in preprocess(cc, include, "-dM").splitlines():
        match = re.fullmatch(r"#define (WGPU\w+)(?: (.*))?", line)
        if match:
            header.macros[match[1]] = match[2] or ""
    return header
