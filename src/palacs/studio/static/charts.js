// The charts of the bench: bars, lines and points. Each is made once and updated with new data;
// colours come from the classes' CSS classes, and shapes say the same a second time.

import { colourOf, dashOf, placeOf, shapeAt } from "./colours.js";
import { h, named, s, setWidth } from "./dom.js";
import { Frame, scale, ticks } from "./frame.js";
import { brief, fixed, percent, whole } from "./locale.js";

/** @import { Label, MapPoint } from "./shapes.js" */
/** @import { Draw, Mark } from "./frame.js" */
/** @typedef {(value: number) => number} Scale */
/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box */
/** @typedef {{ x: number, y: number | null | undefined }} Value Nothing is known where y is missing. */
/** @typedef {{ x: number, y: number }} Known */
/** @typedef {{ name: string, colour?: string, place?: number, main?: boolean }} Line */
/** @typedef {Line & { values: Value[] }} Series */

/**
 * @typedef {object} Bar
 * @property {Label} label
 * @property {number} share
 * @property {string} text
 * @property {boolean} [chosen]
 * @property {boolean} [faint]
 * @property {string | null} [title]
 */

/**
 * @param {HTMLElement} parent
 * @param {Label[]} classes
 * @param {Bar[]} items
 * @param {string} caption
 */
export function bars(parent, classes, items, caption) {
  const list = h("ul", { class: "bars", "aria-label": caption });
  for (const item of items) {
    const name = named(classes, item.label);
    const bar = h("span", { class: "fill" });
    setWidth(bar, item.share);
    list.append(h("li", {
      class: `${colourOf(classes, item.label)} ${item.chosen ? "chosen" : ""} ${item.faint ? "faint" : ""}`,
      title: item.title ?? null,
    },
    name, h("span", { class: "track", "aria-hidden": "true" }, bar), h("span", { class: "value" }, item.text)));
  }
  parent.replaceChildren(list);
}

/**
 * @param {SVGSVGElement} svg
 * @param {Box} box
 * @param {Scale} x
 * @param {Scale} y
 * @param {object} words
 * @param {number[]} words.xTicks
 * @param {number[]} words.yTicks
 * @param {(at: number) => string} words.xText
 * @param {(at: number) => string} words.yText
 * @param {string} words.xLabel
 */
