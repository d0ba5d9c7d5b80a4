// Colours of kinds, and how a mixture of kinds is told.

/**
 * The kinds that have a colour of their own; all colours are those of the service's tiles, which
 * stand in styles/marks.json: a test compares.
 */
const named = {
  park: "#2c7a3a",
  parking: "#1c5fae",
  shop: "#9c2a6b",
  school: "#5a4a9c",
  museum: "#6b5b2e",
  hospital: "#c22f3d",
  station: "#2f5d7c",
  airport: "#44607a",
  hotel: "#3a4fa0",
  bar: "#8a2f8f",
  restaurant: "#b5451b",
  cafe: "#7a4a2b",
  track: "#a86a00",
  photo: "#8b3fc7",
  trade: "#178048",
  event: "#d63d1f",
  marker: "#1f65c8",
};

/** For every other kind: the same name has the same colour everywhere. */
const others = ["#0b7a86", "#b82e78", "#667414", "#865140", "#4a4fb8", "#456a8f"];

/** For objects without a kind. */
const neutral = "#5f6b78";

export function kindColor(kind) {
  if (!kind) return neutral;
  if (Object.hasOwn(named, kind)) return named[kind];
  return others[Number(fnv1a(kind) % BigInt(others.length))];
}

/** FNV-1a, 64 bits, over UTF-8. Source: draft-eastlake-fnv. */
function fnv1a(text) {
  const mix = (hash, byte) => BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return new TextEncoder().encode(text).reduce(mix, 0xcbf29ce484222325n);
}

/** The kinds of a cluster, the commonest first: `[[kind, count]…]`; what has no kind is "". */
export function sharesOf(properties) {
  const shares = Object.entries(properties.kinds ?? {});
  const kindless = properties.point_count - shares.reduce((sum, [, count]) => sum + count, 0);
  if (kindless > 0) shares.push(["", kindless]);
  return shares.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** A number as short as on a badge: 999, 1.2k, 12k, 3.4M; rounded down. */
export function abbreviated(count) {
  for (const [unit, suffix] of [[1e6, "M"], [1e3, "k"]]) {
    if (count >= 10 * unit) return `${Math.floor(count / unit)}${suffix}`;
    if (count >= unit) return `${Math.floor(count / (unit / 10)) / 10}${suffix}`;
  }
  return String(count);
}

/** A number in full, in the reader's own way of writing. */
export const inFull = new Intl.NumberFormat();
