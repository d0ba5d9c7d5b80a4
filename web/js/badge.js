// The pictures of clusters and single objects, drawn as SVG.

import { kindColor, sharesOf } from "./kinds.js";

const svgNamespace = "http://www.w3.org/2000/svg";

function svg(tag, attributes, ...children) {
  const element = document.createElementNS(svgNamespace, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/**
 * The width of a badge in pixels. Clusters are never nearer than 40 px, so a badge that stays close
 * to that hides no neighbour.
 */
export function badgeSize(count) {
  return Math.round(Math.min(50, 30 + 4.5 * Math.log10(count)));
}

/** A cluster: a disc in the colour of its commonest kind, its number, and a ring of its kinds. */
export function clusterBadge(properties) {
  const size = badgeSize(properties.point_count);
  const middle = size / 2;
  const shares = sharesOf(properties);
  const text = properties.point_count_abbreviated ?? String(properties.point_count);
  const label = svg("text", {
    x: middle, y: middle, "font-size": text.length > 3 ? 11 : 12.5, class: "badge-number",
  });
  label.textContent = text;
  return svg(
    "svg", { width: size, height: size, viewBox: `0 0 ${size} ${size}`, "aria-hidden": "true" },
    svg("circle", { cx: middle, cy: middle, r: middle, class: "badge-back" }),
    ...ring(shares, middle, middle - 2.25, 3),
    svg("circle", { cx: middle, cy: middle, r: middle - 5, fill: kindColor(shares[0]?.[0]) }),
    label);
}

/** The shares as arcs of a circle, clockwise from the top. Below 2 % an arc would not be seen. */
function ring(shares, middle, radius, width) {
  const total = shares.reduce((sum, [, count]) => sum + count, 0);
  const seen = shares.filter(([, count]) => count >= total * 0.02);
  const drawn = seen.reduce((sum, [, count]) => sum + count, 0);
  const circumference = 2 * Math.PI * radius;
  let start = 0;
  return seen.map(([kind, count]) => {
    const length = circumference * (count / drawn);
    const arc = svg("circle", {
      cx: middle, cy: middle, r: radius, fill: "none", stroke: kindColor(kind),
      "stroke-width": width, "stroke-dasharray": `${length} ${circumference - length}`,
      "stroke-dashoffset": -start, transform: `rotate(-90 ${middle} ${middle})`,
    });
    start += length;
    return arc;
  });
}

/** The side of a single object's picture: larger than its dot, so that a finger finds it. */
export const singleSize = 28;

/** A single object: a dot in the colour of its kind. */
export function singleBadge(properties) {
  const kind = properties.kind ?? properties.category;
  const middle = singleSize / 2;
  return svg(
    "svg", {
      width: singleSize, height: singleSize, viewBox: `0 0 ${singleSize} ${singleSize}`,
      "aria-hidden": "true",
    },
    svg("circle", { cx: middle, cy: middle, r: 8, class: "badge-back" }),
    svg("circle", { cx: middle, cy: middle, r: 6, fill: kindColor(kind) }));
}
