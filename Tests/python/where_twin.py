"""Parse's `where` in the plainest Python: what the service must agree with."""

import functools
import math
import random
import re

MISSING = object()
TIMES = ("createdAt", "updatedAt")


def at(document, path):
    """The value at a dotted path, which leads through plain objects only."""
    value = document
    for name in path.split("."):
        if not isinstance(value, dict) or "__type" in value or name not in value:
            return MISSING
        value = value[name]
    return value


def simple(value, is_time=False):
    """A value in a form that compares as the service does: (type, what counts)."""
    if value is MISSING or value is None:
        return ("null",)
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, (int, float)):
        return ("number", float(value))
    if isinstance(value, str):
        return ("date", value) if is_time else ("text", value.encode())
    if isinstance(value, list):
        return ("list", *[simple(element) for element in value])
    kind = value.get("__type")
    if kind == "Date":
        return ("date", value["iso"])
    if kind == "Pointer":
        return ("pointer", value["className"], value["objectId"])
    if kind == "GeoPoint":
        return ("place", round(value["longitude"] * 1e7), round(value["latitude"] * 1e7))
    if kind == "Polygon":
        ring = [tuple(corner) for corner in value["coordinates"]]
        return ("polygon", *(ring[:-1] if ring[0] == ring[-1] else ring))
    return ("object", *sorted((key, simple_member(member)) for key, member in value.items()))


def simple_member(value):
    return ("null",) if value is None else simple(value)


def elements(value):
    """A value and, of a list, its elements."""
    yield value
    if isinstance(value, list):
        yield from value


def ordered(value, bound, sign, is_time):
    for element in value if isinstance(value, list) else [value]:
        left, right = simple(element, is_time), simple(bound, is_time)
        if left[0] == right[0] and left[0] in ("number", "text", "date"):
            if sign == "$lt" and left < right or sign == "$lte" and left <= right:
                return True
            if sign == "$gt" and left > right or sign == "$gte" and left >= right:
                return True
    return False


@functools.cache
def pattern(text, options):
    plain = re.sub(r"\\Q(.*?)(\\E|$)", lambda match: re.escape(match[1]), text, flags=re.S)
    flags = 0
    for letter in options:
        flags |= {"i": re.I, "m": re.M, "s": re.S, "x": re.X}[letter]
    return re.compile(plain, flags)


def finds(value, text, options):
    return any(
        isinstance(element, str) and pattern(text, options).search(element)
        for element in (value if isinstance(value, list) else [value]))


def inside(place, ring):
    """Even-odd on a ring that does not cross the antimeridian, edges in; exact in integers."""
    x, y = round(place["longitude"] * 1e7), round(place["latitude"] * 1e7)
    corners = [(round(lon * 1e7), round(lat * 1e7)) for lon, lat in ring]
    is_inside = False
    for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1]):
        cross = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
        if cross == 0 and min(x1, x2) <= x <= max(x1, x2) and min(y1, y2) <= y <= max(y1, y2):
            return True
        if (y1 > y) != (y2 > y) and (y2 > y1) == (cross > 0):
            is_inside = not is_inside
    return is_inside


def angle(a, b):
    la, lb = math.radians(a["latitude"]), math.radians(b["latitude"])
    dlon = math.radians(b["longitude"] - a["longitude"])
    hav = math.sin((lb - la) / 2) ** 2 + math.cos(la) * math.cos(lb) * math.sin(dlon / 2) ** 2
    return 2 * math.asin(math.sqrt(hav))


def is_place(value):
    return isinstance(value, dict) and value.get("__type") == "GeoPoint"


def is_polygon(value):
    return isinstance(value, dict) and value.get("__type") == "Polygon"


