# SPDX-License-Identifier: Apache-2.0
"""Code objects of AMD GPUs: bundles, ELF, and the metadata of their kernels (LLVM's AMDGPUUsage)."""
import struct


def unpacked(data, at=0):
    """A value of MessagePack and the place behind it: maps, arrays, strings, integers and booleans."""
    kind = data[at]

    def sized(at, n):
        return int.from_bytes(data[at:at + n], 'big'), at + n

    def several(count, at):
        values = []
        for _ in range(count):
            value, at = unpacked(data, at)
            values.append(value)
        return values, at

    def mapped(count, at):
        values, at = several(2 * count, at)
        return dict(zip(values[::2], values[1::2])), at

    def text(length, at):
        return data[at:at + length].decode(), at + length

    at += 1
    if kind < 0x80:
        return kind, at
    if kind < 0x90:
        return mapped(kind & 15, at)
    if kind < 0xa0:
        return several(kind & 15, at)
    if kind < 0xc0:
        return text(kind & 31, at)
    if kind in (0xc2, 0xc3):
        return kind == 0xc3, at
    if kind in (0xcc, 0xcd, 0xce, 0xcf):
        return sized(at, 1 << kind - 0xcc)
    if kind in (0xd9, 0xda, 0xdb):
        return text(*sized(at, 1 << kind - 0xd9))
    if kind in (0xdc, 0xdd):
        return several(*sized(at, 2 << kind - 0xdc))
    if kind in (0xde, 0xdf):
        return mapped(*sized(at, 2 << kind - 0xde))
    raise ValueError(f'MessagePack of kind {kind:#x}')


class CodeObject:
    """One architecture's: `kernels` maps a symbol to its metadata."""

    def __init__(self, data):
        if data[:4] != b'\x7fELF':
            raise ValueError('no ELF file')
        self.data = data
        programs, sections = struct.unpack_from('<QQ', data, 32)
        size, count = struct.unpack_from('<HH', data, 54)
        self.segments = []  # of PT_LOAD: offset, address, bytes in the file, bytes in memory
        for i in range(count):
            kind, _, offset, address, _, in_file, in_memory, _ = struct.unpack_from('<IIQQQQQQ', data,
                                                                                    programs + i * size)
            if kind == 1:
                self.segments.append((offset, address, in_file, in_memory))
        size, count = struct.unpack_from('<HH', data, 58)
        self.sections = [struct.unpack_from('<IIQQQQIIQQ', data, sections + i * size) for i in range(count)]
        self.kernels = {}
        for _, kind, _, _, offset, length, *_ in self.sections:
            if kind == 7:
                self._read_notes(offset, offset + length)

    def _read_notes(self, at, end):
        while at < end:
            name, length, kind = struct.unpack_from('<III', self.data, at)
            at += 12 + (name + 3 & ~3)
            if kind == 32:
                metadata, _ = unpacked(self.data, at)
                self.kernels.update({k['.symbol'].removesuffix('.kd'): k for k in metadata['amdhsa.kernels']})
            at += length + 3 & ~3

    def symbols(self):
        """Addresses of the dynamic symbols, by name and by number."""
        by_name, by_number = {}, []
        for _, kind, _, _, offset, length, link, *_ in self.sections:
            if kind != 11:
                continue
            names = self.sections[link][4]
            for at in range(offset, offset + length, 24):
                name, _, _, _, value, _ = struct.unpack_from('<IBBHQQ', self.data, at)
                end = self.data.index(b'\0', names + name)
                by_name[self.data[names + name:end].decode()] = value
                by_number.append(value)
        return by_name, by_number

    def relocations(self):
        """Place, kind, symbol's number and addend of each."""
        for _, kind, _, _, offset, length, *_ in self.sections:
            if kind == 4:
                for at in range(offset, offset + length, 24):
                    place, info, addend = struct.unpack_from('<QQq', self.data, at)
                    yield place, info & 0xffffffff, info >> 32, addend


def bundled(data):
    """The code objects of a bundle of clang's, by architecture; those of a linked program are found in its bytes."""
    magic, found, start = b'__CLANG_OFFLOAD_BUNDLE__', {}, 0
    while (start := data.find(magic, start)) >= 0:
        at = start + len(magic) + 8
        count, = struct.unpack_from('<Q', data, at - 8)
        if count > 64:      # the word itself, in a compiler's text
            start += 1
            continue
        for _ in range(count):
            offset, size, length = struct.unpack_from('<QQQ', data, at)
            target = data[at + 24:at + 24 + length].decode()
            at += 24 + length
            if target.startswith('hip') and size:
                found.setdefault(target.rsplit('-', 1)[1], []).append(data[start + offset:start + offset + size])
        start += 1
    return found
