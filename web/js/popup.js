// What is shown of one object, or of many on one spot. Everything that came from a person is put
// in as text, never as markup.

import { inFull, kindColor } from "./kinds.js";

const titleFields = ["title", "name", "caption"];
const hiddenFields = new Set([
  "ACL", "objectId", "kind", "category", "location", "className", "__type",
]);

/** Makes an element with text and children. */
export function element(tag, { text, className, ...attributes } = {}, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function titleOf({ id, properties }) {
  const field = titleFields.find((name) => typeof properties[name] === "string" && properties[name]);
  return { field, title: field ? properties[field] : String(id) };
}

function kindLabel(properties) {
  const kind = properties.kind ?? properties.category;
  if (typeof kind !== "string" || !kind) return [];
  const dot = element("span", { className: "dot", "aria-hidden": "true" });
  dot.style.setProperty("--kind", kindColor(kind));
  return [element("p", { className: "popup-kind" }, dot, kind)];
}

/** The card of one object: its title, kind, fields and place. */
export function objectCard(feature) {
  const { properties, geometry } = feature;
  const { field, title } = titleOf(feature);
  const list = element("dl");
  for (const [key, value] of Object.entries(properties)) {
    const text = hiddenFields.has(key) || key === field ? "" : textOf(value);
    if (text) list.append(element("dt", { text: key }), element("dd", { text }));
  }
  const [lon, lat] = geometry.coordinates;
  list.append(
    element("dt", { text: "place" }),
    element("dd", { text: `${lat.toFixed(5)}, ${lon.toFixed(5)}` }));
  return element(
    "article", { className: "popup" },
    element("h2", { text: title }), ...kindLabel(properties), list);
}

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A time for a person; text that names none, such as a 45th day, stays as it is. */
function timeText(text) {
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? String(text) : dateTime.format(time);
}

/** A field's value for a person; "" for what says nothing to one. */
function textOf(value) {
  if (value === null || value === undefined || value === "") return "";
  if (typeof value === "number") return inFull.format(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string") return rfc3339.test(value) ? timeText(value) : value;
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join(", ");
  switch (value.__type) {
    case "Date": return timeText(value.iso);
    case "GeoPoint": return `${value.latitude}, ${value.longitude}`;
    case "Pointer": return `${value.className} ${value.objectId}`;
    case "File": return value.name;
    default: return JSON.stringify(value);
  }
}

/**
 * The card of a cluster that no zoom takes apart: its objects, ten more at a time.
 * `load(offset)` gives `{features, total}`; `onPick(feature)` is called for a chosen one.
 */
export async function manyCard(count, load, onPick) {
  const list = element("ul", { className: "popup-list" });
  const more = element("button", { type: "button", className: "popup-more" });
  const card = element(
    "article", { className: "popup" },
    element("h2", { text: `${inFull.format(count)} on this spot` }), list, more);
  async function append() {
    const { features, total } = await load(list.childElementCount);
    for (const feature of features) {
      const choice = element("button", { type: "button" },
        element("span", { text: titleOf(feature).title }), ...kindLabel(feature.properties));
      choice.addEventListener("click", () => onPick(feature));
      list.append(element("li", {}, choice));
    }
    const left = (total ?? count) - list.childElementCount;
    more.hidden = left <= 0 || features.length === 0;
    more.textContent = `Show more (${inFull.format(left)})`;
  }
  more.addEventListener("click", append);
  await append();
  return card;
}
