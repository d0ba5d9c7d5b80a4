// Puts the page together: the state of the view, and what happens when it changes.

import * as api from "./api.js";
import { ClustersLayer, isCluster } from "./clusters-layer.js";
import { Controls, liveButton } from "./controls.js";
import { formatHash, parseHash } from "./hash.js";
import { HotspotsLayer, hotspotCard } from "./hotspots-layer.js";
import { Heartbeat, reducedMotion } from "./live.js";
import { clearOfPanel, createMap, fit } from "./map.js";
import { manyCard, objectCard } from "./popup.js";
import { RasterLayer } from "./raster-layer.js";

const state = { layer: null, style: "clusters", kinds: [], layers: [] };
const controls = new Controls(change);
const map = createMap((title, detail) => controls.notice(title, detail, dismiss));
const clustersLayer = new ClustersLayer(map, pick);
const hotspotsLayer = new HotspotsLayer(map, pickHotspot);
const dismiss = { label: "OK", run: () => controls.clearNotice() };
let rasterLayer = null;
let failure = null;

/** The description of the chosen layer, as the server last gave it. */
const chosen = () => state.layers.find(({ id }) => id === state.layer);

function change(changes) {
  const isOtherLayer = changes.layer && changes.layer !== state.layer;
  Object.assign(state, changes);
  if (isOtherLayer) {
    state.kinds = [];
    map.closePopup();
    if (chosen()?.extent) fit(map, chosen().extent);
  }
  showState();
}

/** Brings panel, map and address in line with the state. */
function showState() {
  const layer = chosen();
  if (!layer) return;
  controls.showLayers(state.layers, state.layer);
  controls.showStyle(state.style);
  controls.showKinds(layer.kinds, state.kinds);
  rasterLayer?.remove();
  rasterLayer = null;
  hotspotsLayer.hide();
  if (state.style === "clusters") {
    clustersLayer.show();
  } else {
    clustersLayer.hide();
    const { layer: id, style, kinds } = state;
    rasterLayer = new RasterLayer({ layer: id, style, kinds }, { zIndex: 2 }).addTo(map);
    rasterLayer.on("tileerror", ({ error }) => tellFailure(error));
    if (style === "heat") hotspotsLayer.show();
  }
  writeHash();
  refreshView();
}

function writeHash() {
  if (!state.layer) return;
  const { lat, lng: lon } = map.getCenter().wrap();
  history.replaceState(null, "", formatHash({ ...state, zoom: map.getZoom(), lat, lon }));
}

/** Asks again for what the map shows. Resolves to whether that went well. */
async function refreshView() {
  try {
    if (state.style === "clusters") await clustersLayer.refresh(state);
    else await rasterLayer?.refresh();
    if (state.style === "heat") await hotspotsLayer.refresh(state);
    tellRecovery();
    return true;
  } catch (error) {
    return tellFailure(error);
  } finally {
    showCounts();
  }
}

function showCounts() {
  const layer = chosen();
  const ofKinds = layer.kinds.filter(([kind]) => state.kinds.includes(kind));
  const total = state.kinds.length === 0
    ? layer.count : ofKinds.reduce((sum, [, count]) => sum + count, 0);
  controls.showCounts(total, state.style === "clusters" ? clustersLayer.countInView() : null);
}

/** Shows what went wrong. An answer that was not waited for is no failure. */
function tellFailure(error) {
  if (!(error instanceof api.Problem)) {
    if (error.name !== "AbortError") console.error(error);
    return error.name === "AbortError";
  }
  failure = error;
  controls.notice(error.title, error.detail, { label: "Try again", run: refreshAll });
  return false;
}

function tellRecovery() {
  if (failure) controls.clearNotice();
  failure = null;
}

