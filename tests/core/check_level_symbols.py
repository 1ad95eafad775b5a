#!/usr/bin/env python3
"""check_level_symbols.py LEVEL FILE...: no file compiled for one CPU level may export a shared name.

The linker keeps one copy of an inline function or a template instantiation. If the copy compiled
for AVX-512 has the same name as the others it may be the one kept, and the program dies on older
machines. So every symbol that such an object file or archive defines for others must carry the
level in its name: a namespace ::LEVEL::, or LEVEL as a word between underscores.
"""
import re
import subprocess
import sys

# nm's letters for names that the file defines and other files can see: global code and data, weak
# functions and objects, unique globals, indirect functions, common symbols. Lower-case w and v are
# weak references to something defined elsewhere.
DEFINED = set("TDBRGSCAWVui")
# Written by the compiler and the same on every level: pointers to the exception handler, and the
# marks of the address sanitizer.
HARMLESS = re.compile(r"DW\.ref\.|__odr_asan")


def defined_symbols(path):
    done = subprocess.run(["nm", "-C", path], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"nm cannot read {path}: {done.stderr.strip()}")
    for line in done.stdout.splitlines():
        match = re.match(r"[0-9a-fA-F]{8,} (\S) (.+)$", line)
        if match and match[1] in DEFINED and not HARMLESS.match(match[2]):
            yield match[1], match[2]


def carries(level, symbol):
    word = re.escape(level)
    return re.search(rf"(?<![A-Za-z0-9_]){word}::|(?:^|_){word}(?:_|$|\W)", symbol) is not None


def main(level, paths):
    seen = 0
    shared = []
    for path in paths:
        for kind, symbol in defined_symbols(path):
            seen += 1
            if not carries(level, symbol):
                shared.append(f"{path}: {kind} {symbol}")
    for line in shared:
        print(line)
    if seen == 0:
        sys.exit("no symbol is defined: are these the right files?")
    if shared:
        sys.exit(f"{len(shared)} symbols do not carry the level {level} in their name")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2:])