def test(value, name, operand, constraint, is_time):
    equal = lambda left, right: simple(left, is_time) == simple(right, is_time)
    among = lambda operands: any(
        equal(element, other) for element in elements(value) for other in operands)
    flat = lambda: [
        other for entry in operand for other in (entry if isinstance(entry, list) else [entry])]
    if name == "$eq":
        return among([operand])
    if name == "$ne":
        return not among([operand])
    if name in ("$lt", "$lte", "$gt", "$gte"):
        return ordered(value, operand, name, is_time)
    if name == "$in":
        return among(flat())
    if name == "$nin":
        return not among(flat())
    if name == "$exists":
        return (value is not MISSING) == operand
    if name == "$all":
        return isinstance(value, list) and operand != [] and all(
            any(finds(element, wanted["$regex"], wanted.get("$options", ""))
                if isinstance(wanted, dict) and "$regex" in wanted else among_one(element, wanted)
                for element in value)
            for wanted in operand)
    if name == "$containedBy":
        return isinstance(value, list) and all(
            any(equal(element, other) for other in operand) for element in value)
    if name == "$regex":
        return value is not MISSING and finds(value, operand, constraint.get("$options", ""))
    if name == "$options":
        return True
    if name == "$within":
        south_west, north_east = operand["$box"]
        return is_place(value) and (
            south_west["latitude"] <= value["latitude"] <= north_east["latitude"]
            and south_west["longitude"] <= value["longitude"] <= north_east["longitude"])
    if name == "$geoWithin" and "$polygon" in operand:
        return is_place(value) and inside(value, operand["$polygon"])
    if name == "$geoWithin":
        centre, radius = operand["$centerSphere"]
        return is_place(value) and angle(centre, value) <= radius
    if name == "$geoIntersects":
        return is_polygon(value) and inside(
            operand["$point"], [(lon, lat) for lat, lon in value["coordinates"]])
    raise AssertionError(name)


def among_one(element, wanted):
    return any(simple(part) == simple(wanted) for part in elements(element))


def matches(document, where):
    """Whether a document, with its objectId and times, matches."""
    for key, constraint in where.items():
        if key == "$or":
            holds = any(matches(document, part) for part in constraint)
        elif key == "$and":
            holds = all(matches(document, part) for part in constraint)
        elif key == "$nor":
            holds = not any(matches(document, part) for part in constraint)
        else:
            value, is_time = at(document, key), key in TIMES
            if isinstance(constraint, dict) and any(name.startswith("$") for name in constraint):
                holds = all(
                    test(value, name, operand, constraint, is_time)
                    for name, operand in constraint.items())
            else:
                holds = test(value, "$eq", constraint, {}, is_time)
        if not holds:
            return False
    return True


# Random documents and questions about them.

WORDS = ["Cafe", "cafe", "Café", "Cafe\u0301", "bar", "bar & grill", "a.b", "multi\nline", "", "Ωmega"]
PATTERNS = [
    ("^Ca", ""), ("^ca", "i"), (r"^\Qa.b\E", ""), (r"\Qbar\E", ""), ("line$", ""), ("^line", "m"),
    ("multi.line", "s"), ("multi.line", ""), ("b a r", "x"), ("[aeiou]{2}", "i"), ("^$", ""),
    (".", ""), ("é", ""), ("(bar|Ω)", "")]
CITIES = ["Berlin", "Lima", "Oslo"]


def date(number):
    return {"__type": "Date", "iso": f"2026-01-{number % 28 + 1:02}T00:00:00.000Z"}


def pointer(number):
    return {"__type": "Pointer", "className": "Person", "objectId": f"p{number}"}


def point(rng):
    return {
        "__type": "GeoPoint", "longitude": rng.randint(-20, 20) / 2,
        "latitude": rng.randint(-20, 20) / 2}


def document(rng):
    fields = {"location": point(rng)}
    makers = {
        "title": lambda: rng.choice(WORDS),
        "price": lambda: rng.choice([0, -1, 1, 2, 2.5, 3.0, 1e10, 9007199254740992]),
        "open": lambda: rng.random() < 0.5,
        "tags": lambda: [tag(rng) for _ in range(rng.randint(0, 4))],
        "when": lambda: date(rng.randint(0, 5)),
        "author": lambda: pointer(rng.randint(0, 4)),
        "address": lambda: rng.choice([
            {}, {"city": rng.choice(CITIES)}, {"city": None},
            {"city": rng.choice(CITIES), "deep": {"n": rng.randint(0, 3)}},
            {"deep": [1, 2]}, {"city": rng.choice(CITIES), "at": date(2)}]),
        "area": lambda: {"__type": "Polygon", "coordinates": square(rng)},
        "kind": lambda: rng.choice(["event", "photo", "trade"]),
    }
    for name, make in makers.items():
        chance = rng.random()
        if chance < 0.65:
            fields[name] = make()
        elif chance < 0.8:
            fields[name] = None
    return fields


def tag(rng):
    return rng.choice(
        ["new", "old", 1, 2, None, True, "Café", ["in", 1], {"a": 1}, pointer(1), date(1)])


