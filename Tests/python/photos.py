"""Pictures and films as phones make them: with the place where they were taken."""

import io
import random
import struct
import zlib

import piexif
import pillow_heif
from PIL import Image

pillow_heif.register_heif_opener()

#: What a search for the place finds in the bytes of a photo that has it.
MAKER = b"Hush Phone"


def exif(orientation=1):
    """The remarks of a camera: 52.5 north, 13.4 east."""
    return piexif.dump({
        "0th": {piexif.ImageIFD.Make: MAKER, piexif.ImageIFD.Orientation: orientation},
        "GPS": {
            piexif.GPSIFD.GPSLatitudeRef: b"N", piexif.GPSIFD.GPSLongitudeRef: b"E",
            piexif.GPSIFD.GPSLatitude: ((52, 1), (30, 1), (0, 1)),
            piexif.GPSIFD.GPSLongitude: ((13, 1), (24, 1), (0, 1))}})


def image(width=90, height=60, seed=1):
    """A red left half and a blue right one, with a little noise."""
    noise = random.Random(seed)
    picture = Image.new("RGB", (width, height), (200, 20, 20))
    picture.paste((20, 20, 200), (width // 2, 0, width, height))
    for _ in range(width * height // 20):
        picture.putpixel((noise.randrange(width), noise.randrange(height)), (90, 90, 90))
    return picture


def photo(kind="JPEG", orientation=1, **size):
    """A picture with remarks, in one of Pillow's formats."""
    out = io.BytesIO()
    image(**size).save(out, kind, exif=exif(orientation))
    return out.getvalue()


def animation(kind="GIF", frames=3):
    out = io.BytesIO()
    pictures = [image(seed=seed).rotate(40 * seed) for seed in range(frames)]
    pictures[0].save(out, kind, save_all=True, append_images=pictures[1:], duration=120, loop=0)
    return out.getvalue()


def chunk(name, content):
    return struct.pack(">I", len(content)) + name + content + struct.pack(
        ">I", zlib.crc32(name + content))


def png(width, height, content, extra=b""):
    """A PNG that says it is so large."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra
            + chunk(b"IDAT", content) + chunk(b"IEND", b""))


def bomb():
    """2.7 GB of black in a hundred kilobytes."""
    return png(30_000, 30_000, zlib.compress(bytes(10**8), 9))


def box(name, *content):
    whole = b"".join(content)
    return struct.pack(">I", len(whole) + 8) + name + whole


PLACE = b"+52.5000+013.4000/"


def film():
    """The boxes of a phone's film, without a picture in it."""
    user = box(b"udta", box(b"\xa9xyz", struct.pack(">HH", len(PLACE), 0x15C7), PLACE))
    remarks = box(b"meta", bytes(4), box(b"ilst", PLACE))
    track = box(b"trak", box(b"tkhd", bytes(84)), user)
    return (box(b"ftyp", b"isom", bytes(4), b"mp42") + box(b"mdat", b"frames" * 100)
            + box(b"moov", box(b"mvhd", bytes(100)), track, user, remarks)
            + box(b"uuid", bytes(16), PLACE))
