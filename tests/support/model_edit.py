"""Model files taken apart and put together again with right checksums, as a hostile writer would. Only the standard
library, and the xxHash library that Mercer is linked with."""

import ctypes
import ctypes.util
import json
import struct

ZEROS = b"0" * 32
SIZES = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "U8": 1}


class _Hash(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


_library = ctypes.CDLL(ctypes.util.find_library("xxhash") or "libxxhash.so.0")
_library.XXH3_128bits.restype = _Hash
_library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def checksum(content):
    found = _library.XXH3_128bits(content, len(content))
    return b"%016x%016x" % (found.high, found.low)


class Model:
    """kind, values (an object) and arrays: name -> [dtype, shape, bytes]."""

    def __init__(self, content):
        length = struct.unpack("<Q", content[:8])[0]
        header = json.loads(content[8:8 + length])
        metadata = header.pop("__metadata__")
        data = content[8 + length:]
        self.kind = metadata["mercer.kind"]
        self.values = json.loads(metadata["mercer.values"])
        self.arrays = {name: [entry["dtype"], entry["shape"], data[slice(*entry["data_offsets"])]]
                       for name, entry in header.items()}

    def content(self):
        order = sorted(self.arrays.items(), key=lambda item: -SIZES[item[1][0]])
        metadata = {"mercer.format": "1", "mercer.checksum": ZEROS.decode(), "mercer.version": "0.1.0",
                    "mercer.kind": self.kind, "mercer.values": json.dumps(self.values)}
        header, position = {"__metadata__": metadata}, 0
        for name, (dtype, shape, data) in order:
            metadata["mercer.checksum." + name] = checksum(data).decode()
            header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [position, position + len(data)]}
            position += len(data)
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-(8 + len(text)) % 64)
        frame = struct.pack("<Q", len(text)) + text
        return frame.replace(ZEROS, checksum(frame), 1) + b"".join(data for _, (_, _, data) in order)


def edited(content, change):
    """The file after change(model), sealed again."""
    model = Model(content)
    change(model)
    return model.content()
