// The view in the page's address: #layer/zoom/lat/lon/style[/kind,kind]. A link to what is seen.

const styles = ["clusters", "points", "heat"];

/** Reads an address; what is missing or makes no sense is left out. */
export function parseHash(hash) {
  const [layer, zoom, lat, lon, style, kinds] = hash.replace(/^#/, "").split("/");
  const view = {};
  try {
    if (layer) view.layer = decodeURIComponent(layer);
    if (kinds) view.kinds = kinds.split(",").map(decodeURIComponent);
  } catch {
    // A broken escape names no layer.
  }
  const numbers = [zoom, lat, lon].map((text) => (text ? Number(text) : NaN));
  const [zoomNumber, latNumber, lonNumber] = numbers;
  const sound = numbers.every(Number.isFinite)
    && zoomNumber >= 0 && zoomNumber <= 22 && Math.abs(latNumber) <= 90;
  if (sound) Object.assign(view, { zoom: Math.round(zoomNumber), lat: latNumber, lon: lonNumber });
  if (styles.includes(style)) view.style = style;
  return view;
}

/** Writes an address, with as many decimals as a pixel is worth. */
export function formatHash({ layer, zoom, lat, lon, style, kinds = [] }) {
  const decimals = Math.min(7, Math.max(2, Math.ceil((zoom + 8) * Math.log10(2)) - 2));
  const parts = [
    encodeURIComponent(layer), zoom, lat.toFixed(decimals), lon.toFixed(decimals), style,
  ];
  if (kinds.length > 0) parts.push(kinds.map(encodeURIComponent).join(","));
  return `#${parts.join("/")}`;
}
