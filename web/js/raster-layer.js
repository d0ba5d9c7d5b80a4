// A layer drawn by the server, as tiles that are asked for again and redrawn only when they changed.

import * as api from "./api.js";

/** Leaflet's `{r}`: what a tile for this screen's density is called. */
const scale = L.Browser.retina ? "@2x" : "";

export const RasterLayer = L.GridLayer.extend({
  /** `show` is `{layer, style, kinds}`; see `refresh` for what may change later. */
  initialize(show, options) {
    L.setOptions(this, { maxZoom: 22, keepBuffer: 1, className: "raster", ...options });
    this._show = show;
  },

  createTile(coords, done) {
    const tile = L.DomUtil.create("canvas", `raster-${this._show.style}`);
    tile.setAttribute("role", "presentation");
    tile.aborter = new AbortController();
    this._load(tile, this._wrapCoords(coords)).then(
      () => done(null, tile),
      (error) => done(error, tile));
    return tile;
  },

  /** Asks again for every tile that is shown. Resolves when all are up to date. */
  async refresh() {
    const shown = Object.values(this._tiles).filter((entry) => entry.current && entry.loaded);
    const results = await Promise.allSettled(
      shown.map(({ el, coords }) => this._load(el, this._wrapCoords(coords))));
    const failed = results.find(({ status, reason }) =>
      status === "rejected" && reason.name !== "AbortError");
    if (failed) throw failed.reason;
  },

  async _load(tile, coords) {
    if (coords.y < 0 || coords.y >= 2 ** coords.z) return;
    const { layer, style, kinds } = this._show;
    const path = api.tilePath(layer, coords, { style, kinds, scale });
    const response = await api.revalidate(path, { signal: tile.aborter.signal });
    const tag = response.headers.get("ETag");
    if (tag && tag === tile.dataset.tag) {
      await response.body?.cancel();
      return;
    }
    const image = await createImageBitmap(await response.blob());
    tile.width = image.width;
    tile.height = image.height;
    tile.getContext("2d").drawImage(image, 0, 0);
    image.close();
    tile.dataset.tag = tag ?? "";
  },

  _removeTile(key) {
    this._tiles[key]?.el.aborter?.abort();
    L.GridLayer.prototype._removeTile.call(this, key);
  },
});
