# SPDX-License-Identifier: Apache-2.0
"""Edits the tensors of a synthetic fp32 model for the tests of the program, by the standard library alone.

    edit_model.py FILE EDIT...

fill:NAME:VALUE   every element of the tensors whose name begins with NAME
scale:NAME:BY     likewise, times BY
rows:NAME:N       a tensor gets N rows, its own again and again
drop:NAME         tensors whose name begins with NAME are left out
"""
import array
import json
import struct
import sys


def main(path, edits):
    with open(path, "rb") as f:
        size = struct.unpack("<Q", f.read(8))[0]
        header = json.loads(f.read(size))
        data = f.read()
    tensors = {}
    metadata = header.pop("__metadata__", {})
    for name, t in header.items():
        begin, end = t["data_offsets"]
        assert t["dtype"] == "F32", (name, t["dtype"])
        tensors[name] = (t["shape"], array.array("f", data[begin:end]))
    for edit in edits:
        kind, prefix, *value = edit.split(":")
        names = [n for n in tensors if n.startswith(prefix)]
        assert names, f"no tensor {prefix}*"
        for name in names:
            shape, values = tensors[name]
            if kind == "fill":
                values = array.array("f", [float(value[0])] * len(values))
            elif kind == "scale":
                values = array.array("f", [v * float(value[0]) for v in values])
            elif kind == "rows":
                rows, width = int(value[0]), len(values) // shape[0]
                values = array.array("f", [values[i % len(values)] for i in range(rows * width)])
                shape = [rows] + shape[1:]
            elif kind == "drop":
                del tensors[name]
                continue
            else:
                sys.exit(f"unknown edit {edit}")
            tensors[name] = (shape, values)
    header, data = {"__metadata__": metadata}, b""
    for name, (shape, values) in tensors.items():
        bytes_ = values.tobytes()
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(bytes_)]}
        data += bytes_
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


main(sys.argv[1], sys.argv[2:])