function axes(svg, box, x, y, { xTicks, yTicks, xText, yText, xLabel }) {
  for (const at of yTicks) {
    svg.append(s("line", { class: "grid", x1: box.left, x2: box.right, y1: y(at), y2: y(at) }),
      s("text", { x: box.left - 6, y: y(at) + 4, "text-anchor": "end" }, yText(at)));
  }
  svg.append(s("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }));
  for (const at of xTicks) {
    svg.append(s("text", { x: x(at), y: box.bottom + 17, "text-anchor": "middle" }, xText(at)));
  }
  if (xLabel) svg.append(s("text", { x: box.right, y: box.bottom + 34, "text-anchor": "end" }, xLabel));
}

/** @type {(points: [number, number][]) => string} */
const path = (points) =>
  points.map(([x, y], place) => `${place ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

/** @type {(label: Label, most: number) => string} */
export const short = (label, most) => (String(label).length > most ? `${String(label).slice(0, most - 1)}…` : String(label));

const MOST_IN_LEGEND = 24;

/** @type {(value: Value) => value is Known} */
const known = (value) => value.y !== null && value.y !== undefined;

// Shares from 0 to 1 over acquisitions.
export class Lines {
  /**
   * @param {HTMLElement} parent
   * @param {string} label
   */
  constructor(parent, label) {
    /** @type {(Line & { values: Known[] })[]} */
    this.series = [];
    this.xLabel = "";
    this.empty = "after the first instances";
    this.frame = new Frame(parent, label, (width) => Math.max(200, Math.min(300, width * 0.6)), (svg, width, height) => this.draw(svg, width, height));
  }

  /**
   * @param {Series[]} series
   * @param {string} xLabel
   */
  update(series, xLabel = "acquired") {
    this.series = series.map((one) => ({ ...one, values: one.values.filter(known) }));
    this.xLabel = xLabel;
    this.frame.legend.replaceChildren(...(series.length > 1 ? series.map((one) =>
      h("li", { class: one.colour }, h("span", { class: one.main ? "thick" : "dot", "aria-hidden": "true" }), one.name)) : []));
    const stages = [...new Set(this.series.flatMap((one) => one.values.map((v) => v.x)))].sort((a, b) => a - b);
    /** @type {(one: Series, x: number) => string} */
    const at = (one, x) => percent(one.values.find((v) => v.x === x)?.y);
    this.frame.tabulate([xLabel, ...series.map((one) => one.name)],
      () => stages.map((x) => [x, ...this.series.map((one) => at(one, x))]));
    this.frame.render();
  }

  /** @type {Draw} */
  draw(svg, width, height) {
    const box = { left: 44, right: width - 10, top: 10, bottom: height - 40 };
    const all = this.series.flatMap((one) => one.values);
    if (!all.length) {
      svg.append(s("text", { x: width / 2, y: height / 2, "text-anchor": "middle" }, this.empty));
      return [];
    }
    const [first, last] = [Math.min(...all.map((v) => v.x)), Math.max(...all.map((v) => v.x))];
    const x = scale([first, Math.max(last, first + 1)], [box.left + 4, box.right - 6]);
    const y = scale([0, 1], [box.bottom, box.top]);
    const across = ticks(first, Math.max(last, first + 1), Math.min(6, width / 70)).found.filter(Number.isInteger);
    axes(svg, box, x, y, {
      xTicks: across, yTicks: [0, 0.25, 0.5, 0.75, 1], xText: whole,
      yText: (at) => percent(at), xLabel: this.xLabel,
    });
    /** @type {Mark[]} */
    const marks = [];
    for (const one of [...this.series].sort((a, b) => (a.main ? 1 : 0) - (b.main ? 1 : 0))) {
      /** @type {[number, number][]} */
      const points = one.values.map((v) => [x(v.x), y(v.y)]);
      const place = one.place ?? -1;
      svg.append(s("path", { class: `line ${one.colour ?? ""} ${one.main ? "main" : ""}`, "stroke-dasharray": dashOf(place), d: path(points) }));
      const end = points.at(-1);
      if (end) svg.append(s("path", { class: `dotted ${one.colour ?? ""}`, d: shapeAt(place, ...end, one.main ? 4.5 : 4) }));
      one.values.forEach((v, nth) => marks.push({
        x: points[nth][0], y: points[nth][1], text: `${one.name}: ${percent(v.y)}\n${whole(v.x)} ${this.xLabel}`,
      }));
    }
    return marks;
  }
}

// Instances as points, the latest with a halo.
export class Scatter {
  /**
   * @param {HTMLElement} parent
   * @param {string} label
   */
  constructor(parent, label) {
    /** @type {MapPoint[]} */
    this.points = [];
    /** @type {Label[]} */
    this.classes = [];
    this.xName = "";
    this.yName = "";
    this.byClass = false;
    this.frame = new Frame(parent, label, (width) => Math.min(360, width * 0.82), (svg, width, height) => this.draw(svg, width, height));
  }

  /**
   * @param {MapPoint[]} points
   * @param {Label[]} classes
   * @param {string[]} names Of the two axes.
   * @param {boolean} byClass y is the place of the class, and is named so.
   */
  update(points, classes, [xName, yName], byClass = false) {
    Object.assign(this, { points, classes, xName, yName, byClass });
    const there = new Set(points.map((point) => String(point.label)));
    const few = classes.length <= MOST_IN_LEGEND ? classes : classes.filter((label) => there.has(String(label))).slice(0, MOST_IN_LEGEND);
    this.frame.legend.replaceChildren(...few.map((label) => h("li", {}, named(classes, label))),
      ...(few.length < classes.length ? [h("li", {}, `and ${whole(classes.length - few.length)} more classes; point at an instance for its class`)] : []));
    this.frame.tabulate(["class", xName, yName], () => points.map((p) => [p.label, brief(p.x), brief(p.y)]));
    this.frame.render();
  }

  /** @type {Draw} */
  draw(svg, width, height) {
    const box = { left: 46, right: width - 12, top: 18, bottom: height - 40 };
    if (!this.points.length) {
      svg.append(s("text", { x: width / 2, y: height / 2, "text-anchor": "middle" }, "nothing collected yet"));
      return [];
    }
    /** @type {(values: number[]) => [number, number]} */
    const range = (values) => {
      const [low, high] = [Math.min(...values), Math.max(...values)];
      const margin = (high - low || 1) * 0.08;
      return [low - margin, high + margin];
    };
    const wide = range(this.points.map((p) => p.x));
    const tall = range(this.byClass ? [0, this.classes.length - 1] : this.points.map((p) => p.y));
    const x = scale(wide, [box.left, box.right]);
    const y = scale(tall, [box.bottom, box.top]);
    const across = ticks(...wide, Math.max(3, width / 70));
    const up = this.byClass ? { found: [...this.classes.keys()], digits: 0 } : ticks(...tall, 5);
    axes(svg, box, x, y, {
      xTicks: across.found, yTicks: up.found, xText: (at) => fixed(at, across.digits),
      yText: (at) => (this.byClass ? short(this.classes[at], 6) : fixed(at, up.digits)), xLabel: this.xName,
    });
    svg.append(s("text", { x: box.left - 40, y: 2 }, this.yName));
    const size = this.points.length > 200 ? 3.2 : 5.2;
    return this.points.map((p) => {
      const colour = colourOf(this.classes, p.label);
      const [cx, cy] = [x(p.x), y(p.y)];
      const d = shapeAt(placeOf(this.classes, p.label), cx, cy, p.latest ? size + 2 : size);
      if (p.latest) svg.append(s("circle", { class: `halo ${colour}`, cx, cy, r: size + 8 }));
      svg.append(s("path", { class: `mark ${colour} ${p.latest ? "latest" : ""}`, "data-x": cx.toFixed(1), d }));
      return { x: cx, y: cy, text: `${p.label}${p.latest ? ", the latest" : ""}\n${brief(p.x)}${this.byClass ? "" : `, ${brief(p.y)}`}` };
    });
  }
}
