"""Cases 61-71: NumPy's NPY files."""

import struct

from harness import Case
from tables import doubles, npy, npy_header, npy_of

ROWS = [[1, 2, 3], [4, 0, 6], [7, 8, 1], [0, 5, 2]]


def bad(number, content, code, *texts, status=4, options=()):
    return Case(number, ["fit", "t.npy", *options], status, code, *texts, files={"t.npy": content}, about="t.npy")


def header(text):
    """An NPY file whose dictionary is this text."""
    return npy_header(text) + bytes(96)


def damaged():
    shape = "{'descr': '<f8', 'fortran_order': False, 'shape': "
    return [
        bad(61, b"\x93NUMPZ" + npy_of(ROWS)[6:], "M420"),
        bad(62, npy_of(ROWS)[:-1], "M421", "96 bytes", "95"),
        bad(62, npy_of(ROWS)[:40], "M422"),
        bad(62, npy_of(ROWS)[:8], "M422"),
        Case(63, ["fit", "t.npy"], 0, "W421", "5 bytes", files={"t.npy": npy_of(ROWS) + b"extra"}),
        bad(64, npy((65536, 65536)), "M421", "34359738368 bytes"),
        bad(64, npy((2, 3), version=2), "M421", "48 bytes"),
        bad(65, npy((-1, 3), bytes(24)), "M422"),
        bad(65, npy((2 ** 63, 1), bytes(24)), "M422"),
        bad(65, npy((2 ** 62, 2 ** 62), bytes(24)), "M422"),
        bad(65, npy((2 ** 64 + 1, 3), bytes(24)), "M422"),
        bad(66, b"\x93NUMPY\2\0" + struct.pack("<I", 0xFFFFFFFF) + b"{'descr'", "M422"),
        bad(66, b"\x93NUMPY\x09\0" + struct.pack("<I", 64) + b"{'descr'", "M422"),
        bad(66, header("{'descr': '<f8', 'shape': (2, 2), }"), "M422"),
        bad(66, header("__import__('os').system('true')"), "M422"),
        bad(66, header(shape + "(" * 1000), "M422"),
    ]


def other_types():
    record = "{'descr': [('x', '<f8'), ('y', '<f8')], 'fortran_order': False, 'shape': (2,), }"
    return [
        bad(67, npy((2, 2), bytes(32), "|O"), "M403", "pickle", "astype"),
        bad(68, header(record), "M423", "field"),
        bad(69, npy((2, 2), bytes(64), "<c16"), "M424", "real"),
        bad(69, npy((2, 2), bytes(64), "<U2"), "M428", "astype"),
        bad(69, npy((2, 2), bytes(64), "<M8[s]"), "M428", "astype"),
        bad(70, npy((), bytes(8)), "M425"),
        bad(70, npy((4,), bytes(32)), "M425", "reshape(-1, 1)", "reshape(1, -1)"),
        bad(70, npy((2, 2, 2), bytes(64)), "M425", "--images"),
        Case(70, ["fit", "t.npy", "--images"], 0, "ok", "4 × 3", files={"t.npy": npy((4, 3, 1), doubles(ROWS))}),
    ]


def packed(letter, order="<"):
    flat = [cell for row in ROWS for cell in row]
    return struct.pack(f"{order}12{letter}", *flat)


def reads_back(_folder, result):
    """The rows as CSV, whatever type they came in."""
    try:
        got = [[float(cell) for cell in line.split(",")] for line in result.out.decode().split()]
    except ValueError:
        return f"not a table of numbers: {result.out[:60]!r}"
    return None if got == ROWS else f"read as {got}"


def convert(descr, data, fortran=False, version=1):
    return Case(71, ["convert", "t.npy", "-"], 0, "ok", once=True, after=reads_back,
                files={"t.npy": npy((4, 3), data, descr, fortran, version)})


def accepted():
    columns = [row[j] for j in range(3) for row in ROWS]
    bits = [[1, 0, 1], [0, 0, 1], [1, 1, 0], [0, 1, 1]]

    def as_bits(_folder, result):
        wanted = "".join(",".join(map(str, row)) + "\n" for row in bits)
        return None if result.out.decode() == wanted else f"read as {result.out!r}"

    return [
        convert("<f8", doubles(ROWS)), convert(">f8", packed("d", ">")), convert("<f4", packed("f")),
        convert(">f4", packed("f", ">")), convert("<f2", packed("e")), convert(">f2", packed("e", ">")),
        convert("|u1", packed("B")), convert("|i1", packed("b")), convert("<i2", packed("h")),
        convert(">i4", packed("i", ">")), convert("<i8", packed("q")), convert(">u8", packed("Q", ">")),
        convert("<f8", struct.pack("<12d", *columns), fortran=True),
        convert("<f8", doubles(ROWS), version=2), convert("<f8", doubles(ROWS), version=3),
        Case(71, ["convert", "t.npy", "-"], 0, "ok", once=True, after=as_bits,
             files={"t.npy": npy((4, 3), bytes(cell for row in bits for cell in row), "|b1")}),
        Case(71, ["fit", "t.npy"], 0, "ok", "4 × 3", files={"t.npy": npy((4, 3), packed("e"), "<f2")}),
    ]


def cases():
    return [*damaged(), *other_types(), *accepted()]