/** Asks for the layers and the view; the first answer decides where the map looks. */
async function refreshAll() {
  try {
    state.layers = await api.collections();
  } catch (error) {
    return tellFailure(error);
  }
  tellRecovery();
  if (state.layers.length === 0) {
    controls.showLayers([], null);
    controls.showCounts(0, null);
    controls.notice("No places yet", "Import a file or write objects with a place: they appear here.");
    return true;
  }
  if (!chosen()) return showFirst();
  controls.showLayers(state.layers, state.layer);
  controls.showKinds(chosen().kinds, state.kinds);
  return refreshView();
}

/** Opens the map for the first time: where the address says, else at the fullest layer. */
function showFirst() {
  controls.clearNotice();
  const view = parseHash(location.hash);
  const isKnown = state.layers.some(({ id }) => id === view.layer);
  state.layer = isKnown ? view.layer : state.layers[0].id;
  state.style = view.style ?? state.style;
  state.kinds = (isKnown && view.kinds) || [];
  if (view.zoom !== undefined) map.setView([view.lat, view.lon], view.zoom, { animate: false });
  else if (chosen().extent) fit(map, chosen().extent);
  showState();
  controls.announce(`${chosen().title}, ${chosen().count} places`);
  return true;
}

/** A badge was chosen: looks closer, or shows what is there. */
async function pick(feature, latLng) {
  if (!isCluster(feature)) return openPopup(objectCard(feature), latLng);
  try {
    const zoom = await api.expansionZoom(state.layer, feature.id, state.kinds);
    if (zoom === null || zoom > map.getMaxZoom()) await openMany(feature, latLng);
    else map.setView(centerFor(feature, latLng, zoom), zoom, { animate: !reducedMotion.matches });
  } catch (error) {
    if (error.status === 404) refreshView();
    else tellFailure(error);
  }
}

/** Where to look for a cluster's parts: their middle, where all of them will be seen. */
function centerFor({ properties }, latLng, zoom) {
  if (!properties.bbox) return latLng;
  let [west, south, east, north] = properties.bbox;
  if (west > east) east += 360;
  const turn = Math.round((latLng.lng - (west + east) / 2) / 360) * 360;
  const bounds = L.latLngBounds([south, west + turn], [north, east + turn]);
  return map.getBoundsZoom(bounds) >= zoom ? bounds.getCenter() : latLng;
}

async function openMany({ id, properties }, latLng) {
  const load = (offset) => api.leaves(state.layer, id, state.kinds, { limit: 10, offset });
  const card = await manyCard(
    properties.point_count, load, (feature) => openPopup(objectCard(feature), latLng));
  openPopup(card, latLng);
}

async function pickHotspot(feature, latLng) {
  openPopup(await hotspotCard(feature, { ...state, zoom: map.getZoom() }), latLng);
}

function openPopup(card, latLng) {
  const { paddingTopLeft, paddingBottomRight } = clearOfPanel();
  const popup = L.popup({
    maxWidth: 300, minWidth: 200, maxHeight: 320, offset: [0, -6],
    autoPanPaddingTopLeft: paddingTopLeft, autoPanPaddingBottomRight: paddingBottomRight,
  });
  const from = document.activeElement;
  popup.setLatLng(latLng).setContent(card).openOn(map);
  // The keyboard goes to the card, and back to its badge when the card is closed.
  const element = popup.getElement();
  card.tabIndex = -1;
  card.focus({ preventScroll: true });
  element.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") map.closePopup(popup);
  });
  popup.on("remove", () => {
    if (from?.isConnected) from.focus({ preventScroll: true });
  });
}

map.on("moveend", () => {
  if (!state.layer) return;
  writeHash();
  refreshView();
});
addEventListener("hashchange", () => {
  const view = parseHash(location.hash);
  if (state.layers.some(({ id }) => id === view.layer)) {
    Object.assign(state, { layer: view.layer, style: view.style ?? state.style, kinds: view.kinds ?? [] });
    if (view.zoom !== undefined) map.setView([view.lat, view.lon], view.zoom, { animate: false });
    showState();
  }
});
refreshAll();
liveButton(new Heartbeat(refreshAll));
