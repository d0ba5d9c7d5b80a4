"""Writes PNG files: for scripts that join the service's tiles into one picture."""

import collections
import struct
import zlib


def encode(width, height, rows):
    """Gives the file of rows of (red, green, blue) tuples: 8 bits a pixel, in a palette of the 256 commonest colours.

    Rarer colours become the nearest of those.
    """
    counts = collections.Counter(pixel for row in rows for pixel in row)
    palette = [color for color, _ in counts.most_common(256)]
    index = {color: number for number, color in enumerate(palette)}
    for color in counts:
        if color not in index:
            index[color] = index[min(palette, key=lambda known: distance(known, color))]
    raw = b"".join(b"\0" + bytes(index[pixel] for pixel in row) for row in rows)
    chunks = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", bytes(channel for color in palette for channel in color)),
        (b"IDAT", zlib.compress(raw, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(name, content) for name, content in chunks)


def chunk(name, content):
    return (struct.pack(">I", len(content)) + name + content
            + struct.pack(">I", zlib.crc32(name + content)))


def distance(first, second):
    """The square of the distance of two colours."""
    return sum((a - b) ** 2 for a, b in zip(first, second))
