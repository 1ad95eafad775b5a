#!/usr/bin/env python3
"""Runs what the documents show, and looks at what they say.

usage: check_docs.py PROJECT_FOLDER MERCER_BINARY

README.md and docs/**/*.md:  ```sh run  blocks are run with bash -e, those of one page in order in one fresh folder, with
the program's folder first on PATH;  ```cpp run  blocks are compiled against the library beside the program and run;
```python run  blocks are run one by one in that folder, with the package beside the program, where it was built;
relative links must lead somewhere; figures must be what the commands of their page make (figures.py), and every page of
the guide has one; the generated pages
must be up to date. No page may name a place or a word that means
something on one machine only. Prints the problems and "N passed, N failed".
"""
import os
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import figures  # noqa: E402

BLOCK = re.compile(r"^([ ]*)```([^\n]*)\n(.*?)^[ ]*```[ ]*$", re.M | re.S)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FORBIDDEN = [re.compile(pattern, re.I) for pattern in
             (r"(?<![\w.])/work\b", r"/tmp/", r"(?<![\w.])/root\b", r"\bsessions?\b", r"\bshared/")]
FOLLOWED_BY_ANOTHER_TEST = re.compile(r"docs/develop/add-an?-.*\.md")  # tests/house/add_a_page.py
FLAGS = ["-std=c++20", "-O0", "-DEIGEN_MAX_ALIGN_BYTES=64", "-Wall", "-Wextra", "-Wconversion", "-Wshadow",
         "-Wno-sign-conversion", "-Wno-restrict", "-Werror"]
LIBRARIES = ["-lopenblas", "-lxxhash", "-lfmt", "-lz", "-lzstd", "-llzma", "-lbz2", "-lpng", "-lcairo", "-ldl", "-lpthread"]


class Check:
    def __init__(self, project, binary):
        self.project, self.binary = project, binary
        self.build = binary.parent.parent
        self.passed = self.failed = self.skipped = 0
        self.headers = None
        self.environment = {**os.environ, "PATH": f"{binary.parent}:{os.environ['PATH']}",
                            "PYTHONPATH": str(self.build / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
        self.has_python = bool(list(self.build.glob("python/mercer/_native*.so")))

    def report(self, good, what, detail=""):
        self.passed, self.failed = self.passed + good, self.failed + (not good)
        if not good:
            print(f"{what}\n{textwrap.indent(detail.strip()[-3000:], '    ')}".rstrip())

    def run(self, command, folder):
        """Exit status and output of a command."""
        try:
            result = subprocess.run(command, cwd=folder, env=self.environment, text=True, timeout=300,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            return 1, "took more than 300 s"
        return result.returncode, result.stdout

    def shell(self, where, code, folder):
        status, output = self.run(["bash", "-ec", code], folder)
        self.report(status == 0, f"{where}: exit status {status}", output)

    def sanitized(self):
        symbols = subprocess.run(["nm", self.build / "libmercer.a"], capture_output=True, text=True, check=False).stdout
        return "__asan" in symbols or "__tsan" in symbols

    def compiled_headers(self):
        """A folder where <mercer/mercer.h> is found compiled: most of the time that a short example takes."""
        if self.headers is None:
            self.headers = tempfile.TemporaryDirectory()
            inside = Path(self.headers.name) / "mercer"
            inside.mkdir()
            (inside / "mercer.h").write_text(f'#include "{self.project}/mercer/mercer.h"\n')
            status, output = self.run(["g++", *FLAGS, *self.include_paths(), "-x", "c++-header", "mercer.h",
                                       "-o", "mercer.h.gch"], inside)
            self.report(status == 0, "mercer/mercer.h", output)
        return self.headers.name

    def include_paths(self):
        return [f"-I{self.project}", f"-I{self.build}/generated", "-isystem", "/usr/include/eigen3"]

    def cpp(self, where, code, folder):
        (folder / "example.cpp").write_text(code)
        status, output = self.run(["g++", *FLAGS, f"-I{self.compiled_headers()}", *self.include_paths(),
                                   "-c", "example.cpp", "-o", "example.o"], folder)
        if status == 0:
            status, output = self.run(["g++", "example.o", self.build / "libmercer.a", *LIBRARIES, "-o", "example"],
                                      folder)
        if status == 0:
            status, output = self.run(["./example"], folder)
        self.report(status == 0, f"{where}: exit status {status}", output)

    def python(self, where, code, folder):
        """With Debian's Python, which runs these tests too; pictures go nowhere."""
        status, output = self.run([sys.executable, "-W", "ignore", "-c", code], folder)
        self.report(status == 0, f"{where}: exit status {status}", output)

    def blocks(self, page, text, compile_cpp):
        if FOLLOWED_BY_ANOTHER_TEST.fullmatch(page):
            return
        with tempfile.TemporaryDirectory() as folder:
            for match in BLOCK.finditer(text):
                kind, code = match[2].strip(), textwrap.dedent(match[3])
                where = f"{page}:{text.count(chr(10), 0, match.start()) + 1}"
                if kind == "sh run":
                    self.shell(where, code, Path(folder))
                elif kind == "cpp run" and compile_cpp:
                    self.cpp(where, code, Path(folder))
                elif kind == "python run" and self.has_python:
                    self.python(where, code, Path(folder))
                elif kind in ("cpp run", "python run"):
                    self.skipped += 1
            if page.startswith("docs/guide/"):
                self.report(bool(figures.shown_in(text)), f"{page}: no figure that a command of the page draws")
            if figures.shown_in(text):
                problems = figures.compare(self.project / page, folder)
                self.report(not problems, f"{page}: figures", "\n".join(problems))

    def links(self, page, text):
        prose = re.sub(r"`[^`\n]*`", "", BLOCK.sub("", text))
        for target in LINK.findall(prose):
            if re.match(r"[a-z]+:", target) or target.startswith("#"):
                continue
            path = (self.project / page).parent / target.split("#")[0]
            self.report(path.exists(), f"{page}: the link {target} leads nowhere")

    def words(self, page, text):
        for number, line in enumerate(text.splitlines(), 1):
            for pattern in FORBIDDEN:
                if found := pattern.search(line):
                    self.report(False, f"{page}:{number}: \"{found[0]}\" has no place here")

    def generated(self):
        status, output = self.run([sys.executable, self.project / "tools/make_docs.py", self.binary,
                                   self.project / "docs/reference", "--check"], self.project)
        self.report(status == 0, "generated pages", output)


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    project, binary = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    check = Check(project, binary)
    compile_cpp = not check.sanitized()
    pages = [project / "README.md", *sorted((project / "docs").rglob("*.md"))]
    for path in pages:
        page, text = path.relative_to(project).as_posix(), path.read_text(encoding="utf-8")
        check.words(page, text)
        check.links(page, text)
        check.blocks(page, text, compile_cpp)
    for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
        check.words(name, (project / name).read_text(encoding="utf-8"))
    check.generated()
    if check.skipped:
        print(f"{check.skipped} examples skipped: C++ where the library has sanitizers, Python where there is no package")
    print(f"{check.passed} passed, {check.failed} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
