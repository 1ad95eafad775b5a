"""Follows the pages docs/develop/add-a-*.md to the letter, all of them in one copy of the project: writes the files they
show, builds once, runs the commands of each page in a folder of its own, and looks at what came of it. The new members
must also pass the contract tests. The copy is built as a part of the client project of tests/consume (add_subdirectory,
the client with -march=native), so that one build shows that, too. Its flags are those of the preset dev: where ccache is
installed, what that build compiled is not compiled again.

A further page is one entry of PAGES: a function that gets a Followed page and asserts what its member must do, and the
contract tests that hold it.

usage: add_a_page.py PROJECT_FOLDER [PAGE...]     all pages unless some are named, such as add-a-format.md
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

FILE = re.compile(r"^ *```\w+ file=(\S+)\n(.*?)^ *```", re.M | re.S)
COMMANDS = re.compile(r"^ *```sh run\n(.*?)^ *```", re.M | re.S)


def run(command, **options):
    """Standard output and error of a command that must succeed."""
    result = subprocess.run(command, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}: exit status {result.returncode}\n{result.stdout[-3000:]}")
    return result.stdout


class Followed:
    """A page whose commands have been run: their output, and more commands where that is not enough."""

    def __init__(self, folder, environment, commands):
        self.folder, self.environment = folder, environment
        self.output = "".join(self.shell(block) for block in commands)

    def shell(self, text):
        return run(["bash", "-ec", text], cwd=self.folder, env=self.environment)

    def shows(self, *texts):
        for text in texts:
            assert text in self.output, f"the commands do not show \"{text}\":\n{self.output[-3000:]}"

    def model(self, name):
        return json.loads(self.shell(f"mercer info {name} --json"))

    def fitted(self, table, *flags):
        return json.loads(self.shell(f"mercer fit {table} {' '.join(flags)} -o check.mercer --json --quiet"))


def close(some, others, tolerance):
    return len(some) == len(others) and all(abs(a - b) <= tolerance * abs(others[0]) for a, b in zip(some, others))


def kernel(page):
    page.shows("cauchy")
    assert page.model("circles.mercer")["kernel"]["spec"] == "cauchy:length=0.5"
    assert page.model("sum.mercer")["kernel"]["spec"].startswith("cauchy:length="), page.model("sum.mercer")["kernel"]
    # 1 / (1 + d^2 / length^2) is the rational quadratic kernel of alpha = 1 and length / sqrt(2), a family of its own.
    other = page.fitted("circles.csv", "--kernel rational_quadratic:alpha=1,length=0.35355339059327373 --components 3")
    assert close(page.model("circles.mercer")["eigenvalues"], other["eigenvalues"], 1e-12)


def operator(page):
    page.shows("tiled_gram", "the kernel matrix, tile by tile, never stored")
    model = page.model("circles.mercer")
    assert model["plan"]["operator"] == "tiled_gram", model["plan"]
    assert model["converged"] and model["certificate"]["complete"], model["certificate"]
    other = page.fitted("circles.csv", "--kernel gaussian:sigma=0.3 --operator dense_gram --solver dense")
    assert close(model["eigenvalues"], other["eigenvalues"], 1e-11)


def solver(page):
    page.shows("implicit_qr", "residual_blocks")
    other = page.fitted("circles.csv", "--kernel gaussian:sigma=0.3 --solver dense")
    for name, solved in ("whole.mercer", "implicit_qr"), ("leading.mercer", "residual_blocks"):
        model = page.model(name)
        assert model["plan"]["solver"] == solved, model["plan"]
        assert model["converged"] and model["certificate"]["complete"], model["certificate"]
        # At a residual of 1e-6 an eigenvalue is off by its square over the distance to the others.
        assert close(model["eigenvalues"], other["eigenvalues"], 1e-9)


def table_format(page):
    page.shows("fvecs", "float32 rows, each with its length")
    rows, again = ([[float(cell) for cell in line.split(",")[:2]] for line in
                    (page.folder / name).read_text().splitlines() if line[0] in "-0123456789"]
                   for name in ("circles.csv", "again.csv"))
    assert len(rows) == len(again) and len(rows) > 100, (len(rows), len(again))
    # Rounded to float32, and written with as few digits as read back as the same float32.
    worst = max(abs(a / b - 1) for some, others in zip(rows, again) for a, b in zip(some, others))
    assert worst <= 2**-23, worst
    fitted = page.model("circles.mercer")
    assert fitted["n"] == len(rows) and fitted["dim"] == 2, fitted


def command(page):
    page.shows("columns", "range, mean and deviation of every column", "minimum", "deviation")
    found = json.loads(page.shell("mercer columns circles.csv --json --quiet"))
    assert found["columns"] == ["x", "y"], found
    assert all(abs(mean) < 0.1 for mean in found["mean"]), found


def model(page):
    page.shows("nearest_centroid", "the class whose mean is nearest", "Options of nearest_centroid", "--shrink", "Accuracy")
    fitted = page.model("blobs.mercer")
    assert fitted["method"] == "nearest_centroid" and fitted["labels"] == 3 and "eigenvalues" not in fitted, fitted
    assert fitted["options"]["distance"] == "city-block" and fitted["options"]["shrink"] == 0.1, fitted["options"]
    assert sum(fitted["figures"]["class_sizes"]) == fitted["n"], fitted["figures"]
    found = json.loads(page.shell("mercer predict blobs.mercer new.csv --json --quiet"))
    assert found["columns"] == ["a", "b", "c"] and len(found["classes"]) == len(found["predictions"]) == 30, found
    # The class of a row is the one with the largest figure.
    for name, figures in zip(found["classes"], found["predictions"]):
        assert name == found["columns"][figures.index(max(figures))]
    assert found["figures"]["accuracy"] > 0.8, found["figures"]
    for arguments, code in (("fit numbers.csv --method nearest_centroid", "M250"), ("transform blobs.mercer new.csv", "M715"),
                            ("fit blobs.csv --method nearest_centroid --shrink -1", "M102"),
                            ("fit blobs.csv --method pca --shrink 0.5", "nearest_centroid")):
        output = page.shell(f"cut -d, -f1,2 blobs.csv > numbers.csv; mercer {arguments} 2>&1 && exit 1 || true")
        assert code in output, output


# The page: what its member must do, and the contract tests that hold it (a filter of GoogleTest).
PAGES = {
    "add-a-kernel.md": (kernel, "*EveryKernel*"),
    "add-an-operator.md": (operator, "EveryOperator*"),
    "add-a-solver.md": (solver, "*EverySolver*implicit_qr:*EverySolver*residual_blocks:*EveryVariant*residual_blocks"),
    "add-a-format.md": (table_format, None),
    "add-a-command.md": (command, None),
    "add-a-model.md": (model, "*EveryModel*nearest_centroid*:*EveryPredicts*nearest_centroid*:EveryMethod*"),
}


def write_files(page, copy):
    files = FILE.findall(page.read_text())
    assert files, f"{page.name} shows no file"
    for name, text in files:
        assert not (copy / name).exists(), f"{page.name}: {name} exists already"
        (copy / name).write_text(textwrap.dedent(text))


def build(copy):
    cache = shutil.which("ccache")
    os.environ.update(CCACHE_BASEDIR=str(copy), CCACHE_NOHASHDIR="1")
    run(["cmake", "-G", "Ninja", "-S", copy / "tests/house/pages", "-B", copy / "build", "-DCMAKE_CXX_FLAGS=-O2",
         f"-DMERCER_SOURCE={copy}", "-DMERCER_CLI=ON", "-DCLIENT_NATIVE=ON",
         *([f"-DCMAKE_CXX_COMPILER_LAUNCHER={cache}", "-DMERCER_WERROR=ON"] if cache else [])])
    run(["cmake", "--build", copy / "build"])


def follow(page, copy, folder):
    """Runs the commands of a page, the checks of its entry and its contract tests."""
    check, contracts = PAGES[page.name]
    commands = [textwrap.dedent(block) for block in COMMANDS.findall(page.read_text())]
    assert commands, f"{page.name} shows no command"
    folder.mkdir()
    (folder / "build").symlink_to(copy / "build")
    program = copy / "build/client/mercer/apps/cli"
    check(Followed(folder, {**os.environ, "PATH": f"{program}:{os.environ['PATH']}"}, commands))
    if contracts is not None:
        output = run([copy / "build/contracts", "--gtest_brief=1", f"--gtest_filter={contracts}"], cwd=folder)
        assert re.search(r"PASSED +\] [1-9]", output), f"no contract test is called {contracts}:\n{output}"


def main():
    project = Path(sys.argv[1])
    pages = sorted((project / "docs/develop").glob("add-a*.md"))
    names = {page.name for page in pages}
    assert names == PAGES.keys(), f"pages and entries differ: {names ^ PAGES.keys()}"
    chosen = sys.argv[2:] or PAGES
    pages = [page for page in pages if page.name in chosen]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        copy = folder / "mercer"
        shutil.copytree(project, copy, ignore=shutil.ignore_patterns("build*", ".git", "docs"))
        for page in pages:
            write_files(page, copy)
        build(copy)
        print(run([copy / "build/client/client"], cwd=folder).strip())
        for page in pages:
            try:
                follow(page, copy, folder / page.stem)
            except AssertionError as problem:
                failed += 1
                print(f"{page.name}: {problem}")
    print(f"{len(pages) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
