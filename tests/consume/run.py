"""A client project by find_package, also built with -march=native; house/add_a_page.py does it by add_subdirectory.

usage: run.py PROJECT_FOLDER BUILD_FOLDER     the build folder is installed to a temporary prefix
"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*command, cwd=None):
    result = subprocess.run([str(c) for c in command], cwd=cwd, capture_output=True, text=True)
    if result.returncode != 0:
        print(" ".join(map(str, command)))
        print(result.stdout[-3000:], result.stderr[-3000:])
        raise SystemExit(1)
    return result.stdout


def main():
    source, build = Path(sys.argv[1]), Path(sys.argv[2])
    client = source / "tests/consume/project"
    launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if os.path.exists("/usr/bin/ccache") else []
    passed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        run("cmake", "--install", build, "--prefix", folder / "prefix")
        for page in ("man/man1/mercer.1", "man/man1/mercer-fit.1", "bash-completion/completions/mercer",
                     "zsh/site-functions/_mercer"):
            if not (folder / "prefix/share" / page).exists():
                raise SystemExit(f"share/{page} was not installed")
        ways = {
            "find_package": [f"-DCMAKE_PREFIX_PATH={folder}/prefix"],
            "find_package_native": [f"-DCMAKE_PREFIX_PATH={folder}/prefix", "-DCLIENT_NATIVE=ON"],
        }
        for name, options in ways.items():
            # The border between client and library is what is tested, not the optimiser: -O0 compiles fastest.
            run("cmake", "-G", "Ninja", "-S", client, "-B", folder / name, "-DCMAKE_CXX_FLAGS=-O0", *launcher, *options)
            run("cmake", "--build", folder / name)
            print(name, run(folder / name / "client", cwd=folder / name).strip())
            passed += 1
    print(f"{passed} passed, {len(ways) - passed} failed")


if __name__ == "__main__":
    main()
