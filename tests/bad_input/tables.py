"""Small tables and NumPy files for the cases."""

import struct

# Seven rows, three columns, a class: enough for every kernel.
GOOD = "x,y,z,kind\n1,2,3,a\n2,1,0,b\n4,4,1,a\n0,1,7,b\n3,3,3,a\n5,0,2,b\n1,6,4,a\n"


def csv(rows, header=None):
    """Rows of numbers or texts as CSV."""
    lines = [",".join(header)] if header else []
    return "\n".join(lines + [",".join(str(cell) for cell in row) for row in rows]) + "\n"


def grid(n, dim, function):
    """n rows of function(i, j)."""
    return [[function(i, j) for j in range(dim)] for i in range(n)]


def wave(i, j):
    """Numbers without pattern, the same on every machine."""
    return ((i * 7919 + j * 104729 + i * i * 31 + i * j * 17) % 1009) / 100


def npy_header(text, version=1):
    """The bytes before the data, whatever the text of the dictionary."""
    body = text.encode("latin-1")
    fixed = 10 if version == 1 else 12
    body += b" " * (-(fixed + len(body) + 1) % 64) + b"\n"
    length = struct.pack("<H" if version == 1 else "<I", len(body))
    return b"\x93NUMPY" + bytes([version, 0]) + length + body


def npy(shape, data=b"", descr="<f8", fortran=False, version=1):
    """An NPY file; shape is a tuple or any text to stand in its place."""
    return npy_header(f"{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}", version) + data


def doubles(rows):
    return struct.pack(f"<{sum(map(len, rows))}d", *[cell for row in rows for cell in row])


def npy_of(rows):
    return npy((len(rows), len(rows[0])), doubles(rows))
