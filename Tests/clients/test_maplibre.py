"""MapLibre GL shows a layer of the running service, from its TileJSON alone."""

import time

import png
from service import REPOSITORY

SCREENSHOTS = REPOSITORY / ".build/screenshots"

PAGE = """<!doctype html><meta charset="utf-8"><title>A map</title>
<style>html, body, #map { margin: 0; height: 100%%; background: #f4f1ea }
.maplibregl-canvas { position: absolute }</style>
<div id="map"></div><script src="maplibre-gl.js"></script>
<script>
window.problems = [];
const map = new maplibregl.Map({container: 'map', center: [%(lon)s, %(lat)s], zoom: %(zoom)s,
  fadeDuration: 0, attributionControl: false, style: {version: 8,
  sources: {
    basemap: {type: 'raster', url: '%(address)s/tiles/basemap.json', tileSize: 256},
    places: {type: 'vector', url: '%(address)s/tiles/%(layer)s.json'}},
  layers: [
    {id: 'basemap', type: 'raster', source: 'basemap'},
    {id: 'clusters', type: 'circle', source: 'places', 'source-layer': '%(layer)s',
     filter: ['has', 'point_count'], paint: {'circle-color': '#8a1c5a', 'circle-opacity': 0.85,
     'circle-radius': ['interpolate', ['linear'], ['get', 'point_count'], 2, 8, 200, 24]}},
    {id: 'singles', type: 'circle', source: 'places', 'source-layer': '%(layer)s',
     filter: ['!', ['has', 'point_count']], paint: {'circle-color': '#0b6e75', 'circle-radius': 5}}]}});
map.on('error', event => window.problems.push(String(event.error && event.error.message || event)));
map.on('idle', () => { window.isIdle = true; });
window.shown = () => map.queryRenderedFeatures({layers: ['clusters', 'singles']}).map(
  feature => ({id: feature.id, place: feature.geometry.coordinates, ...feature.properties}));
window.go = (lon, lat, zoom) => { window.isIdle = false; map.jumpTo({center: [lon, lat], zoom}); };
</script>
"""


def wait_until_idle(driver):
    end = time.monotonic() + 30
    while not driver.execute_script("return window.isIdle === true"):
        assert time.monotonic() < end, driver.execute_script("return window.problems")
        time.sleep(0.05)


def shown(driver):
    """What is drawn, each feature once: tiles have copies in their buffers."""
    found = {}
    for feature in driver.execute_script("return window.shown()"):
        found[feature["id"]] = feature
    return list(found.values())


def test_maplibre_shows_clusters_and_singles(towns, webgl, pages):
    webgl.get(pages(PAGE % {"address": towns.address, "layer": "Towns", "lon": 20, "lat": 20, "zoom": 0.5}))
    wait_until_idle(webgl)
    assert webgl.execute_script("return window.problems") == []
    world = shown(webgl)
    assert sum(feature.get("point_count", 1) for feature in world) == len(towns.rows)
    assert any(feature.get("cluster") for feature in world)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    webgl.save_screenshot(str(SCREENSHOTS / "maplibre-world.png"))
    # Near Berlin, so far down that objects stand alone.
    webgl.execute_script("window.go(13.405, 52.52, 13)")
    wait_until_idle(webgl)
    near = shown(webgl)
    webgl.save_screenshot(str(SCREENSHOTS / "maplibre-berlin.png"))
    places = {row[0]: row for row in towns.rows}
    singles = [feature for feature in near if "objectId" in feature]
    assert len(singles) >= 3 and webgl.execute_script("return window.problems") == []
    for feature in singles:
        _, lon, lat, kind, title = places[feature["objectId"]]
        assert (feature["kind"], feature["title"]) == (kind, title)
        # Some units of a tile of zoom 13.
        assert abs(feature["place"][0] - lon) < 0.00005 and abs(feature["place"][1] - lat) < 0.00005
    # They are drawn, not only known: their colour is on the screen.
    _, _, rows = png.decode(webgl.get_screenshot_as_png())
    teal = sum(pixel[:3] == (0x0b, 0x6e, 0x75) for row in rows for pixel in row)
    assert teal > 20 * len(singles), teal
