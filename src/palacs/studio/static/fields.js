// The charts of the look inside: curves over one feature, fields over two.

import { colourOf, dashOf, paintOf, placeOf, shapeAt } from "./colours.js";
import { brushOf, h, named, s } from "./dom.js";
import { Frame, scale, ticks } from "./frame.js";
import { brief, fixed } from "./locale.js";

/** @import { Box } from "./charts.js" */
/** @import { Draw, Mark } from "./frame.js" */
/** @import { Instance, Label } from "./shapes.js" */

/**
 * @typedef {object} Curve
 * @property {string} name
 * @property {Label} [label] The class whose colour it has.
 * @property {number[]} values
 * @property {boolean} [dashed]
 * @property {boolean | "only"} [area] Shaded below, with a line on top or without.
 */

// Curves over one feature; the instances lie on the axis.
export class Curves {
  /**
   * @param {HTMLElement} parent
   * @param {string} label
   * @param {number} height
   */
  constructor(parent, label, height = 170) {
    /** @type {number[]} */
    this.xs = [];
    /** @type {Curve[]} */
    this.curves = [];
    /** @type {Label[]} */
    this.classes = [];
    /** @type {Instance[]} */
    this.points = [];
    /** @type {number | null} */
    this.top = null;
    this.frame = new Frame(parent, label, height, (svg, width, tall) => this.draw(svg, width, tall));
  }

  /**
   * @param {number[]} xs
   * @param {Curve[]} curves
   * @param {Label[]} classes
   * @param {{ points?: Instance[], top?: number | null, legend?: boolean }} how
   */
  update(xs, curves, classes, { points = [], top = null, legend = false } = {}) {
    Object.assign(this, { xs, curves, classes, points, top });
    this.frame.legend.replaceChildren(...(legend ? curves.map((one) => (one.label === undefined
      ? h("li", {}, h("span", { class: one.area ? "dot" : "thick", "aria-hidden": "true" }), one.name)
      : h("li", {}, named(classes, one.label)))) : []));
    const every = Math.ceil(xs.length / 25);
    this.frame.tabulate(["feature", ...curves.map((one) => one.name)],
      () => xs.map((x, i) => [brief(x), ...curves.map((one) => brief(one.values[i]))]).filter((_, i) => i % every === 0));
    this.frame.render();
  }

  /** @type {Draw} */
  draw(svg, width, height) {
    const box = { left: 8, right: width - 8, top: 8, bottom: height - 24 };
    const x = scale([this.xs[0], this.xs[this.xs.length - 1]], [box.left, box.right]);
    const highest = this.top ?? Math.max(...this.curves.flatMap((one) => one.values));
    const y = scale([0, (highest || 1) * 1.06], [box.bottom, box.top]);
    const across = ticks(this.xs[0], this.xs[this.xs.length - 1], Math.max(2, width / 90));
    svg.append(s("line", { class: "axis", x1: box.left, x2: box.right, y1: box.bottom, y2: box.bottom }));
    for (const at of across.found) {
      svg.append(s("text", { x: x(at), y: box.bottom + 17, "text-anchor": "middle" }, fixed(at, across.digits)));
    }
    /** @type {Mark[]} */
    const marks = [];
    for (const one of this.curves) {
      const tint = colourOf(this.classes, one.label);
      const spots = one.values.map((value, i) => `${x(this.xs[i]).toFixed(1)} ${y(value).toFixed(1)}`);
      if (one.area) svg.append(s("path", { class: `area ${tint}`, d: `M${box.left} ${box.bottom}L${spots.join("L")}L${box.right} ${box.bottom}Z` }));
      if (one.area !== "only") svg.append(s("path", { class: `line ${tint} ${one.dashed ? "dashed" : ""}`, "stroke-dasharray": one.label === undefined ? null : dashOf(placeOf(this.classes, one.label)), d: `M${spots.join("L")}` }));
      const peak = one.values.indexOf(Math.max(...one.values));
      marks.push({ x: x(this.xs[peak]), y: y(one.values[peak]), text: `${one.name}\nhighest at ${brief(this.xs[peak])}: ${brief(one.values[peak])}` });
    }
    for (const point of this.points) {
      const cx = x(point.x[0]);
      svg.append(this.mark(point, cx, box.bottom));
      marks.push({ x: cx, y: box.bottom, text: `${point.label} at ${brief(point.x[0])}` });
    }
    return marks;
  }

