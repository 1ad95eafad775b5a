"""The build backend of pip (PEP 517): CMake builds the module, this packs it with the Python files into a wheel.

Nothing but CMake, a compiler and the libraries of ./dev build are needed. Where build/ was configured for this Python by
./dev build, what is compiled there is used.
"""
import base64
import hashlib
import io
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

try:
    import tomllib
except ImportError:  # before Python 3.11
    from pip._vendor import tomli as tomllib  # type: ignore

ROOT = Path(__file__).resolve().parent.parent


def version():
    return re.search(r"project\(mercer VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def metadata():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {version()}",
             f"Summary: {project['description']}", f"Requires-Python: {project['requires-python']}",
             f"Keywords: {','.join(project['keywords'])}"]
    lines += [f"Classifier: {one}" for one in project["classifiers"]]
    lines += [f"Requires-Dist: {one}" for one in project["dependencies"]]
    for extra, needs in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}"] + [f"Requires-Dist: {one}; extra == '{extra}'" for one in needs]
    lines += ["License-File: LICENSE", "Description-Content-Type: text/markdown", ""]
    return "\n".join(lines) + "\n" + (ROOT / project["readme"]).read_text()


def tag():
    abi = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{abi}-{abi}-{re.sub(r'[.-]', '_', sysconfig.get_platform())}"


def wheel_file():
    return f"Wheel-Version: 1.0\nGenerator: mercer_build\nRoot-Is-Purelib: false\nTag: {tag()}\n"


def folder():
    """The build folder: that of ./dev build where it is for this Python."""
    cache = ROOT / "build" / "CMakeCache.txt"
    python = os.path.realpath(sys.executable)
    if cache.exists():
        known = re.search(r"^_?Python3_EXECUTABLE:\w+=(.*)$", cache.read_text(), re.M)
        if known and os.path.realpath(known[1]) == python:
            return ROOT / "build"
    return ROOT / f"build-python-{sys.implementation.cache_tag}"


def build():
    if "MERCER_PACKAGE" in os.environ:  # there already
        return Path(os.environ["MERCER_PACKAGE"])
    where = folder()
    generator = [] if (where / "CMakeCache.txt").exists() else ["-G", "Ninja"]
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(where), *generator, "-DCMAKE_BUILD_TYPE=Release",
                    "-DMERCER_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}"], check=True)
    subprocess.run(["cmake", "--build", str(where), "--target", "mercer_python"], check=True)
    return where / "python" / "mercer"


class Wheel:
    """A wheel that is being written: files with their hashes, the list of them last."""

    def __init__(self, path):
        self.archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
        self.records = []

    def add(self, name, content, mode=0o644):
        info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))  # equal trees give equal wheels
        info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16
        self.archive.writestr(info, content)
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(content)}")

    def close(self, info):
        self.archive.writestr(f"{info}/RECORD", "\n".join([*self.records, f"{info}/RECORD,,"]) + "\n")
        self.archive.close()


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    info = f"mercer-{version()}.dist-info"
    where = Path(metadata_directory) / info
    where.mkdir()
    (where / "METADATA").write_text(metadata())
    (where / "WHEEL").write_text(wheel_file())
    (where / "LICENSE").write_bytes((ROOT / "LICENSE").read_bytes())
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = build()
    name, info = f"mercer-{version()}-{tag()}.whl", f"mercer-{version()}.dist-info"
    wheel = Wheel(Path(wheel_directory) / name)
    for path in sorted(package.iterdir()):
        if path.suffix in (".py", ".pyi", ".so") or path.name == "py.typed":
            wheel.add(f"mercer/{path.name}", path.read_bytes(), 0o755 if path.suffix == ".so" else 0o644)
    wheel.add(f"{info}/METADATA", metadata().encode())
    wheel.add(f"{info}/WHEEL", wheel_file().encode())
    wheel.add(f"{info}/LICENSE", (ROOT / "LICENSE").read_bytes())
    wheel.close(info)
    return name


def build_sdist(sdist_directory, config_settings=None):
    stem = f"mercer-{version()}"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(Path(sdist_directory) / f"{stem}.tar.gz", "w:gz") as archive:
        for name in filter(None, listed.decode().split("\0")):
            archive.add(ROOT / name, f"{stem}/{name}", recursive=False)
        content = metadata().encode()
        entry = tarfile.TarInfo(f"{stem}/PKG-INFO")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return f"{stem}.tar.gz"
