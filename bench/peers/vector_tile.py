"""Counts the features of a Mapbox Vector Tile, by walking its protocol buffers."""

LAYER, FEATURE = 3, 2
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


def fields(data):
    """The fields of a message: number and, where it is of bytes, content."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        number, kind = divmod(varint(), 8)
        content = None
        if kind == VARINT:
            varint()
        elif kind == BYTES:
            size = varint()
            content, at = data[at:at + size], at + size
        else:
            at += {FIXED64: 8, FIXED32: 4}[kind]
        yield number, content


def feature_count(tile):
    """How many features all layers of a tile have."""
    return sum(number == FEATURE for layer, content in fields(bytes(tile)) if layer == LAYER
               for number, _ in fields(content))
