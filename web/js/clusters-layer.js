// The interactive clusters of the view: fetched for the box that is seen, drawn as badges, changed
// in place when an answer changes.

import * as api from "./api.js";
import { badgeSize, clusterBadge, singleBadge, singleSize } from "./badge.js";
import { inFull, sharesOf } from "./kinds.js";
import { reducedMotion } from "./live.js";

const tileSizePixels = 256;

/**
 * Whether a feature is a cluster. Its id tells: a number, where an object's is text. A field
 * `cluster` does not, for objects may have one too.
 */
export const isCluster = ({ id }) => typeof id === "number";

/** A Leaflet icon whose element is made by a function. */
const DrawnIcon = L.Icon.extend({
  initialize(size, draw) {
    L.setOptions(this, { iconSize: [size, size], className: "badge", draw });
  },
  createIcon() {
    const element = document.createElement("div");
    element.append(this.options.draw());
    this._setIconStyles(element, "icon");
    return element;
  },
  createShadow: () => null,
});

/**
 * The box to ask for: the view, widened to whole tiles, so that the same question is asked again
 * after a small move. A view that is as wide as the world asks for all of it.
 */
export function boxOfView(bounds, zoom) {
  const widthDegrees = (360 * tileSizePixels) / (tileSizePixels * 2 ** zoom);
  let west = Math.floor(bounds.getWest() / widthDegrees) * widthDegrees;
  let east = Math.ceil(bounds.getEast() / widthDegrees) * widthDegrees;
  if (east - west >= 360) [west, east] = [-180, 180];
  const rowOf = (lat) => {
    const sine = Math.sin((Math.max(-85.05, Math.min(85.05, lat)) * Math.PI) / 180);
    return (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** zoom;
  };
  const latOf = (row) => {
    if (row <= 0) return 90;
    if (row >= 2 ** zoom) return -90;
    return (Math.atan(Math.sinh(Math.PI * (1 - (2 * row) / 2 ** zoom))) * 180) / Math.PI;
  };
  const north = latOf(Math.floor(rowOf(bounds.getNorth())));
  const south = latOf(Math.ceil(rowOf(bounds.getSouth())));
  return [west, south, east, north].map((degrees) => Number(degrees.toFixed(7)));
}

/** The longitudes at which a feature is seen, where the world repeats. */
function copies(lon, west, east) {
  const seen = [];
  for (let turn = Math.ceil((west - lon) / 360); lon + 360 * turn <= east; turn += 1) {
    seen.push(lon + 360 * turn);
  }
  return seen;
}

export class ClustersLayer {
  #map;
  #group = L.layerGroup();
  #markers = new Map();
  #shown = "";
  #aborter = null;
  #features = [];

  /** `onPick(feature, latLng)` is called for a click or Enter on a badge. */
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
    this.#markers.clear();
    this.#shown = "";
    this.#features = [];
  }

  /**
   * Fetches what the view shows and brings the badges up to date.
   * @throws {api.Problem} when the server refuses or does not answer; the badges stay.
   */
  async refresh({ layer, kinds }) {
    this.#aborter?.abort();
    this.#aborter = new AbortController();
    const { signal } = this.#aborter;
    const zoom = this.#map.getZoom();
    const bbox = boxOfView(this.#map.getBounds(), zoom);
    const { tag, features } = await api.clusters(layer, { bbox, zoom, kinds }, { signal });
    const shown = `${tag} ${this.#map.getBounds().toBBoxString()}`;
    if (signal.aborted || shown === this.#shown) return;
    const isSameQuestion = shown.split(" ")[0] === this.#shown.split(" ")[0];
    this.#shown = shown;
    this.#features = features;
    this.#draw(zoom, bbox, isSameQuestion);
  }

  /** How many objects the badges within the view stand for. */
  countInView() {
    const bounds = this.#map.getBounds();
    let count = 0;
    for (const feature of this.#features) {
      const [lon, lat] = feature.geometry.coordinates;
      const isSeen = copies(lon, bounds.getWest(), bounds.getEast()).length > 0;
      if (isSeen && lat >= bounds.getSouth() && lat <= bounds.getNorth()) {
        count += objectCount(feature);
      }
    }
    return count;
  }

  #draw(zoom, bbox, isUpdate) {
    const bounds = this.#map.getBounds().pad(0.5);
    const isBelt = bbox[2] - bbox[0] >= 360;
    const [west, east] = isBelt ? [bounds.getWest(), bounds.getEast()] : [bbox[0], bbox[2]];
    const middle = this.#map.getCenter().lng;
    const before = this.#markers;
    const next = new Map();
    for (const feature of this.#features) {
      const [lon, lat] = feature.geometry.coordinates;
      const lons = copies(lon, west, east);
      const distances = lons.map((shownLon) => Math.abs(shownLon - middle));
      const nearest = distances.indexOf(Math.min(...distances));
      for (const [turn, shownLon] of lons.entries()) {
        const isCopy = turn !== nearest;
        const key = `${zoom}/${feature.id}/${Math.round((shownLon - lon) / 360)}`;
        const latLng = L.latLng(lat, shownLon);
        const known = before.get(key);
        if (known) {
          before.delete(key);
          this.#update(known, feature, latLng, isCopy, isUpdate);
        }
        next.set(key, known ?? this.#add(feature, latLng, isCopy, isUpdate));
      }
    }
    for (const entry of before.values()) this.#remove(entry, isUpdate);
    this.#markers = next;
  }

  #add(feature, latLng, isCopy, isUpdate) {
    const marker = L.marker(latLng, { icon: iconFor(feature), riseOnHover: true });
    const entry = { marker, feature, isCopy };
    const pick = () => this.onPick(entry.feature, marker.getLatLng());
    marker.on("click", pick).addTo(this.#group);
    marker.getElement().addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      pick();
    });
    describe(entry);
    marker.getElement().classList.add(isUpdate ? "is-new" : "is-shown");
    return entry;
  }

  #update(entry, feature, latLng, isCopy, isUpdate) {
    const { marker } = entry;
    const before = entry.feature;
    Object.assign(entry, { feature, isCopy });
    describe(entry);
    if (!marker.getLatLng().equals(latLng)) {
      marker.setLatLng(latLng);
      if (isUpdate) playOnce(marker.getElement(), "is-moving");
    }
    if (JSON.stringify(before.properties) === JSON.stringify(feature.properties)) return;
    // The element stays, so that it keeps the keyboard's focus.
    const element = marker.getElement();
    const icon = iconFor(feature);
    marker.options.icon = icon;
    element.replaceChildren(icon.options.draw());
    icon._setIconStyles(element, "icon");
    element.classList.add("leaflet-interactive");
    if (objectCount(before) !== objectCount(feature)) {
      playOnce(element, "is-changed");
    }
  }

  #remove({ marker }, isUpdate) {
    const element = marker.getElement();
    if (!isUpdate || !element || reducedMotion.matches) {
      this.#group.removeLayer(marker);
      return;
    }
    element.classList.add("is-gone");
    setTimeout(() => this.#group.removeLayer(marker), 400);
  }
}

