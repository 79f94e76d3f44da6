# SPDX-License-Identifier: Apache-2.0
"""Reads what inlay-sd writes without its code: by the PNG specification and the standard library.

    read_png.py pixels FILE           the bytes of 8-bit RGB, rows from the top
    read_png.py parameters FILE       the text chunk as AUTOMATIC1111's program takes it apart, KEY=VALUE lines
    read_png.py difference FILE FILE  the mean absolute difference of two pictures
"""
import json
import re
import struct
import sys
import zlib


def chunks(path):
    with open(path, "rb") as f:
        b = f.read()
    assert b[:8] == b"\x89PNG\r\n\x1a\n", path
    at = 8
    while at < len(b):
        size, kind = struct.unpack(">I4s", b[at:at + 8])
        body = b[at + 8:at + 8 + size]
        assert zlib.crc32(kind + body) == struct.unpack(">I", b[at + 8 + size:at + 12 + size])[0]
        yield kind, body
        at += 12 + size


def pixels(path):
    data, width, height = b"", 0, 0
    for kind, body in chunks(path):
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
            assert (depth, colour, interlace) == (8, 2, 0)
        if kind == b"IDAT":
            data += body
    data, pitch = zlib.decompress(data), 3 * width
    assert len(data) == height * (pitch + 1)
    out, above = bytearray(), bytearray(pitch)
    for y in range(height):
        method, row = data[y * (pitch + 1)], bytearray(data[y * (pitch + 1) + 1:(y + 1) * (pitch + 1)])
        for i in range(pitch):
            left, up, corner = (row[i - 3], above[i], above[i - 3]) if i >= 3 else (0, above[i], 0)
            if method == 4:
                p = left + up - corner
                by = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
            else:
                by = (0, left, up, (left + up) // 2)[method]
            row[i] = (row[i] + by) & 255
        out += row
        above = row
    return bytes(out)


def parameters(path):
    text = None
    for kind, body in chunks(path):
        if kind == b"tEXt":
            text = body.split(b"\0", 1)[1].decode("ascii")
        if kind == b"iTXt":
            text = body.split(b"\0", 1)[1][2:].split(b"\0", 2)[2].decode("utf-8")  # strict
    *prompt, last = text.split("\n")
    pairs = re.findall(r'\s*(\w[\w \-/]+):\s*("(?:\\.|[^\\"])+"|[^,]*)(?:,|$)', last)
    assert len(pairs) >= 3, last
    print("prompt=" + json.dumps("\n".join(prompt), ensure_ascii=False))
    for key, value in pairs:
        print(key + "=" + (json.loads(value) if value[:1] == '"' and value[-1:] == '"' else value))


mode, *paths = sys.argv[1:]
if mode == "pixels":
    sys.stdout.buffer.write(pixels(*paths))
elif mode == "parameters":
    parameters(*paths)
else:
    a, b = map(pixels, paths)
    print(sum(abs(x - y) for x, y in zip(a, b, strict=True)) / len(a))
