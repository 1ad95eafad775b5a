"""Running the program in a fresh folder, and reading what it writes. Only the standard library."""

import json
import os
import struct
import subprocess

LIMIT = 120  # seconds one run may take


class Result:
    def __init__(self, status, out, err):
        self.status, self.out = status, out
        self.err = err.decode("utf-8", "replace")

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def text(self):
        return self.out.decode("utf-8")


class Program:
    """The program with a folder of its own."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder

    def __call__(self, *args, status=0, stdin=b"", env=None):
        """Runs the program; another exit status than the expected one fails the test."""
        done = subprocess.run([self.binary, *args], cwd=self.folder, input=stdin, capture_output=True, timeout=LIMIT,
                              check=False, env=self.environment(env))
        result = Result(done.returncode, done.stdout, done.stderr)
        assert status is None or result.status == status, f"mercer {' '.join(args)}: exit status {result.status}: {result.err[-400:]}"
        return result

    def environment(self, changes=None):
        """That of the test with a configuration folder of its own; a change to None takes a variable out."""
        config = os.path.join(self.folder, ".config")
        wanted = {**os.environ, "XDG_CONFIG_HOME": config, **(changes or {})}
        return {name: value for name, value in wanted.items() if value is not None}

    def start(self, *args, **more):
        """Starts the program and comes back at once."""
        more.setdefault("env", self.environment())
        return subprocess.Popen([self.binary, *args], cwd=self.folder, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **more)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def files(self):
        """What is in the folder, without the program's configuration."""
        return sorted(name for name in os.listdir(self.folder) if name != ".config")


def numbers(text, delimiter=",", header=True, labels=0):
    """The numbers of a text table, less the last columns that hold labels."""
    rows = [line.split(delimiter) for line in text.split("\n") if line][1 if header else 0:]
    return [[float(cell) for cell in row[:len(row) - labels]] for row in rows]


def npy_numbers(content):
    """The rows of an NPY file of doubles, C order."""
    assert content[:8] == b"\x93NUMPY\x01\x00", "not an NPY file of version 1"
    (length,) = struct.unpack("<H", content[8:10])
    head = content[10:10 + length].decode()
    assert "'descr': '<f8'" in head and "'fortran_order': False" in head, head
    n, dim = (int(part) for part in head.split("(")[1].split(")")[0].split(",")[:2])
    flat = struct.unpack(f"<{n * dim}d", content[10 + length:])
    return [list(flat[i * dim:(i + 1) * dim]) for i in range(n)]


def largest_difference(a, b):
    assert len(a) == len(b) and all(len(x) == len(y) for x, y in zip(a, b)), "tables of different shape"
    return max(abs(x - y) for row, other in zip(a, b) for x, y in zip(row, other))


def close(a, b, tolerance):
    """Two tables of numbers agree."""
    worst = largest_difference(a, b)
    assert worst <= tolerance, f"differ by {worst}, allowed {tolerance}"


def needs(value, *fields):
    """A JSON object has these fields."""
    lacking = [field for field in fields if field not in value]
    assert not lacking, f"the object lacks {lacking}"


def says(result, *texts):
    """Standard error holds these words."""
    for text in texts:
        assert text in result.err, f"says nothing of {text!r}: {result.err[-300:]}"
