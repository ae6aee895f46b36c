// A race: two errors over what was acquired. Told apart by line and mark, not by colour alone.

import { h, percent, s } from "./dom.js";
import { Frame, scale, ticks } from "./frame.js";

/** @import { DrawingProgress } from "./shapes.js" */
/** @import { Draw, Mark } from "./frame.js" */
/** @typedef {"asked" | "equal"} Look The first side, and the one it races against. */
/** @typedef {{ look: Look, name: string, values: number[] }} Side The values of 1, 2, 3 and so on. */

/**
 * @typedef {object} Race
 * @property {Side[]} sides
 * @property {number} finish
 * @property {number} top The largest error that can be told apart.
 * @property {string} unit
 */

/**
 * A drawing race; before every symbol was seen once, errors are too large to be shown.
 * @type {(progress: DrawingProgress) => Race}
 */
export function raceOf({ asked, equal, symbols, finish }) {
  const shown = [asked, equal].flatMap((values) => values.slice(symbols.length - 1));
  return {
    sides: [{ look: "asked", name: "asked by palacs", values: asked }, { look: "equal", name: "asked equally", values: equal }],
    finish, top: Math.max(0.1, ...shown) * 1.08, unit: "drawings",
  };
}

export class RaceChart {
  /**
   * @param {HTMLElement} parent
   * @param {string} label
   */
  constructor(parent, label) {
    /** @type {Race | null} */
    this.race = null;
    this.frame = new Frame(parent, label, (width) => Math.max(220, Math.min(330, width * 0.6)),
      (svg, width, height) => this.draw(svg, width, height));
  }

  /** @param {Race} race */
  update(race) {
    this.race = race;
    const { sides, unit } = race;
    this.frame.legend.replaceChildren(...sides.map(({ look, name }) => h("li", {}, swatch(look), name)));
    this.frame.tabulate([unit, ...sides.map(({ name }) => name)],
      () => sides[0].values.map((_, n) => [n + 1, ...sides.map(({ values }) => percent(values[n], 1))]));
    this.frame.render();
  }

  /** @type {Draw} */
  draw(svg, width, height) {
    if (!this.race) return [];
    return drawRace(svg, this.race, { left: 46, right: width - 14, top: 12, bottom: height - 40 });
  }
}

/** @param {Look} look */
function swatch(look) {
  const svg = s("svg", { width: 34, height: 12, "aria-hidden": "true", class: "swatch" });
  svg.append(s("path", { class: `line ${look}`, d: "M1 6H33" }), mark(look, 17, 6));
  return svg;
}

/** @type {(look: Look, x: number, y: number, size?: number) => SVGElement} */
const mark = (look, x, y, size = 4) => (look === "asked"
  ? s("circle", { class: `mark ${look}`, cx: x, cy: y, r: size })
  : s("rect", { class: `mark ${look}`, x: x - size, y: y - size, width: 2 * size, height: 2 * size }));

/**
 * @param {SVGSVGElement} svg
 * @param {Race} race
 * @param {{ left: number, right: number, top: number, bottom: number }} box
 * @returns {Mark[]}
 */
export function drawRace(svg, { sides, finish, top, unit }, box) {
  const x = scale([1, finish], [box.left + 6, box.right - 6]);
  const y = scale([0, top], [box.bottom, box.top]);
  for (const at of ticks(0, top, 4).found) {
    svg.append(s("line", { class: "grid", x1: box.left, x2: box.right, y1: y(at), y2: y(at) }),
      s("text", { x: box.left - 6, y: y(at) + 4, "text-anchor": "end" }, percent(at)));
  }
  svg.append(s("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }),
    s("line", { class: "finish", x1: x(finish), x2: x(finish), y1: box.top, y2: box.bottom }));
  for (const at of [1, ...[10, 20, 30, 40, 50].filter((tick) => tick < finish - 4), finish]) svg.append(s("text", { x: x(at), y: box.bottom + 17, "text-anchor": "middle" }, String(at)));
  svg.append(s("text", { x: box.right, y: box.bottom + 34, "text-anchor": "end" }, unit));
  if (!sides[0].values.length) {
    svg.append(s("text", { x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2, "text-anchor": "middle" }, `no ${unit} yet`));
    return [];
  }
  /** @type {Mark[]} */
  const marks = [];
  for (const { look, name, values } of [...sides].reverse()) {
    const points = values.map((value, n) => [x(n + 1), Math.max(box.top, y(value))]);
    svg.append(s("path", { class: `line ${look}`, d: points.map(([a, b], n) => `${n ? "L" : "M"}${a.toFixed(1)} ${b.toFixed(1)}`).join("") }));
    const [endX, endY] = points[points.length - 1];
    svg.append(mark(look, endX, endY, 5));
    values.forEach((value, n) => marks.push({ x: points[n][0], y: points[n][1], text: `${name}: ${percent(value, 1)} wrong\nafter ${n + 1} ${unit}` }));
  }
  return marks;
}
