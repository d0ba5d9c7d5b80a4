"""Vector tiles of a running service, read with another's library."""

import json
from collections import namedtuple

import mapbox_vector_tile

EXTENT, BUFFER = 4096, 384

#: A feature on a tile; `own` tells whether the tile owns it.
Feature = namedtuple("Feature", "id x y properties own")


def decode(body, layer):
    """The features of a tile's only layer, after a look at what every tile has."""
    tile = mapbox_vector_tile.decode(body, default_options={"y_coord_down": True})
    assert list(tile) == [layer]
    content = tile[layer]
    assert (content["version"], content["extent"]) == (2, EXTENT) and content["features"]
    features = []
    for feature in content["features"]:
        assert feature["geometry"]["type"] == "Point"
        x, y = feature["geometry"]["coordinates"]
        assert -BUFFER <= x < EXTENT + BUFFER and -BUFFER <= y < EXTENT + BUFFER
        own = 0 <= x < EXTENT and 0 <= y < EXTENT
        features.append(Feature(feature["id"], x, y, feature["properties"], own))
    ids = [feature.id for feature in features if feature.own]
    assert len(set(ids)) == len(ids) and max(feature.id for feature in features) < 2**53
    return features


def tile(service, layer, z, x, y, headers=None, **query):
    """The features of a tile; none for an empty one."""
    answer = service.get(f"/tiles/{layer}/{z}/{x}/{y}.mvt", headers, **query)
    if answer.status == 204:
        assert answer.body == b"" and answer.headers["ETag"]
        return []
    assert answer.status == 200, answer.body
    assert answer.headers["Content-Type"] == "application/vnd.mapbox-vector-tile"
    return decode(answer.body, layer)


def zoom(service, layer, z, headers=None, **query):
    """The features of all tiles of a zoom: those that are owned, with places on the grid of the zoom,
    and the copies beyond edges."""
    side = 2**z
    owned, copies = {}, []
    for x in range(side):
        for y in range(side):
            for feature in tile(service, layer, z, x, y, headers, **query):
                moved = feature._replace(
                    x=(x * EXTENT + feature.x) % (side * EXTENT), y=y * EXTENT + feature.y)
                if feature.own:
                    assert feature.id not in owned
                    owned[feature.id] = moved
                else:
                    copies.append(moved)
    for copy in copies:
        assert owned[copy.id] == copy._replace(own=True), "a copy is what its owner shows"
    return owned, copies


def count(features):
    """How many objects features stand for."""
    return sum(feature.properties.get("point_count", 1) for feature in features)


def key(feature):
    """What tells a feature's object or cluster, as cluster lists do."""
    return feature.properties.get("objectId") or feature.properties["cluster_id"]


def as_properties(properties):
    """Properties of GeoJSON as a vector tile has them: scalars, what is nested as JSON, no nulls."""
    return {
        name: json.dumps(value, separators=(",", ":"), ensure_ascii=False)
        if isinstance(value, (dict, list)) else value
        for name, value in properties.items() if value is not None}
