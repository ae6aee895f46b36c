// What is taken for what: a matrix that can be zoomed, at any number of classes. A cell sums several
// classes where there are many; a click or Enter goes into it, Escape or "Out" goes back. In words
// the most frequent confusions stand above it.

import { short } from "./charts.js";
import { h, s } from "./dom.js";
import { Frame } from "./frame.js";
import { percent, whole } from "./locale.js";

/** @import { Mark } from "./frame.js" */
/** @import { Block } from "./shapes.js" */
/** @typedef {{ row: number, column: number, size: number }} View */
/** @typedef {(view: View) => Promise<Block>} Fetch */

const WHOLE = { row: 0, column: 0, size: 2 ** 31 - 1 };
const SMALLEST = 4;
const ROOM = 34; // pixels that a name needs at least

export class Matrix {
  /**
   * @param {HTMLElement} parent
   * @param {string} label
   * @param {Fetch} fetch Brings a part of the matrix.
   */
  constructor(parent, label, fetch) {
    this.fetch = fetch;
    /** @type {Block | null} */
    this.block = null;
    /** @type {View[]} */
    this.views = [WHOLE];
    this.empty = "after the first instances";
    const chart = h("div");
    this.where = h("p", { class: "help", role: "status" });
    /** @type {(text: string, name: string, act: () => void) => HTMLButtonElement} */
    const button = (text, name, act) => h("button", { class: "button small", type: "button", "aria-label": name, onclick: act }, text);
    this.into = button("In", "Zoom into the matrix", () => this.zoom(this.frame.at));
    this.out = button("Out", "Zoom out of the matrix", () => this.back());
    this.all = button("All", "Show the whole matrix", () => this.go([WHOLE]));
    this.bar = h("div", { class: "row zoom", hidden: true }, this.into, this.out, this.all, this.where);
    parent.replaceChildren(this.bar, chart);
    this.frame = new Frame(chart, label, (width) => this.size(width), (svg, width) => this.draw(svg, width));
    this.frame.svg.addEventListener("click", () => this.zoom(this.frame.at));
    this.frame.svg.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === "+") this.zoom(this.frame.at);
      else if (event.key === "Escape" || event.key === "-") this.back();
      else return;
      event.preventDefault();
    });
  }

  async update() {
    await this.go(this.views);
  }

  /** @param {View[]} views */
  async go(views) {
    this.block = await this.fetch(views[views.length - 1]);
    this.views = views;
    this.show();
  }

  /**
   * Shows one confusion with the classes around it.
   * @type {(row: number, column: number) => void}
   */
  goTo(row, column) {
    const size = 2 * SMALLEST + 1;
    this.go([WHOLE, { row: Math.max(0, row - SMALLEST), column: Math.max(0, column - SMALLEST), size }]);
    this.frame.root.scrollIntoView({ block: "nearest" });
  }

  back() {
    if (this.views.length > 1) this.go(this.views.slice(0, -1));
  }

  /** @param {number} place Of the cell that is pointed at; -1 is none. */
  zoom(place) {
    const { block } = this;
    if (!block || !this.canZoom()) return;
    const along = block.rows.length;
    const [i, j] = place < 0 ? [0, 0] : [Math.floor(place / along), place % along];
    const size = block.step > 1 ? Math.max(SMALLEST, block.step) : Math.max(SMALLEST, Math.ceil(block.size / 3));
    // Cells that sum classes open exactly; single classes keep their neighbours around them.
    const around = block.step > 1 ? 0 : Math.floor((size - 1) / 2);
    const row = Math.max(0, block.row + i * block.step - around);
    const column = Math.max(0, block.column + j * block.step - around);
    this.go([...this.views, { row, column, size }]);
  }

  canZoom() {
    return this.block !== null && this.block.size > 2 * SMALLEST;
  }

  show() {
    const { block } = this;
    if (!block) return;
    const last = block.size - 1;
    this.bar.hidden = block.n_classes <= 2 * SMALLEST;
    this.into.disabled = !this.canZoom();
    this.out.disabled = this.all.disabled = this.views.length < 2;
    this.where.textContent = this.views.length < 2
      ? (block.step > 1 ? `Each cell sums ${whole(block.step)} by ${whole(block.step)} classes.` : "")
      : `Classes ${whole(block.row + 1)} to ${whole(block.row + last + 1)}, taken for ${whole(block.column + 1)} to ${whole(block.column + last + 1)}, of ${whole(block.n_classes)}.`;
    this.frame.tabulate(["class", "taken for", "times", "of"], () =>
      [...block.cells].sort((a, b) => b[2] - a[2]).slice(0, 200)
        .map(([i, j, count]) => [this.name(block.rows, i), this.name(block.columns, j), whole(count), whole(block.of[i])]));
    this.frame.render();
  }

  /** @type {(labels: (string | number)[], place: number) => string} */
  name(labels, place) {
    const { step } = this.block ?? { step: 1 };
    return step > 1 ? `${labels[place]} and ${whole(step - 1)} more` : String(labels[place]);
  }

  /** @param {number} width */
  size(width) {
    return this.block?.cells.length ? this.cell(width) * this.block.rows.length + 62 : 60;
  }

  /** @param {number} width */
  cell(width) {
    return Math.min(58, (width - this.margin(width)) / (this.block?.rows.length ?? 1));
  }

  /** @param {number} width */
  margin(width) {
    const longest = Math.max(...(this.block?.rows ?? []).map((label) => String(label).length));
    return Math.min(width * 0.34, 16 + 7.4 * longest);
  }

  /** @type {(svg: SVGSVGElement, width: number) => Mark[]} */
  draw(svg, width) {
    const { block } = this;
    if (!block?.cells.length) {
      svg.append(s("text", { x: width / 2, y: 30, "text-anchor": "middle" }, this.views.length > 1 ? "nothing is decided so here" : this.empty));
      return [];
    }
    const [left, side, along] = [this.margin(width), this.cell(width), block.rows.length];
    const letters = Math.max(3, Math.floor(left / 7.4));
    // Names that would lie on top of each other are left out; every cell says its own.
    const [every, apart] = [Math.ceil(13 / side), Math.ceil(ROOM / side)];
    svg.append(s("text", { x: left, y: 12 }, "taken for"),
      s("rect", { class: "ground", x: left, y: 44, width: side * along, height: side * along, "fill-opacity": "0.05" }));
    for (let place = 0; place < along; place += 1) {
      const middle = place * side + side / 2;
      if (place % every === 0) svg.append(s("text", { x: left - 8, y: 44 + middle + 4, "text-anchor": "end", class: "strong" }, short(block.rows[place], letters)));
      if (place % apart === 0 && place + apart <= along) {
        const at = apart > 1 ? { x: left + place * side, "text-anchor": "start" } : { x: left + middle, "text-anchor": "middle" };
        svg.append(s("text", { ...at, y: 34, class: "strong" }, short(block.columns[place], Math.max(2, Math.floor((apart * side) / 8)))));
      }
    }
    const counts = new Map(block.cells.map(([i, j, count]) => [i * along + j, count]));
    /** @type {Mark[]} */
    const marks = [];
    for (let i = 0; i < along; i += 1) {
      for (let j = 0; j < along; j += 1) {
        const count = counts.get(i * along + j) ?? 0;
        marks.push({ ...this.paint(svg, i, j, count, left, side), text: this.words(block, i, j, count) });
      }
    }
    return marks;
  }

  /** @type {(block: Block, i: number, j: number, count: number) => string} */
  words(block, i, j, count) {
    const share = block.of[i] ? ` (${percent(count / block.of[i])})` : "";
    return `${this.name(block.rows, i)} taken for ${this.name(block.columns, j)}: ${whole(count)} of ${whole(block.of[i])}${share}`;
  }

  /** @type {(svg: SVGSVGElement, i: number, j: number, count: number, left: number, side: number) => { x: number, y: number }} */
  paint(svg, i, j, count, left, side) {
    const [x, y] = [left + j * side, 44 + i * side];
    const of = this.block?.of[i] || 1;
    if (count || side >= 16) svg.append(s("rect", { class: "cell", x, y, width: side, height: side, rx: Math.min(4, side / 5), "fill-opacity": (0.05 + 0.6 * (count / of)).toFixed(3) }));
    if (side >= 16) svg.append(s("text", { x: x + side / 2, y: y + side / 2 + 4, "text-anchor": "middle", class: count ? "on" : "" }, count ? String(count) : "·"));
    return { x: x + side / 2, y: y + side / 2 };
  }
}
