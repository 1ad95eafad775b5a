"""Cases 31, 32, 72, 73, 78-81, 107 and 108: compressed files, archives, sparse text, images with labels."""

import gzip
import struct
import zlib

from harness import Case
from tables import npy_of

TABLE = "x,y\n" + "".join(f"{i},{i * i % 7}\n" for i in range(200))
ROWS = [[1, 2, 3], [4, 0, 6], [7, 8, 1], [0, 5, 2]]


def bad(number, name, content, code, *texts, status=4, options=(), more=None):
    return Case(number, ["fit", name, *options], status, code, *texts, files={name: content, **(more or {})},
                about=name.split(":")[0])


def good(number, name, content, *texts, code="ok", options=(), more=None):
    return Case(number, ["fit", name, *options], 0, code, *texts, files={name: content, **(more or {})})


def compressed():
    packed = gzip.compress(TABLE.encode(), mtime=0)
    bomb = gzip.compress(b"1,2\n" * (16 << 20), mtime=0)
    return [
        good(31, "t.csv.gz", packed, "200 × 2"),
        bad(31, "t.csv.gz", packed[:-12], "M407", "early"),
        bad(31, "t.csv.gz", packed[:15], "M407"),
        bad(31, "t.csv.gz", packed[:40] + b"\xff\xff" + packed[42:], "M407"),
        bad(31, "t.csv.zst", b"\x28\xb5\x2f\xfd\x24\x05\x29\x00\x00x,y\n", "M407"),
        bad(32, "bomb.csv.gz", bomb, "M408", "1000"),
    ]


def zip_file(members, flags=0, method=0, name_of=lambda n: n, false_size=None, offset_shift=0):
    """A ZIP archive by hand, so that it can lie."""
    out, directory = b"", b""
    for name, data in members:
        raw = name_of(name).encode()
        size = false_size if false_size is not None else len(data)
        body = zlib.compress(data)[2:-4] if method == 8 else data
        fixed = struct.pack("<HHHHHIIIHH", 20, flags, method, 0, 33, zlib.crc32(data), len(body), size, len(raw), 0)
        directory += (b"PK\x01\x02" + struct.pack("<H", 20) + fixed +
                      struct.pack("<HHHII", 0, 0, 0, 0, max(0, len(out) + offset_shift)) + raw)
        out += b"PK\x03\x04" + fixed + raw + body
    end = struct.pack("<HHHHIIH", 0, 0, len(members), len(members), len(directory), len(out), 0)
    return out + directory + b"PK\x05\x06" + end


def archives():
    array = npy_of(ROWS)
    two = zip_file([("a.npy", array), ("b.npy", npy_of([[1, 2], [3, 4], [5, 7]]))])
    return [
        good(72, "t.npz", zip_file([("x.npy", array)]), "4 × 3"),
        good(72, "t.npz", zip_file([("x.npy", array)], method=8), "4 × 3"),
        bad(72, "t.npz", two, "M426", "t.npz:a", "b (3 x 2)"),
        Case(72, ["fit", "t.npz:b"], 0, "ok", "3 × 2", files={"t.npz": two}),
        Case(72, ["fit", "t.npz:c"], 4, "M426", "t.npz:a", files={"t.npz": two}),
        bad(73, "t.npz", zip_file([("x.npy", array)], flags=1), "M427", "encrypted"),
        bad(73, "t.npz", zip_file([("x.npy", array)], name_of=lambda n: "../" + n), "M427"),
        bad(73, "t.npz", zip_file([("x.npy", array)], name_of=lambda n: "/" + n), "M427"),
        bad(73, "t.npz", zip_file([("x.npy", array)], method=8, false_size=500), "M427"),
        bad(73, "t.npz", zip_file([("x.npy", array), ("y.npy", array)], offset_shift=-20), "M427"),
        bad(73, "t.npz", zip_file([("x.npy", array)], method=8)[:-30], "M427"),
        bad(73, "t.npz", zip_file([("x.npy", array)], method=99), "M427"),
        bad(73, "t.npz", zip_file([("readme.txt", b"hello")]), "M427"),
    ]


def sparse_text():
    return [
        good(78, "t.svm", "1 1:1 2:2\n0 1:3\n1 2:4\n0 1:1 3:2\n", "4 × 3", "sparse"),
        good(78, "t.svm", "1 0:1 2:2\n0 1:3\n1 2:4\n0 1:1\n", "4 × 3", "0"),
        good(78, "t.svm", "1 3:1 1:2\n0 1:3\n1 2:4\n0 1:1\n", "4 × 3"),
        bad(78, "t.svm", "1 1:1 2:2\n0 2:3 2:4\n", "M440", "twice"),
        bad(78, "t.svm", "1 1:1 2:2\n0 1:x\n", "M440"),
        bad(79, "t.svm", "1 1:1\n0 2147483648:2\n", "M441"),
        bad(79, "t.svm", "1 1:1\n0 99999999999999999999:2\n", "M441"),
        bad(80, "t.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 1\n2 2 2\n", "M442"),
        bad(80, "t.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 1\n1 1 1\n2 2 2\n", "M442"),
        bad(80, "t.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 1\n0 1 1\n", "M442"),
        bad(80, "t.mtx", "%%MatrixMarket matrix coordinate complex general\n3 2 1\n1 1 1 0\n", "M442", "complex"),
        bad(80, "t.mtx", "%%MatrixMarkt matrix coordinate real general\n3 2 1\n1 1 1\n", "M442"),
        bad(80, "t.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "M442"),
        good(80, "t.mtx", "%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n5\n7\n", "3 × 2"),
    ]


def idx(extents, data, kind=8):
    return bytes([0, 0, kind, len(extents)]) + b"".join(struct.pack(">I", e) for e in extents) + data


def images():
    pixels = bytes(range(24))
    labels = idx([6], b"\0\1\0\1\0\1")
    return [
        good(81, "a-images-idx3-ubyte", idx([6, 2, 2], pixels), "6 × 4", "2×2 images", "2 classes",
             more={"a-labels-idx1-ubyte": labels}),
        bad(81, "a-images-idx3-ubyte", idx([6, 2, 2], pixels), "M443", "6", "5",
            more={"a-labels-idx1-ubyte": idx([5], b"\0\1\0\1\0")}),
        bad(81, "a.idx", b"\0\1" + idx([6, 2, 2], pixels)[2:], "M443", options=["--format", "idx"]),
        bad(81, "a.idx", idx([6, 2, 2], pixels)[:-1], "M443", "24", "23"),
        bad(81, "a.idx", idx([0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF], pixels), "M443"),
        bad(81, "a.idx", idx([6, 2, 2], pixels, kind=7), "M443"),
        bad(81, "labels.idx", labels, "M443"),
    ]


def labels():
    names = "x,y,name\n" + "".join(f"{i},{i * i % 7},row{i}\n" for i in range(30))
    several = zip_file([("x.npy", npy_of(ROWS)), ("labels.npy", npy_of_integers([0, 1, 0]))])
    return [
        Case(107, ["fit", "t.csv"], 0, "ok", "name", files={"t.csv": names}),
        Case(107, ["fit", "t.csv", "--label", "name", "--draw"], 0, "ok", "30", files={"t.csv": names}),
        bad(108, "t.npz", several, "M247", "4", "3", status=3),
    ]


def npy_of_integers(values):
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}q", *values)


def cases():
    return [*compressed(), *archives(), *sparse_text(), *images(), *labels()]
