"""Reads a PNG file back into pixels, strictly: a test's own eyes."""

import struct
import zlib

CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}


def decode(data):
    """Gives width, height and rows of RGBA tuples. Raises AssertionError for what is not a PNG."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG file"
    chunks, at = {}, 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + length]
        (checksum,) = struct.unpack(">I", data[at + 8 + length:at + 12 + length])
        assert zlib.crc32(name + content) == checksum, f"checksum of {name}"
        chunks[name] = chunks.get(name, b"") + content
        at += 12 + length
    assert name == b"IEND", "the file is cut off"
    width, height, depth, color, _, _, interlace = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert interlace == 0 and (color == 3 or depth == 8), "a form that the service never writes"
    lines = unfilter(zlib.decompress(chunks[b"IDAT"]), width, height, depth * CHANNELS[color])
    to_rgba = converter(color, chunks)
    samples = (unpack(line, depth, width * CHANNELS[color]) for line in lines)
    step = CHANNELS[color]
    rows = [
        [to_rgba(row[at:at + step]) for at in range(0, width * step, step)] for row in samples]
    return width, height, rows


def unfilter(raw, width, height, bits):
    """Undoes the filter of each line."""
    stride, back = (width * bits + 7) // 8, max(1, bits // 8)
    assert len(raw) == height * (stride + 1), "wrong amount of pixels"
    above, lines = bytes(stride), []
    for y in range(height):
        kind, *line = raw[y * (stride + 1):(y + 1) * (stride + 1)]
        for x in range(stride):
            left = line[x - back] if x >= back else 0
            corner = above[x - back] if x >= back else 0
            line[x] = (line[x] + predict(kind, left, above[x], corner)) & 255
        above = bytes(line)
        lines.append(above)
    return lines


def predict(kind, left, up, corner):
    if kind == 4:
        guess = left + up - corner
        return min((left, up, corner), key=lambda value: abs(guess - value))
    return [0, left, up, (left + up) // 2][kind]


def unpack(line, depth, count):
    """Splits bytes into samples of `depth` bits."""
    if depth == 8:
        return line
    per_byte, mask = 8 // depth, (1 << depth) - 1
    return [
        line[at // per_byte] >> (8 - depth * (at % per_byte + 1)) & mask for at in range(count)]


def converter(color, chunks):
    """The function from a pixel's samples to RGBA."""
    if color == 3:
        colors, alphas = chunks[b"PLTE"], chunks.get(b"tRNS", b"")
        palette = [
            (*colors[at * 3:at * 3 + 3], alphas[at] if at < len(alphas) else 255)
            for at in range(len(colors) // 3)]
        return lambda sample: palette[sample[0]]
    if color == 6:
        return tuple
    if color == 2:
        return lambda sample: (*sample, 255)
    if color == 4:
        return lambda sample: (sample[0], sample[0], sample[0], sample[1])
    return lambda sample: (sample[0], sample[0], sample[0], 255)
