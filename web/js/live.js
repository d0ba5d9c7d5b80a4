// Keeps what is seen up to date: asks again a while after the last answer, never while the page is
// hidden, and by itself only where the person has not asked for less motion.

const pauseMilliseconds = 2000;
const pauseAfterFailureMilliseconds = 6000;

export const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Calls `refresh` again and again while switched on and visible. `refresh` returns a promise of
 * whether it went well; the next call waits for it.
 */
export class Heartbeat {
  #refresh;
  #timer = 0;
  #busy = false;
  #on = !reducedMotion.matches;

  constructor(refresh) {
    this.#refresh = refresh;
    document.addEventListener("visibilitychange", () => this.#schedule(0));
    reducedMotion.addEventListener("change", () => this.set(!reducedMotion.matches));
    this.#schedule(pauseMilliseconds);
  }

  get isOn() {
    return this.#on;
  }

  set(on) {
    this.#on = on;
    this.onChange?.(on);
    this.#schedule(0);
  }

  #schedule(milliseconds) {
    clearTimeout(this.#timer);
    if (this.#on && !document.hidden && !this.#busy) {
      this.#timer = setTimeout(() => this.#beat(), milliseconds);
    }
  }

  async #beat() {
    this.#busy = true;
    const well = await this.#refresh();
    this.#busy = false;
    this.#schedule(well ? pauseMilliseconds : pauseAfterFailureMilliseconds);
  }
}
