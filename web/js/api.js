// The calls of the service that the map makes. All addresses are relative to the page, so that it
// also works behind a proxy that serves it under a path.

const base = new URL("./", document.baseURI);

/** An answer that is not a success, with what the server says about it. */
export class Problem extends Error {
  constructor(status, title, detail) {
    super(detail ? `${title}: ${detail}` : title);
    this.status = status;
    this.title = title;
    this.detail = detail ?? "";
  }
}

/** Turns a failed fetch or answer into words for a person. */
async function problem(response) {
  let title = response.statusText || `Error ${response.status}`;
  let detail = "";
  try {
    const body = await response.json();
    title = body.title ?? title;
    detail = body.detail ?? "";
  } catch {
    // Not a problem document; the status has to do.
  }
  return new Problem(response.status, title, detail);
}

/**
 * Fetches, asking the server whether the copy in the browser's cache is still right.
 * An unchanged answer is a 304 on the wire; here it has the same entity tag as before.
 */
export async function revalidate(path, { signal } = {}) {
  let response;
  try {
    response = await fetch(new URL(path, base), { cache: "no-cache", signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, "No answer from the server", "Trying again.");
  }
  if (!response.ok) throw await problem(response);
  return response;
}

async function json(path, options) {
  return (await revalidate(path, options)).json();
}

const name = encodeURIComponent;

/** The query of a map call: what it shows of the layer, and its own parameters. */
function query(kinds, parameters = {}) {
  const parts = Object.entries(parameters).map(([key, value]) => `${key}=${value}`);
  if (kinds.length > 0) parts.push(`kind=${kinds.map(name).join(",")}`);
  return parts.length > 0 ? `?${parts.join("&")}` : "";
}

/** The layers: `{id, title, attribution, count, kinds: [[kind, count]…], extent}`, fullest first. */
export async function collections(options) {
  const { collections } = await json("v1/collections", options);
  // Of some layers only the heat is public: there is nothing to list or to count.
  return collections.filter((layer) => layer.itemType !== "heat").map(layerFrom).sort((a, b) => b.count - a.count || (a.id < b.id ? -1 : 1));
}

function layerFrom(item) {
  const kinds = Array.isArray(item.kinds)
    ? item.kinds.map((entry) => [entry.kind ?? entry.name ?? entry, entry.count ?? 0])
    : Object.entries(item.kinds ?? {});
  return {
    id: item.id,
    title: item.title || item.id,
    attribution: item.attribution ?? "",
    count: item.count ?? 0,
    kinds: kinds.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)),
    extent: item.extent?.spatial?.bbox?.[0] ?? null,
  };
}

/** The clusters and single objects of a box `[west, south, east, north]`. */
export async function clusters(layer, { bbox, zoom, kinds }, options) {
  const path = `clusters/${name(layer)}${query(kinds, { bbox: bbox.join(","), zoom })}`;
  const response = await revalidate(path, options);
  return { tag: `${path} ${response.headers.get("ETag")}`, features: (await response.json()).features };
}

/** The hottest places of a box; with a `window` those of late, with their trend. */
export async function hotspots(layer, { bbox, zoom, kinds, limit, window }, options) {
  const parameters = { bbox: bbox.join(","), zoom, limit, ...(window && { window }) };
  const path = `hotspots/${name(layer)}${query(kinds, parameters)}`;
  const response = await revalidate(path, options);
  return { tag: `${path} ${response.headers.get("ETag")}`, features: (await response.json()).features };
}

/** The lowest zoom at which a cluster falls apart, or null when it never does. */
export async function expansionZoom(layer, id, kinds) {
  return (await json(`clusters/${name(layer)}/${id}/expansion-zoom${query(kinds)}`)).zoom;
}

/** Some objects of a cluster, and how many there are: `{features, total}`. */
export function leaves(layer, id, kinds, { limit, offset }) {
  return json(`clusters/${name(layer)}/${id}/leaves${query(kinds, { limit, offset })}`);
}

/** The path of a raster tile of a layer. `scale` is "" or "@2x". */
export function tilePath(layer, { x, y, z }, { style, kinds, scale }) {
  return `tiles/${name(layer)}/${z}/${x}/${y}${scale}.png${query(kinds, { style })}`;
}

/** The template of the basemap's tiles, as Leaflet fills it in. */
export const basemapTemplate = new URL("tiles/basemap/", base).href + "{z}/{x}/{y}{r}.png";
