"""Areas by other people's geometry: shapely for polygons, pyproj for the ellipsoid."""

import json

import shapely
from pyproj import Geod

ELLIPSOID = Geod(ellps="WGS84")


def units(number):
    """Degrees in whole units of 1e-7, on which containment is decided."""
    return round(number * 1e7)


def rings(polygon):
    return [[(units(lon), units(lat)) for lon, lat in ring] for ring in polygon]


def region(polygons):
    """Polygons, written without jumps, as one shapely geometry in whole units."""
    parts = [shapely.Polygon(outer, holes) for outer, *holes in map(rings, polygons)]
    return shapely.MultiPolygon(parts) if len(parts) > 1 else parts[0]


def members(places, polygons):
    """The sorted names of `{name: (lon, lat)}` that lie in polygons, edges in; longitudes wrap."""
    shape = region(polygons)
    shapely.prepare(shape)
    names, columns, rows = [], [], []
    for name, (lon, lat) in places.items():
        for turn in (-360, 0, 360):
            names.append(name)
            columns.append(units(lon) + turn * 10 ** 7)
            rows.append(units(lat))
    inside = shapely.intersects_xy(shape, columns, rows)
    return sorted({name for name, hit in zip(names, inside) if hit})


def geodesic(lon, lat, places):
    """Distances in metres and bearings in degrees on WGS 84 from one place to many."""
    ends = list(places)
    azimuths, _, distances = ELLIPSOID.inv(
        [lon] * len(ends), [lat] * len(ends), [end[0] for end in ends], [end[1] for end in ends])
    return list(zip(distances, [azimuth % 360 for azimuth in azimuths]))


def polygon(*rings_):
    """A GeoJSON Polygon of rings."""
    return {"type": "Polygon", "coordinates": [list(map(list, ring)) for ring in rings_]}


def multi_polygon(*polygons):
    return {"type": "MultiPolygon", "coordinates": json.loads(json.dumps(polygons))}
