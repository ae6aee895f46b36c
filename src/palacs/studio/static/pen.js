// A drawing area: strokes by mouse, pen or finger, as lists of points.

import { brushOf } from "./dom.js";

/** @typedef {[x: number, y: number]} Point In the canvas's own pixels. */
/** @typedef {Point[]} Stroke */

export class Pen {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {() => void} changed
   */
  constructor(canvas, changed) {
    this.canvas = canvas;
    this.changed = changed;
    /** @type {Stroke[]} */
    this.strokes = [];
    /** @type {Stroke | null} */
    this.open = null;
    this.enabled = false;
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, () => this.up());
    new MutationObserver(() => this.paint()).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  /** @type {(event: PointerEvent) => Point} */
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    const side = this.canvas.width;
    return [((event.clientX - box.left) / box.width) * side, ((event.clientY - box.top) / box.height) * side];
  }

  /** @param {PointerEvent} event */
  down(event) {
    if (!this.enabled || event.button > 0) return;
    event.preventDefault();
    this.canvas.setPointerCapture(event.pointerId);
    this.open = [this.place(event)];
    this.strokes.push(this.open);
    this.paint();
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (!this.open) return;
    // Browsers hand out fast movements in bundles; each point in one counts.
    const bundle = event.getCoalescedEvents?.() ?? [];
    for (const one of bundle.length ? bundle : [event]) {
      const [x, y] = this.place(one);
      const [lastX, lastY] = this.open[this.open.length - 1];
      if (Math.hypot(x - lastX, y - lastY) >= 3) this.open.push([x, y]);
    }
    this.paint();
  }

  up() {
    if (!this.open) return;
    this.open = null;
    this.changed();
  }

  clear() {
    this.strokes = [];
    this.open = null;
    this.paint();
    this.changed();
  }

  /** @param {Stroke[]} strokes Drawn by somebody else. */
  show(strokes) {
    this.strokes = strokes;
    this.open = null;
    this.paint();
    this.changed();
  }

  get empty() {
    return !this.strokes.some((stroke) => stroke.length > 1);
  }

  paint() {
    const brush = brushOf(this.canvas);
    brush.clearRect(0, 0, this.canvas.width, this.canvas.height);
    Object.assign(brush, { lineWidth: this.canvas.width / 18, lineCap: "round", lineJoin: "round" });
    brush.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();
    for (const stroke of this.strokes) {
      brush.beginPath();
      brush.moveTo(...stroke[0]);
      for (const point of stroke.length > 1 ? stroke.slice(1) : stroke) brush.lineTo(...point);
      brush.stroke();
    }
  }
}
