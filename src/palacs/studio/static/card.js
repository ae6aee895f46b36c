// The card at the finish: a picture of the race that needs nothing from here to be looked at, as
// SVG or PNG, to save or to share.

import { brushOf, percent, s } from "./dom.js";
import { drawRace, raceOf } from "./race.js";

/** @import { DrawingProgress } from "./shapes.js" */

const [WIDTH, HEIGHT] = [640, 460];
// Characters in a line, of the widest font that may have to do.
const LINE = 74;
const INK = "#1f2430";
const MUTED = "#5d6675";
// What styles are to a page, attributes are to a picture that stands alone.
/** @type {[selector: string, look: Record<string, string>][]} */
const LOOKS = [
  ["text", { "font-family": "Georgia, 'DejaVu Serif', serif", "font-size": "14", fill: MUTED }],
  [".grid", { stroke: "#e3e1dc" }],
  [".axis", { stroke: "#b9b6ae" }],
  [".finish", { stroke: "#b9b6ae", "stroke-dasharray": "2 4" }],
  [".line", { fill: "none", "stroke-width": "2.5", "stroke-linejoin": "round" }],
  [".line.asked", { stroke: "#b54708", "stroke-width": "3.5" }],
  [".line.equal", { stroke: "#3f73b3", "stroke-dasharray": "7 4" }],
  [".mark.asked", { fill: "#b54708" }],
  [".mark.equal", { fill: "#3f73b3" }],
  [".title", { "font-size": "25", "font-weight": "600", fill: INK }],
];

/** @type {(text: string, most: number) => string[]} */
function wrapped(text, most) {
  /** @type {string[]} */
  const lines = [""];
  for (const word of text.split(" ")) {
    if (`${lines[lines.length - 1]} ${word}`.trim().length > most) lines.push(word);
    else lines[lines.length - 1] = `${lines[lines.length - 1]} ${word}`.trim();
  }
  return lines;
}

/**
 * @param {DrawingProgress} race
 * @returns {string} The card as an SVG file.
 */
export function cardOf(race) {
  const svg = s("svg", { width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
  const [headline, ...rest] = (race.outcome?.sentence ?? "").split(/(?<=[:.]) /);
  svg.append(s("rect", { width: WIDTH, height: HEIGHT, rx: 18, fill: "#fbfaf8" }),
    s("text", { class: "title", x: 28, y: 46 }, headline.replace(/:$/, "")));
  const under = wrapped(rest.join(" ").replace(/^./, (first) => first.toUpperCase()), LINE);
  under.forEach((line, n) => svg.append(s("text", { x: 28, y: 72 + 19 * n }, line)));
  const last = race.finish - 1;
  const counts = race.symbols.map((symbol, place) => `${race.counts[place]} × ${symbol}`).join(", ");
  const words = [
    `Misread at the finish: ${percent(race.asked[last], 1)} as palacs asked (solid), ${percent(race.equal[last], 1)} asked equally (dashed).`,
    `palacs asked for ${counts}. Judged on ${race.judges} digits by other hands; ${race.stand_ins} of the ${race.finish} drawings for equal counts had to come from other hands too.${race.by_program ? ` A program drew ${race.by_program} for the visitor.` : ""}`,
  ];
  const foot = wrapped(words.join(" "), LINE);
  foot.forEach((line, n) => svg.append(s("text", { x: 28, y: HEIGHT - 20 - 18 * (foot.length - 1 - n) }, line)));
  drawRace(svg, raceOf(race), { left: 72, right: WIDTH - 28, top: 66 + 19 * under.length, bottom: HEIGHT - 60 - 18 * foot.length });
  for (const [selector, look] of LOOKS) {
    for (const element of svg.querySelectorAll(selector)) {
      for (const [name, value] of Object.entries(look)) element.setAttribute(name, value);
    }
  }
  return new XMLSerializer().serializeToString(svg);
}

/**
 * The same as a bitmap, twice as large.
 * @param {HTMLImageElement} picture Of the card, loaded.
 * @returns {Promise<Blob>}
 */
export function bitmapOf(picture) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * WIDTH, 2 * HEIGHT];
  brushOf(canvas).drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("This browser makes no PNG; save the SVG."))), "image/png");
  });
}
