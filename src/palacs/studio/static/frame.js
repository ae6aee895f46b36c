// What every SVG chart shares: it is drawn to the width it has, one tab stop leads to its points
// (arrow keys move along), a tip says what is under the pointer or the focus, and the numbers are
// there as a table.

import { h, s } from "./dom.js";

/** @typedef {{ x: number, y: number, text: string }} Mark A point that says something, in pixels. */
/** @typedef {(svg: SVGSVGElement, width: number, height: number) => Mark[]} Draw Adds to the svg. */
/** @typedef {(width: number) => number} HeightOf */

const STEPS = new Map([["ArrowRight", 1], ["ArrowDown", 1], ["ArrowLeft", -1], ["ArrowUp", -1]]);

export class Frame {
  /**
   * @param {HTMLElement} parent
   * @param {string} label
   * @param {number | HeightOf} height
   * @param {Draw} draw
   */
  constructor(parent, label, height, draw) {
    this.draw = draw;
    this.height = height;
    /** @type {Mark[]} */
    this.marks = [];
    this.at = -1;
    this.svg = s("svg", { role: "group", tabindex: "0", "aria-label": label, "aria-roledescription": "chart" });
    this.tip = h("div", { class: "tip", role: "status", hidden: true });
    this.legend = h("ul", { class: "legend" });
    this.table = h("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": `${label}, as a table` });
    /** @type {() => HTMLElement} */
    this.rows = () => h("table");
    this.details = h("details", {}, h("summary", {}, "As a table"), this.table);
    this.details.addEventListener("toggle", () => this.tell());
    this.root = h("figure", { class: "chart" }, this.svg, this.tip, this.legend, this.details);
    parent.replaceChildren(this.root);
    this.svg.addEventListener("keydown", (event) => this.move(event));
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerdown", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", () => this.pick(-1));
    this.svg.addEventListener("blur", () => this.pick(-1));
    this.width = 0;
    new ResizeObserver(() => {
      if (Math.abs(this.root.clientWidth - this.width) > 1) this.render();
    }).observe(this.root);
  }

  /**
   * Takes the numbers as a table, which is made when somebody opens it: there may be thousands.
   * @param {unknown[]} head
   * @param {() => unknown[][]} rows
   */
  tabulate(head, rows) {
    this.rows = () => tableOf(head, rows());
    this.tell();
  }

  tell() {
    if (this.details.open) this.table.replaceChildren(this.rows());
  }

  render() {
    const width = this.root.clientWidth;
    this.width = width;
    if (width < 40) return;
    const height = typeof this.height === "function" ? this.height(width) : this.height;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.setAttribute("height", String(height));
    this.svg.replaceChildren();
    this.marks = this.draw(this.svg, width, height);
    this.pick(-1);
  }

  /** @param {KeyboardEvent} event */
  move(event) {
    const step = STEPS.get(event.key);
    if (!step || !this.marks.length) return;
    event.preventDefault();
    const next = this.at < 0 ? (step > 0 ? 0 : this.marks.length - 1) : this.at + step;
    this.pick(Math.max(0, Math.min(this.marks.length - 1, next)));
  }

  /** @param {PointerEvent} event */
  point(event) {
    const box = this.svg.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let best = -1;
    let nearest = 32 ** 2;
    this.marks.forEach((mark, place) => {
      const away = (mark.x - x) ** 2 + (mark.y - y) ** 2;
      if (away < nearest) [nearest, best] = [away, place];
    });
    this.pick(best);
  }

  /** @param {number} place -1 is none. */
  pick(place) {
    this.at = place;
    this.svg.querySelector(".focus")?.remove();
    this.tip.hidden = place < 0;
    if (place < 0) return;
    const mark = this.marks[place];
    this.svg.append(s("circle", { class: "focus", cx: mark.x, cy: mark.y, r: 8 }));
    this.tip.textContent = mark.text;
    const left = Math.min(Math.max(0, mark.x - this.tip.offsetWidth / 2), this.width - this.tip.offsetWidth);
    const above = mark.y - this.tip.offsetHeight - 12;
    this.tip.style.transform = `translate(${left}px, ${above < 0 ? mark.y + 14 : above}px)`;
  }
}

/**
 * @param {unknown[]} head
 * @param {unknown[][]} rows
 */
function tableOf(head, rows) {
  /** @type {(tag: "th" | "td") => (value: unknown, place: number) => HTMLElement} */
  const cell = (tag) => (value, place) => h(tag, { class: place ? "number" : null, scope: tag === "th" ? "col" : null }, String(value));
  return h("table", {},
    h("thead", {}, h("tr", {}, ...head.map(cell("th")))),
    h("tbody", {}, ...rows.map((row) => h("tr", {}, ...row.map(cell("td"))))));
}

/**
 * @param {[number, number]} range
 * @param {[number, number]} pixels
 * @returns {(value: number) => number}
 */
export function scale([low, high], [from, to]) {
  const width = high - low || 1;
  return (value) => from + ((value - low) / width) * (to - from);
}

/**
 * Round numbers between low and high, about `count` of them.
 * @param {number} low
 * @param {number} high
 * @param {number} count
 */
export function ticks(low, high, count) {
  const raw = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= 0.8 * raw) ?? raw;
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high + step / 1e6; at += step) found.push(at);
  return { found, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}
