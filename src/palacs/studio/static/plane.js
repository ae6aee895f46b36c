// What a classifier knows of a plane: its decision regions, and the instances it learned from.
// A class has its colour and its shape, in the regions too.

import { brushOf, h } from "./dom.js";
import { paintOf, shapeAt } from "./colours.js";
import { scale } from "./frame.js";

/** @import { WatchedTrial } from "./shapes.js" */

const SIZE = 480;
// Of how many cells in a row one says by its shape which class it is.
const TELLING = 5;

export class Plane {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.canvas = h("canvas", { width: SIZE, height: SIZE, role: "img" });
    parent.replaceChildren(this.canvas);
  }

  /**
   * @param {WatchedTrial} trial
   * @param {number} step How many requests were answered.
   */
  draw(trial, step) {
    const brush = brushOf(this.canvas);
    const paints = trial.classes.map((label) => paintOf(trial.classes, label));
    brush.clearRect(0, 0, SIZE, SIZE);
    this.drawRegions(brush, trial, trial.regions[step], paints);
    const across = scale([trial.low, trial.high], [0, SIZE]);
    const up = scale([trial.low, trial.high], [SIZE, 0]);
    const shown = trial.classes.length + step;
    brush.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--card").trim();
    trial.points.slice(0, shown).forEach(([x, y], n) => {
      const latest = step > 0 && n === shown - 1;
      const shape = new Path2D(shapeAt(trial.labels[n], across(x), up(y), latest ? 11 : 6.5));
      brush.fillStyle = paints[trial.labels[n]];
      brush.lineWidth = 2;
      brush.fill(shape);
      brush.stroke(shape);
    });
    if (step > 0) this.ring(brush, across(trial.points[shown - 1][0]), up(trial.points[shown - 1][1]));
  }

  /**
   * @param {CanvasRenderingContext2D} brush
   * @param {WatchedTrial} trial
   * @param {string} regions
   * @param {string[]} paints
   */
  drawRegions(brush, trial, regions, paints) {
    const cell = SIZE / trial.side;
    for (let place = 0; place < regions.length; place += 1) {
      const [column, row] = [place % trial.side, Math.floor(place / trial.side)];
      const code = Number(regions[place]);
      const [left, top] = [column * cell, SIZE - (row + 1) * cell];
      brush.fillStyle = paints[code];
      brush.globalAlpha = 0.2;
      brush.fillRect(left, top, cell, cell);
      if (column % TELLING === 2 && row % TELLING === 2) {
        brush.globalAlpha = 0.4;
        brush.fill(new Path2D(shapeAt(code, left + cell / 2, top + cell / 2, 3)));
      }
    }
    brush.globalAlpha = 1;
  }

  /** @type {(brush: CanvasRenderingContext2D, x: number, y: number) => void} */
  ring(brush, x, y) {
    brush.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--ink").trim();
    brush.lineWidth = 2.5;
    brush.beginPath();
    brush.arc(x, y, 18, 0, 2 * Math.PI);
    brush.stroke();
  }
}
