"""The page docs/reference/cpp.md: what the public headers declare, with the sentence that stands above each declaration.

make_docs.py writes it with the other generated pages. Headers are those that mercer/mercer.h includes, in their order. A
declaration is shown without its body; what has no `///` above it is not, nor what is private or in a namespace `detail`.
"""
import re

OPENING = re.compile(r"^(class|struct|enum class|enum)\s+(\w+)")


def headers(project):
    text = (project / "mercer/mercer.h").read_text(encoding="utf-8")
    return [project / name for name in re.findall(r'#include "(mercer/[^"]+)"', text)]


def opening_comment(lines):
    """The first paragraph of the comment a header opens with, without the example in it."""
    words = []
    for line in lines:
        if not line.startswith("//") or line.strip() == "//" or line.startswith("//  "):
            break
        words.append(line[2:].strip())
    return " ".join(words)


def declaration(lines, at):
    """The declaration that begins at this line, in one line and without its body; and the line after its first part."""
    text, depth = "", 0
    while at < len(lines):
        line = re.sub(r"\s*//.*", "", lines[at]).strip()
        at += 1
        for index, letter in enumerate(line):
            depth += (letter in "(<[") - (letter in ")]" or (letter == ">" and line[index - 1 : index] not in ("-", "=")))
            if depth <= 0 and (letter == ";" or (letter == "{" and not line[:index].rstrip().endswith("="))):
                return tidy(text + " " + line[:index]), at
        text += " " + line
    return tidy(text), at


def tidy(text):
    text = re.sub(r"\s+", " ", text).strip()
    return re.sub(r"\)\s*:\s.*$", ")", text)  # without what a constructor begins with


class Walk:
    """Goes through a header, knowing which class and which part of it a line stands in."""

    def __init__(self, lines):
        self.lines, self.scopes, self.depth = lines, [], 0  # scopes: [depth, name, private]
        self.found = []  # (class or "", declaration, sentence)

    def hidden(self):
        return any(private for _, _, private in self.scopes)

    def enter(self, code):
        opened = OPENING.match(code)
        name = opened[2] if opened and code.endswith("{") else None
        if code.startswith("namespace detail") and code.endswith("{"):
            self.scopes.append([self.depth, "detail", True])
        elif name:
            self.scopes.append([self.depth, name, False])

    def step(self, raw):
        code = re.sub(r"\s*//.*", "", raw).strip()
        if code in ("private:", "protected:", "public:") and self.scopes:
            self.scopes[-1][2] = code != "public:"
        self.enter(code)
        self.depth += code.count("{") - code.count("}")
        while self.scopes and self.depth <= self.scopes[-1][0] and "}" in code:
            self.scopes.pop()

    def run(self):
        sentence, at = [], 0
        while at < len(self.lines):
            raw = self.lines[at]
            if raw.strip().startswith("///"):
                sentence.append(raw.strip()[3:].strip())
            elif sentence:
                text, _ = declaration(self.lines, at)
                if not self.hidden() and text:
                    names = [name for _, name, _ in self.scopes]
                    self.found.append(("::".join(names), text, " ".join(sentence)))
                sentence = []
                self.step(raw)
            else:
                self.step(raw)
            at += 1
        return self.found


def first_line(found, scope):
    return [name for name, _, _ in found].index(scope)


def cell(text):
    return text.replace("|", "\\|")


def cpp_page(project, note):
    page = (f"# The C++ interface\n\n{note}`#include <mercer/mercer.h>` includes all of these headers; "
            "`find_package(mercer)` or `add_subdirectory` gives `mercer::mercer` to link. Everything is in namespace "
            "`mercer`. A `Context` (memory, threads, time, progress, cancel) that comes last may be left out. Whatever "
            "fails throws `mercer::Error`. [Ten lines](../../README.md) from a matrix to scores.\n")
    for path in headers(project):
        lines = path.read_text(encoding="utf-8").split("\n")
        found = Walk(lines).run()
        if not found:
            continue
        page += f"\n## {path.relative_to(project).as_posix()}\n\n{opening_comment(lines)}\n"
        for scope in sorted({name for name, _, _ in found}, key=lambda name: [bool(name), first_line(found, name)]):
            page += f"\n**{scope}**\n" if scope else ""
            page += "\n| declaration | what it is |\n|---|---|\n"
            page += "".join(f"| `{cell(text)}` | {cell(sentence)} |\n" for name, text, sentence in found if name == scope)
    return page
