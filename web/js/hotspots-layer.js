// The hotspots of the view, on top of the heat: a small ring with the score, and a card about each.

import * as api from "./api.js";
import { boxOfView } from "./clusters-layer.js";
import { inFull, kindColor } from "./kinds.js";
import { element } from "./popup.js";

/** How many are shown: the hottest. */
const limit = 8;
const ringSizePixels = 38;
/** What a card compares with the time before. */
const recent = "24h";

const percent = new Intl.NumberFormat(undefined, { style: "percent", signDisplay: "exceptZero" });

/** A score as short as in a ring. */
const scoreText = (score) => (score < 10 ? score.toFixed(1) : inFull.format(Math.round(score)));

export class HotspotsLayer {
  #map;
  #group = L.layerGroup();
  #aborter = null;
  #shown = "";

  /** `onPick(feature, latLng)` is called for a click or Enter on a ring. */
  constructor(map, onPick) {
    this.#map = map;
    this.onPick = onPick;
  }

  show() {
    this.#group.addTo(this.#map);
  }

  hide() {
    this.#aborter?.abort();
    this.#group.clearLayers().remove();
    this.#shown = "";
  }

  /**
   * Fetches what the view shows and draws it anew when it has changed.
   * @throws {api.Problem} when the server does not answer. A view that is too much for one search
   * shows none.
   */
  async refresh({ layer, kinds }) {
    this.#aborter?.abort();
    this.#aborter = new AbortController();
    const { signal } = this.#aborter;
    const zoom = this.#map.getZoom();
    const bbox = boxOfView(this.#map.getBounds(), zoom);
    let answer = { tag: "none", features: [] };
    try {
      answer = await api.hotspots(layer, { bbox, zoom, kinds, limit }, { signal });
    } catch (error) {
      if (error.status !== 400) throw error;
    }
    const shown = `${answer.tag} ${Math.round(this.#map.getCenter().lng / 360)}`;
    if (signal.aborted || shown === this.#shown) return;
    this.#shown = shown;
    this.#group.clearLayers();
    for (const feature of answer.features) this.#add(feature);
  }

  #add(feature) {
    const [lon, lat] = feature.geometry.coordinates;
    const turn = Math.round((this.#map.getCenter().lng - lon) / 360) * 360;
    const latLng = L.latLng(lat, lon + turn);
    const icon = L.divIcon({ className: "hotspot", iconSize: [ringSizePixels, ringSizePixels] });
    const marker = L.marker(latLng, { icon, riseOnHover: true }).addTo(this.#group);
    const ring = marker.getElement();
    const { score, count } = feature.properties;
    ring.append(element("span", { text: scoreText(score) }));
    ring.dataset.id = feature.id;
    ring.setAttribute("role", "button");
    ring.setAttribute("aria-label", `Hotspot, score ${scoreText(score)}, ${inFull.format(count)} places`);
    const pick = () => this.onPick(feature, latLng);
    marker.on("click", pick);
    ring.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      pick();
    });
  }
}

/**
 * The card of a hotspot. What is new there is asked for when the card is made; where the server
 * has no hotspot of late, nothing is said of it.
 */
export async function hotspotCard(feature, { layer, kinds, zoom }) {
  const { score, count, radius, kinds: shares } = feature.properties;
  const list = element("dl");
  const add = (name, text) => list.append(element("dt", { text: name }), element("dd", { text }));
  add("score", `${inFull.format(score)} σ above the layer`);
  add("places", `${inFull.format(count)} within ${inFull.format(Math.round(radius))} m`);
  const late = await lately(feature, { layer, kinds, zoom });
  if (late) {
    // Against nothing the trend is the count itself.
    const change = late.trend === late.count ? "none before" : percent.format(late.trend);
    add(`last ${recent}`, `${inFull.format(late.count)} new, ${change}`);
  }
  const [commonest] = Object.entries(shares).sort((a, b) => b[1] - a[1]);
  const card = element("article", { className: "popup" }, element("h2", { text: "Hotspot" }));
  if (commonest) {
    const dot = element("span", { className: "dot", "aria-hidden": "true" });
    dot.style.setProperty("--kind", kindColor(commonest[0]));
    card.append(element("p", { className: "popup-kind" }, dot, `mostly ${commonest[0]}`));
  }
  card.append(list);
  return card;
}

/** The properties of the hotspot of late that has the same id; null when there is none. */
async function lately({ id, geometry }, { layer, kinds, zoom }) {
  const [lon, lat] = geometry.coordinates;
  // Wider than a fixed cell, in which the hotspot of late may stand elsewhere.
  const reach = (360 / 2 ** zoom) * (32 / 256);
  const bbox = [lon - reach, Math.max(-90, lat - reach), lon + reach, Math.min(90, lat + reach)];
  try {
    const { features } = await api.hotspots(layer, { bbox, zoom, kinds, limit: 20, window: recent });
    return features.find((other) => other.id === id)?.properties ?? null;
  } catch {
    return null; // The card says enough without it.
  }
}
