// Colours of kinds, and how a mixture of kinds is told.

/** The kinds that have a colour of their own, as in the service's tiles. */
const named = {
  marker: "#2f6fde",
  event: "#d9480f",
  trade: "#2b8a3e",
  photo: "#9c36b5",
  track: "#0c8599",
};

/** For every other kind: the same name has the same colour everywhere. */
const others = ["#5c6b00", "#b02a5b", "#4c5fd7", "#8a5a00", "#00705a", "#7a4fc0", "#a33b2e", "#33677f"];

/** For objects without a kind. */
export const plainColor = "#52606d";

export function kindColor(kind) {
  if (!kind) return plainColor;
  if (Object.hasOwn(named, kind)) return named[kind];
  let hash = 0;
  for (const character of kind) hash = (Math.imul(hash, 31) + character.codePointAt(0)) >>> 0;
  return others[hash % others.length];
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
