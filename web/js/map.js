// The map itself: the basemap, scale, attribution and the button "my surroundings".

import { basemapTemplate } from "./api.js";
import { reducedMotion } from "./live.js";
import { element } from "./popup.js";

const credits = "Natural Earth, GeoNames";

/** Makes the map in the page's #map. `onNotice(title, detail)` tells what a person should know. */
export function createMap(onNotice) {
  const isStill = reducedMotion.matches;
  const map = L.map("map", {
    minZoom: 1, maxZoom: 22, zoomControl: false, attributionControl: false, worldCopyJump: true,
    zoomAnimation: !isStill, fadeAnimation: !isStill, markerZoomAnimation: !isStill,
    inertia: !isStill, maxBounds: [[-89, -Infinity], [89, Infinity]], maxBoundsViscosity: 0.8,
  });
  map.setView([20, 0], 2);
  L.control.attribution({ prefix: "Leaflet" }).addAttribution(credits).addTo(map);
  L.control.scale({ position: "bottomright", imperial: false, maxWidth: 90 }).addTo(map);
  L.control.zoom({ position: "bottomright" }).addTo(map);
  surroundingsButton(map, onNotice).addTo(map);
  addBasemap(map);
  return map;
}

/** Shows the world map, light or dark as the person's system is, also when that changes. */
function addBasemap(map) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const url = () => `${basemapTemplate}?style=${dark.matches ? "dark" : "light"}`;
  const layer = L.tileLayer(url(), { maxZoom: 22, className: "basemap", zIndex: 1 }).addTo(map);
  dark.addEventListener("change", () => layer.setUrl(url()));
}

/** Shows an extent `[west, south, east, north]`, clear of the panel. */
export function fit(map, extent, maxZoom = 16) {
  let [west, south, east, north] = extent;
  if (west > east) east += 360;
  map.fitBounds([[south, west], [north, east]], {
    maxZoom, animate: !reducedMotion.matches, ...clearOfPanel(),
  });
}

/** How far inside the map's edges the panel covers nothing, in pixels. */
export function clearOfPanel() {
  const panel = document.getElementById("panel").getBoundingClientRect();
  const isSheet = panel.width > innerWidth * 0.6;
  return {
    paddingTopLeft: isSheet ? [16, 16] : [panel.right + 8, 16],
    paddingBottomRight: isSheet ? [16, panel.height + 24] : [16, 24],
  };
}

function surroundingsButton(map, onNotice) {
  const control = L.control({ position: "bottomright" });
  const place = L.layerGroup().addTo(map);
  control.onAdd = () => {
    const button = element("button", {
      type: "button", className: "surroundings", title: "My surroundings",
      "aria-label": "Show my surroundings",
    });
    button.append(target());
    L.DomEvent.disableClickPropagation(button);
    button.addEventListener("click", () => {
      button.classList.add("is-busy");
      map.locate({ setView: false, enableHighAccuracy: true, timeout: 10000 });
    });
    map.on("locationfound", ({ latlng, accuracy }) => {
      button.classList.remove("is-busy");
      place.clearLayers();
      L.circle(latlng, { radius: accuracy, className: "here-accuracy", interactive: false }).addTo(place);
      L.circleMarker(latlng, { radius: 7, className: "here", interactive: false }).addTo(place);
      map.setView(latlng, Math.max(map.getZoom(), 14), { animate: !reducedMotion.matches });
    });
    map.on("locationerror", ({ code }) => {
      button.classList.remove("is-busy");
      onNotice("Your place is not known", code === 1 ? "The browser may not tell it." : "");
    });
    return button;
  };
  return control;
}

function target() {
  const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  picture.setAttribute("viewBox", "0 0 24 24");
  picture.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", "M12 2v4M12 18v4M2 12h4M18 12h4M12 7a5 5 0 1 0 0 10a5 5 0 0 0 0-10");
  picture.append(path);
  return picture;
}