def square(rng):
    lat, lon, side = rng.randint(-9, 5), rng.randint(-9, 5), rng.randint(1, 6)
    ring = [[lat, lon], [lat, lon + side], [lat + side, lon + side], [lat + side, lon]]
    return ring + [ring[0]] if rng.random() < 0.5 else ring


VALUES = {
    "title": lambda rng: rng.choice(WORDS),
    "price": lambda rng: rng.choice([0, -1, 1, 2, 2.0, 2.5, 3, 1e10, 9007199254740992]),
    "open": lambda rng: rng.random() < 0.5,
    "tags": lambda rng: tag(rng) if rng.random() < 0.9 else [tag(rng)],
    "when": lambda rng: date(rng.randint(0, 5)),
    "author": lambda rng: pointer(rng.randint(0, 4)),
    "address": lambda rng: rng.choice([{}, {"city": "Lima"}, {"deep": [1, 2]}]),
    "address.city": lambda rng: rng.choice(CITIES),
    "address.deep": lambda rng: rng.choice([1, {"n": 2}, [1, 2]]),
    "address.deep.n": lambda rng: rng.randint(0, 3),
    "address.at": lambda rng: date(2),
    "area": lambda rng: {"__type": "Polygon", "coordinates": square(rng)},
    "location": point,
    "nothing": lambda rng: 1,
}
ORDERED = ["title", "price", "tags", "when", "address.city", "address.deep.n", "nothing"]


def constraint(rng, field):
    """A plain value or operators on a field."""
    value = lambda: None if rng.random() < 0.08 else VALUES[field](rng)
    if rng.random() < 0.2:
        return value()
    names = ["$eq", "$ne", "$in", "$nin", "$exists"]
    if field in ORDERED:
        names += ["$lt", "$lte", "$gt", "$gte"]
    if field == "tags":
        names += ["$all", "$containedBy", "$all", "$containedBy"]
    if field in ("title", "tags", "address.city"):
        names += ["$regex", "$regex"]
    if field == "location":
        names = ["$within", "$polygon", "$centerSphere", "$exists", "$eq", "$ne"]
    if field == "area":
        names += ["$geoIntersects", "$geoIntersects"]
    found = {}
    for name in rng.sample(names, rng.choice([1, 1, 1, 2])):
        if name in ("$eq", "$ne"):
            found[name] = value()
        elif name in ("$lt", "$lte", "$gt", "$gte"):
            bound = VALUES[field](rng)
            while isinstance(bound, (bool, list, type(None))) or (
                    isinstance(bound, dict) and bound.get("__type") != "Date"):
                bound = VALUES[field](rng)
            found[name] = bound
        elif name in ("$in", "$nin", "$containedBy", "$all"):
            found[name] = [value() for _ in range(rng.randint(0, 3))]
            if name == "$all" and field == "tags" and rng.random() < 0.3:
                found[name].append({"$regex": "^n"})
        elif name == "$exists":
            found[name] = rng.random() < 0.5
        elif name == "$regex":
            found["$regex"], options = rng.choice(PATTERNS)
            if options:
                found["$options"] = options
        elif name == "$within":
            low, high = point(rng), point(rng)
            for axis in ("longitude", "latitude"):
                low[axis], high[axis] = sorted([low[axis], high[axis]])
            found["$within"] = {"$box": [low, high]}
        elif name == "$polygon":
            corners = set()
            while len(corners) < rng.randint(3, 6):
                corners.add((rng.randint(-10, 10), rng.randint(-10, 10)))
            found["$geoWithin"] = {"$polygon": [list(corner) for corner in sorted(corners)]}
        elif name == "$centerSphere" and "$geoWithin" not in found:
            # Odd enough that no object lies on the edge, where the last digit would decide.
            found["$geoWithin"] = {"$centerSphere": [point(rng), 0.0371 * rng.randint(1, 6)]}
        elif name == "$geoIntersects":
            found["$geoIntersects"] = {"$point": point(rng)}
    return found or value()


def question(rng, depth=0):
    """A random `where`."""
    where = {}
    for field in rng.sample(list(VALUES), rng.choice([0, 1, 1, 2]) if depth == 0 else 1):
        where[field] = constraint(rng, field)
    if depth < 2 and rng.random() < (0.4 if where else 1):
        name = rng.choice(["$or", "$and", "$nor"])
        where[name] = [question(rng, depth + 1) for _ in range(rng.randint(1, 3))]
    return where
