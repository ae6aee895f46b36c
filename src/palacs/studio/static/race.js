// The race of the drawing demo: two errors over the drawings, one by what palacs asked for and
// one by equal counts. Told apart by line and mark, not by colour alone.

import { h, percent, s } from "./dom.js";
import { Frame, scale, ticks } from "./frame.js";

/** @import { DrawingProgress } from "./shapes.js" */
/** @import { Draw, Mark } from "./frame.js" */
/** @typedef {{ name: string, look: string, values: number[] }} Side */

// Before every symbol was seen once, errors are so large that nothing could be told apart later.
/** @type {(values: number[], symbols: number) => number[]} */
const worthShowing = (values, symbols) => values.slice(symbols - 1);

/**
 * How high the chart must be.
 * @type {(race: DrawingProgress) => number}
 */
export function topOf({ asked, equal, symbols }) {
  const shown = [asked, equal].flatMap((values) => worthShowing(values, symbols.length));
  return Math.max(0.1, ...shown) * 1.08;
}

export class RaceChart {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    /** @type {DrawingProgress | null} */
    this.race = null;
    this.frame = new Frame(parent, "Digits of other hands misread, over the drawings", (width) => Math.max(220, Math.min(330, width * 0.6)),
      (svg, width, height) => this.draw(svg, width, height));
  }

  /** @param {DrawingProgress} race */
  update(race) {
    this.race = race;
    this.frame.legend.replaceChildren(...[["asked", "asked by palacs"], ["equal", "asked equally"]].map(([look, name]) =>
      h("li", { class: `side ${look}` }, swatch(look), name)));
    this.frame.tabulate(["drawings", "asked by palacs", "asked equally"],
      () => race.asked.map((value, n) => [n + 1, percent(value, 1), percent(race.equal[n], 1)]));
    this.frame.render();
  }

  /** @type {Draw} */
  draw(svg, width, height) {
    if (!this.race) return [];
    return drawRace(svg, this.race, { left: 46, right: width - 14, top: 12, bottom: height - 40 });
  }
}

/** @param {string} look */
function swatch(look) {
  const svg = s("svg", { width: 34, height: 12, "aria-hidden": "true", class: "swatch" });
  svg.append(s("path", { class: `line ${look}`, d: "M1 6H33" }), mark(look, 17, 6));
  return svg;
}

/** @type {(look: string, x: number, y: number, size?: number) => SVGElement} */
export const mark = (look, x, y, size = 4) => (look === "asked"
  ? s("circle", { class: `mark ${look}`, cx: x, cy: y, r: size })
  : s("rect", { class: `mark ${look}`, x: x - size, y: y - size, width: 2 * size, height: 2 * size }));

/**
 * @param {SVGSVGElement} svg
 * @param {DrawingProgress} race
 * @param {{ left: number, right: number, top: number, bottom: number }} box
 * @returns {Mark[]}
 */
export function drawRace(svg, race, box) {
  const top = topOf(race);
  const x = scale([1, race.finish], [box.left + 6, box.right - 6]);
  const y = scale([0, top], [box.bottom, box.top]);
  for (const at of ticks(0, top, 4).found) {
    svg.append(s("line", { class: "grid", x1: box.left, x2: box.right, y1: y(at), y2: y(at) }),
      s("text", { x: box.left - 6, y: y(at) + 4, "text-anchor": "end" }, percent(at)));
  }
  svg.append(s("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }),
    s("line", { class: "finish", x1: x(race.finish), x2: x(race.finish), y1: box.top, y2: box.bottom }));
  for (const at of [1, 10, 20, race.finish]) svg.append(s("text", { x: x(at), y: box.bottom + 17, "text-anchor": "middle" }, String(at)));
  svg.append(s("text", { x: box.right, y: box.bottom + 34, "text-anchor": "end" }, "drawings"));
  if (!race.asked.length) {
    svg.append(s("text", { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, "text-anchor": "middle" }, "after the first drawing"));
    return [];
  }
  /** @type {Mark[]} */
  const marks = [];
  for (const [look, name, values] of /** @type {[string, string, number[]][]} */ ([["equal", "asked equally", race.equal], ["asked", "asked by palacs", race.asked]])) {
    const points = values.map((value, n) => [x(n + 1), Math.max(box.top, y(value))]);
    svg.append(s("path", { class: `line ${look}`, d: points.map(([a, b], n) => `${n ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join("") }));
    const [endX, endY] = points[points.length - 1];
    svg.append(mark(look, endX, endY, 5));
    values.forEach((value, n) => marks.push({ x: points[n][0], y: points[n][1], text: `${name}: ${percent(value, 1)} misread\nafter ${n + 1} drawings` }));
  }
  return marks;
}
