#!/usr/bin/env python3
"""Reads a safetensors file by the published layout alone: a second opinion on .mercer files.

usage: read_safetensors.py FILE
Prints name, dtype, shape and sum of every array as JSON; status 1 when the file is inconsistent.
"""

import json
import math
import struct
import sys

TYPES = {"F64": "d", "F32": "f", "I64": "q", "I32": "i", "U8": "B"}


def no_duplicates(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("a name stands twice in the header")
    return dict(pairs)


def header_of(content):
    if len(content) < 8:
        raise ValueError("shorter than its length field")
    (length,) = struct.unpack("<Q", content[:8])
    if length > len(content) - 8:
        raise ValueError("the header is longer than the file")
    text = content[8 : 8 + length]
    if not text.startswith(b"{"):
        raise ValueError("the header does not begin with {")
    return json.loads(text.decode("utf-8"), object_pairs_hook=no_duplicates), content[8 + length :]


def check_metadata(metadata):
    for name, text in metadata.items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise ValueError(f"metadata {name!r} is not text")


def array_of(name, entry, data):
    code = TYPES[entry["dtype"]]
    begin, end = entry["data_offsets"]
    count = math.prod(entry["shape"])
    if not 0 <= begin <= end <= len(data):
        raise ValueError(f"{name}: offsets outside of the data")
    if end - begin != count * struct.calcsize("<" + code):
        raise ValueError(f"{name}: dtype and shape do not agree with the offsets")
    if begin % struct.calcsize("<" + code) != 0:
        raise ValueError(f"{name}: not aligned to its type")
    return struct.unpack(f"<{count}{code}", data[begin:end])


def read(content):
    """The metadata and the arrays as (name, dtype, shape, values), in the order of their data."""
    header, data = header_of(content)
    metadata = header.pop("__metadata__", {})
    check_metadata(metadata)
    if (len(content) - len(data)) % 64 != 0:
        raise ValueError("the data do not begin on a multiple of 64 bytes")
    arrays, position = [], 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        if entry["data_offsets"][0] != position:
            raise ValueError(f"{name}: gap or overlap at byte {position}")
        position = entry["data_offsets"][1]
        arrays.append((name, entry["dtype"], entry["shape"], array_of(name, entry, data)))
    if position != len(data):
        raise ValueError(f"{len(data) - position} bytes belong to no array")
    return metadata, arrays


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        with open(sys.argv[1], "rb") as file:
            _, arrays = read(file.read())
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
    rows = [{"name": n, "dtype": t, "shape": s, "sum": sum(v)} for n, t, s, v in arrays]
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
