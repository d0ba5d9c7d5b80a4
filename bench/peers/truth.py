"""Brute force: what a question must find, by looking at every object."""

import csv
import pathlib

import numpy

EARTH_RADIUS_METERS = 6371008.8
# Of the sphere of Web Mercator.
MERCATOR_RADIUS_METERS = 6378137.0
CIRCLE_METERS = 500


class Truth:
    """All objects of an input. Objects are numbered from 0."""

    def __init__(self, points):
        self.points = numpy.fromfile(points, "<f8").reshape(-1, 2)
        self.lon, self.lat = numpy.radians(self.points).T

    def __len__(self):
        return len(self.points)

    def distances(self, lon, lat):
        """Metres from a place to every object, by the haversine formula."""
        lon, lat = numpy.radians((lon, lat))
        half = (numpy.sin((self.lat - lat) / 2) ** 2
                + numpy.cos(lat) * numpy.cos(self.lat) * numpy.sin((self.lon - lon) / 2) ** 2)
        return 2 * EARTH_RADIUS_METERS * numpy.arcsin(numpy.sqrt(half))

    def tenth(self, lon, lat):
        """The distance of the tenth neighbour."""
        return numpy.partition(self.distances(lon, lat), 9)[9]

    def count_in_box(self, west, south, east, north):
        """How many objects lie in a box."""
        lon, lat = self.points.T
        return int(((lon >= west) & (lon < east) & (lat >= south) & (lat < north)).sum())

    def mercator(self):
        """Easting and northing of every object in metres (EPSG:3857)."""
        return mercator(*self.points.T)


def mercator(lon, lat):
    """Easting and northing in metres (EPSG:3857)."""
    lon, lat = numpy.radians(lon), numpy.radians(lat)
    return (MERCATOR_RADIUS_METERS * lon,
            MERCATOR_RADIUS_METERS * numpy.log(numpy.tan(numpy.pi / 4 + lat / 2)))


def questions(folder, name, limit):
    """The first rows of one of the files of questions, as tuples of numbers."""
    with open(pathlib.Path(folder) / name, encoding="ascii") as file:
        rows = csv.reader(file)
        next(rows)
        return [tuple(float(cell) for cell in row) for row, _ in zip(rows, range(limit))]


def city_tile(folder):
    """The tile of the questions nearest to zoom 12."""
    tiles = questions(folder, "tiles.csv", 1_000)
    return tuple(int(part) for part in min(tiles, key=lambda tile: abs(tile[0] - 12)))
