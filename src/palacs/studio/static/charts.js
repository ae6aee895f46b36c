// The charts of the studio: bars, lines, points, a matrix and a field. Each is made once and
// updated with new data; colours come from the classes' CSS classes.

import { colourOf } from "./colours.js";
import { h, named, percent, s, setWidth } from "./dom.js";
import { brief, Frame, scale, tableOf, ticks } from "./frame.js";

/** @import { Label, MapPoint } from "./shapes.js" */
/** @import { Draw, Mark } from "./frame.js" */
/** @typedef {(value: number) => number} Scale */
/** @typedef {{ left: number, right: number, top: number, bottom: number }} Box */
/** @typedef {{ x: number, y: number | null | undefined }} Value Nothing is known where y is missing. */
/** @typedef {{ x: number, y: number }} Known */
/** @typedef {{ name: string, colour?: string, main?: boolean }} Line */
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

export { brief };

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
const short = (label, most) => (String(label).length > most ? `${String(label).slice(0, most - 1)}…` : String(label));

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
    this.frame.table.replaceChildren(tableOf([xLabel, ...series.map((one) => one.name)],
      stages.map((x) => [x, ...this.series.map((one) => at(one, x))])));
    this.frame.render();
  }

  /** @type {Draw} */
  draw(svg, width, height) {
    const box = { left: 44, right: width - 10, top: 10, bottom: height - 40 };
    const all = this.series.flatMap((one) => one.values);
    if (!all.length) {
      svg.append(s("text", { x: width / 2, y: height / 2, "text-anchor": "middle" }, "after the first instances"));
      return [];
    }
    const [first, last] = [Math.min(...all.map((v) => v.x)), Math.max(...all.map((v) => v.x))];
    const x = scale([first, Math.max(last, first + 1)], [box.left + 4, box.right - 6]);
    const y = scale([0, 1], [box.bottom, box.top]);
    const across = ticks(first, Math.max(last, first + 1), Math.min(6, width / 70)).found.filter(Number.isInteger);
    axes(svg, box, x, y, {
      xTicks: across, yTicks: [0, 0.25, 0.5, 0.75, 1], xText: String,
      yText: (at) => `${Math.round(100 * at)} %`, xLabel: this.xLabel,
    });
    /** @type {Mark[]} */
    const marks = [];
    for (const one of [...this.series].sort((a, b) => (a.main ? 1 : 0) - (b.main ? 1 : 0))) {
      /** @type {[number, number][]} */
      const points = one.values.map((v) => [x(v.x), y(v.y)]);
      svg.append(s("path", { class: `line ${one.colour ?? ""} ${one.main ? "main" : ""}`, d: path(points) }));
      const end = points.at(-1);
      if (end) svg.append(s("circle", { class: `dotted ${one.colour ?? ""}`, cx: end[0], cy: end[1], r: one.main ? 4.5 : 3 }));
      one.values.forEach((v, place) => marks.push({
        x: points[place][0], y: points[place][1], text: `${one.name}: ${Math.round(100 * v.y)} %\n${v.x} ${this.xLabel}`,
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
    this.frame.legend.replaceChildren(...classes.map((label) => h("li", {}, named(classes, label))));
    this.frame.table.replaceChildren(tableOf(["class", xName, yName], points.map((p) => [p.label, brief(p.x), brief(p.y)])));
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
      xTicks: across.found, yTicks: up.found, xText: (at) => at.toFixed(across.digits),
      yText: (at) => (this.byClass ? short(this.classes[at], 6) : at.toFixed(up.digits)), xLabel: this.xName,
    });
    svg.append(s("text", { x: box.left - 40, y: 2 }, this.yName));
    const size = this.points.length > 200 ? 3.2 : 5.2;
    return this.points.map((p) => {
      const colour = colourOf(this.classes, p.label);
      const [cx, cy] = [x(p.x), y(p.y)];
      if (p.latest) svg.append(s("circle", { class: `halo ${colour}`, cx, cy, r: size + 8 }));
      svg.append(s("circle", { class: `mark ${colour} ${p.latest ? "latest" : ""}`, cx, cy, r: p.latest ? size + 2 : size }));
      return { x: cx, y: cy, text: `${p.label}${p.latest ? ", the latest" : ""}\n${brief(p.x)}${this.byClass ? "" : `, ${brief(p.y)}`}` };
    });
  }
}

// A confusion matrix: rows are the classes, columns what they are taken for.
export class Matrix {
  /**
   * @param {HTMLElement} parent
   * @param {string} label
   */
  constructor(parent, label) {
    /** @type {Label[]} */
    this.labels = [];
    /** @type {number[][]} */
    this.matrix = [];
    this.frame = new Frame(parent, label, (width) => this.size(width), (svg, width) => this.draw(svg, width));
  }

  /** @param {number} width */
  size(width) {
    return this.labels.length ? this.cell(width) * this.labels.length + 62 : 60;
  }

  /** @param {number} width */
  cell(width) {
    return Math.min(58, (width - this.margin(width)) / this.labels.length);
  }

  /** @param {number} width */
  margin(width) {
    const longest = Math.max(...this.labels.map((label) => String(label).length));
    return Math.min(width * 0.34, 16 + 7.4 * longest);
  }

  /**
   * @param {Label[]} labels
   * @param {number[][]} matrix
   */
  update(labels, matrix) {
    Object.assign(this, { labels, matrix });
    this.frame.table.replaceChildren(tableOf(["class", ...labels.map((l) => `as ${l}`)], labels.map((l, row) => [l, ...matrix[row]])));
    this.frame.render();
  }

  /** @type {(svg: SVGSVGElement, width: number) => Mark[]} */
  draw(svg, width) {
    const total = this.matrix.flat().reduce((a, b) => a + b, 0);
    if (!total) {
      svg.append(s("text", { x: width / 2, y: 30, "text-anchor": "middle" }, "after the first instances"));
      return [];
    }
    const [left, side] = [this.margin(width), this.cell(width)];
    const letters = Math.max(3, Math.floor(left / 7.4));
    /** @type {Mark[]} */
    const marks = [];
    svg.append(s("text", { x: left, y: 12 }, "taken for"));
    this.labels.forEach((label, place) => {
      const middle = place * side + side / 2;
      svg.append(s("text", { x: left - 8, y: 44 + middle + 4, "text-anchor": "end", class: "strong" }, short(label, letters)),
        s("text", { x: left + middle, y: 34, "text-anchor": "middle", class: "strong" }, short(label, Math.max(2, Math.floor(side / 8)))));
    });
    this.matrix.forEach((row, i) => {
      const sum = row.reduce((a, b) => a + b, 0) || 1;
      row.forEach((count, j) => {
        const [x, y] = [left + j * side, 44 + i * side];
        const cell = s("rect", { class: "cell", x, y, width: side, height: side, rx: 4, "fill-opacity": (0.05 + 0.6 * (count / sum)).toFixed(3) });
        svg.append(cell);
        if (side >= 16) svg.append(s("text", { x: x + side / 2, y: y + side / 2 + 4, "text-anchor": "middle", class: count ? "on" : "" }, String(count || "·")));
        marks.push({ x: x + side / 2, y: y + side / 2, text: `${this.labels[i]} taken for ${this.labels[j]}: ${count} of ${sum}` });
      });
    });
    return marks;
  }
}