/** How many objects a feature stands for. */
const objectCount = (feature) => (isCluster(feature) ? feature.properties.point_count : 1);

function iconFor(feature) {
  const { properties } = feature;
  return isCluster(feature)
    ? new DrawnIcon(badgeSize(properties.point_count), () => clusterBadge(properties))
    : new DrawnIcon(singleSize, () => singleBadge(properties));
}

/** Names a badge for screen readers, and notes for tests what it stands for. */
function describe({ marker, feature, isCopy }) {
  const element = marker.getElement();
  const { properties } = feature;
  const kind = properties.kind ?? properties.category;
  element.setAttribute("role", "button");
  element.dataset.id = feature.id;
  element.dataset.count = objectCount(feature);
  // Where the world repeats, one of the copies is for everybody; the others are only to be seen.
  element.toggleAttribute("data-copy", isCopy);
  element.tabIndex = isCopy ? -1 : 0;
  element.setAttribute("aria-hidden", String(isCopy));
  if (isCluster(feature)) {
    const [commonest] = sharesOf(properties);
    const most = commonest?.[0] ? `, mostly ${commonest[0]}` : "";
    element.setAttribute("aria-label", `${inFull.format(properties.point_count)} places${most}. Look closer.`);
  } else {
    const title = properties.title ?? properties.name ?? "Place";
    element.setAttribute("aria-label", kind ? `${title}, ${kind}` : title);
  }
}

/** Plays the animation of a class from its start. */
function playOnce(element, className) {
  element.classList.remove(className);
  requestAnimationFrame(() => element.classList.add(className));
  setTimeout(() => element.classList.remove(className), 900);
}
