// The panel: which layer, shown how, which kinds of it, and what there is.

import { abbreviated, inFull, kindColor } from "./kinds.js";
import { element } from "./popup.js";

const byId = (id) => document.getElementById(id);

/** The panel's widgets. `onChange` is called with what a person changed: layer, style or kinds. */
export class Controls {
  #layers = "";
  #kinds = "";

  constructor(onChange) {
    byId("layer").addEventListener("change", ({ target }) => onChange({ layer: target.value }));
    byId("styles").addEventListener("change", ({ target }) => onChange({ style: target.value }));
    byId("kinds").addEventListener("change", ({ target }) => {
      const boxes = [...byId("kinds").querySelectorAll("input")];
      // Without any kind there would be nothing to see: the last one switched off brings all back.
      if (!boxes.some((box) => box.checked)) boxes.forEach((box) => (box.checked = true));
      const isAll = boxes.every((box) => box.checked);
      onChange({ kinds: isAll ? [] : boxes.filter((box) => box.checked).map((box) => box.value) });
      target.focus();
    });
    // The controls in the map's corner make room for the panel where that is a sheet below.
    new ResizeObserver(([{ target }]) => {
      document.documentElement.style.setProperty("--panel-height", `${target.offsetHeight}px`);
    }).observe(byId("panel"));
  }

  /** Shows the layers to choose from, and which one is chosen. */
  showLayers(layers, chosen) {
    const select = byId("layer");
    const names = JSON.stringify(layers.map(({ id, title }) => [id, title]));
    if (names !== this.#layers) {
      this.#layers = names;
      const shown = layers.length > 0 ? layers : [{ id: "", title: "No layers" }];
      select.replaceChildren(
        ...shown.map(({ id, title }) => element("option", { value: id, text: title })));
      select.disabled = layers.length < 2;
    }
    select.value = chosen ?? "";
  }

  showStyle(style) {
    for (const input of byId("styles").querySelectorAll("input")) input.checked = input.value === style;
  }

  /** Shows a layer's kinds as a legend to switch on and off; none at all where there are none. */
  showKinds(kinds, chosen) {
    const field = byId("kinds");
    const names = JSON.stringify(kinds.map(([kind]) => kind).sort());
    if (names !== this.#kinds) {
      this.#kinds = names;
      field.querySelectorAll("label").forEach((label) => label.remove());
      field.append(...kinds.map(([kind]) => kindChip(kind)));
      field.hidden = kinds.length === 0;
    }
    const counts = new Map(kinds);
    for (const box of field.querySelectorAll("input")) {
      box.checked = chosen.length === 0 || chosen.includes(box.value);
      box.parentElement.querySelector(".chip-count").textContent =
        abbreviated(counts.get(box.value) ?? 0);
    }
  }

  /** Shows how much there is; `inView` is null where it is not known. */
  showCounts(total, inView) {
    const parts = [`${inFull.format(total)} ${total === 1 ? "place" : "places"}`];
    if (inView !== null) parts.push(`${inFull.format(inView)} in view`);
    byId("counts").textContent = parts.join(" · ");
  }

  /** Says something; with `action` a button to do about it. */
  notice(title, detail = "", action = null) {
    byId("notice-title").textContent = title;
    byId("notice-detail").textContent = detail;
    const button = byId("notice-action");
    button.hidden = !action;
    button.textContent = action?.label ?? "";
    button.onclick = action?.run ?? null;
    byId("notice").hidden = false;
  }

  clearNotice() {
    byId("notice").hidden = true;
  }

  announce(text) {
    byId("announcement").textContent = text;
  }
}

function kindChip(kind) {
  const dot = element("span", { className: "dot", "aria-hidden": "true" });
  const chip = element(
    "label", { className: "chip" },
    element("input", { type: "checkbox", value: kind, className: "visually-hidden" }),
    dot, element("span", { text: kind }), element("span", { className: "chip-count" }));
  chip.style.setProperty("--kind", kindColor(kind));
  return chip;
}

/** Ties the button "Live" to a heartbeat. */
export function liveButton(heartbeat) {
  const button = byId("live");
  const show = (isOn) => button.setAttribute("aria-pressed", String(isOn));
  button.addEventListener("click", () => heartbeat.set(!heartbeat.isOn));
  heartbeat.onChange = show;
  show(heartbeat.isOn);
}