  /** @type {(point: Instance, x: number, y: number) => SVGElement} */
  mark({ label }, x, y) {
    return s("path", { class: `mark ${colourOf(this.classes, label)}`, d: shapeAt(placeOf(this.classes, label), x, y, 5) });
  }
}

// One quantity over two features as a field of shaded cells, with the instances on top.
export class Field {
  /**
   * @param {HTMLElement} parent
   * @param {string} label
   */
  constructor(parent, label) {
    /** @type {number[]} */
    this.xs = [];
    /** @type {number[]} */
    this.ys = [];
    /** @type {number[][]} */
    this.values = [];
    /** @type {Label[]} */
    this.classes = [];
    /** @type {Label | undefined} */
    this.label = undefined;
    /** @type {Instance[]} */
    this.points = [];
    /** @type {number | null} */
    this.top = null;
    this.frame = new Frame(parent, label, (width) => Math.min(340, width * 0.8), (svg, width, height) => this.draw(svg, width, height));
  }

  /**
   * @param {number[]} xs
   * @param {number[]} ys
   * @param {number[][]} values A row for each of `ys`.
   * @param {Label[]} classes
   * @param {object} how
   * @param {Label} [how.label] The class whose colour shades the field; grey without.
   * @param {Instance[]} [how.points]
   * @param {number | null} [how.top]
   */
  update(xs, ys, values, classes, { label, points = [], top = null }) {
    Object.assign(this, { xs, ys, values, classes, label, points, top });
    this.frame.tabulate(["feature 1", "feature 2", "value"], () => highestCells(xs, ys, values, 20).map((row) => row.map(brief)));
    this.frame.render();
  }

  /** @type {Draw} */
  draw(svg, width, height) {
    const box = { left: 34, right: width - 4, top: 4, bottom: height - 24 };
    const x = scale([this.xs[0], this.xs[this.xs.length - 1]], [box.left, box.right]);
    const y = scale([this.ys[0], this.ys[this.ys.length - 1]], [box.bottom, box.top]);
    const highest = (this.top ?? Math.max(...this.values.flat())) || 1;
    svg.append(this.image(box, highest));
    const [across, up] = [ticks(this.xs[0], this.xs[this.xs.length - 1], Math.max(2, width / 100)), ticks(this.ys[0], this.ys[this.ys.length - 1], 4)];
    for (const at of across.found) svg.append(s("text", { x: x(at), y: box.bottom + 16, "text-anchor": "middle" }, fixed(at, across.digits)));
    for (const at of up.found) svg.append(s("text", { x: box.left - 5, y: y(at) + 4, "text-anchor": "end" }, fixed(at, up.digits)));
    return this.points.map((point) => {
      const [cx, cy] = [x(point.x[0]), y(point.x[1])];
      svg.append(s("path", { class: `mark ${colourOf(this.classes, point.label)}`, d: shapeAt(placeOf(this.classes, point.label), cx, cy, 4) }));
      return { x: cx, y: cy, text: `${point.label}\n${brief(point.x[0])}, ${brief(point.x[1])}` };
    });
  }

  /**
   * One pixel per grid point, smoothed by the browser: thousands of rectangles would be slow.
   * @param {Box} box
   * @param {number} highest
   */
  image(box, highest) {
    const canvas = h("canvas", { width: this.xs.length, height: this.ys.length });
    const brush = brushOf(canvas);
    brush.fillStyle = paintOf(this.classes, this.label);
    this.values.forEach((row, j) => row.forEach((value, i) => {
      brush.globalAlpha = Math.min(1, 0.92 * Math.sqrt(Math.max(0, value) / highest));
      brush.fillRect(i, this.ys.length - 1 - j, 1, 1);
    }));
    return s("image", {
      x: box.left, y: box.top, width: box.right - box.left, height: box.bottom - box.top,
      preserveAspectRatio: "none", href: canvas.toDataURL(),
    });
  }
}

/** @type {(xs: number[], ys: number[], values: number[][], count: number) => number[][]} */
function highestCells(xs, ys, values, count) {
  const cells = values.flatMap((row, j) => row.map((value, i) => [xs[i], ys[j], value]));
  return cells.sort((a, b) => b[2] - a[2]).slice(0, count);
}
