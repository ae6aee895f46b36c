// The drawing race: draw what palacs asks for, see two errors race, keep a card of the finish.

import { get, pathOf, post, problemOf } from "./api.js";
import { bitmapOf, cardOf } from "./card.js";
import { colourOf } from "./colours.js";
import { brushOf, find, findA, h, named, percent, say, typing } from "./dom.js";
import { follow } from "./live.js";
import { Pen } from "./pen.js";
import { RaceChart, raceOf } from "./race.js";
import { shortcutsOn } from "./shortcuts.js";

/** @import { Drawing, DrawingProgress, DrawingRequest } from "./shapes.js" */
/** @import { Stroke } from "./pen.js" */
/** @typedef {{ next: DrawingRequest | null, why: string }} Next */

const demo = "/demo/digits";
const button = {
  done: findA(HTMLButtonElement, "[data-done]"),
  clear: findA(HTMLButtonElement, "[data-clear]"),
  forMe: findA(HTMLButtonElement, "[data-for-me]"),
  undo: findA(HTMLButtonElement, "[data-undo]"),
  rest: findA(HTMLButtonElement, "[data-rest]"),
};
const picture = findA(HTMLImageElement, "[data-card]");
const chart = new RaceChart(find("[data-race]"), "Digits of other hands misread, over the drawings");
const pen = new Pen(findA(HTMLCanvasElement, "[data-canvas]"), enable);

// Which race this tab is in: loaded again, it is not in one that somebody else began meanwhile.
const RACE = "palacs race";
let campaign = "";
/** @type {DrawingRequest | null} */
let request = null;
/** @type {DrawingProgress | null} */
let progress = null;
let busy = true;
// Whether a program draws all the rest, until it is stopped.
let running = false;
// Whether a program drew what is on the canvas.
let byProgram = false;
/** @type {ShareData} */
let shareable = {};

function enable() {
  byProgram &&= !pen.empty;
  pen.enabled = Boolean(request) && !busy;
  button.done.disabled = busy || !request || pen.empty;
  button.clear.disabled = busy || pen.empty;
  button.forMe.disabled = busy || running || !request;
  button.undo.disabled = busy || running || !progress?.drawings.length;
  button.rest.disabled = !request;
  button.rest.textContent = running ? "Stop the program" : "Let a program draw the rest";
}

/** @param {Next} answer */
function asking({ next, why }) {
  request = next;
  find("[data-verb]").textContent = next ? "Draw a" : "Finished";
  find("[data-digit]").textContent = next ? next.label : "";
  find("[data-why]").textContent = progress && progress.drawings.length >= progress.symbols.length ? why : "";
}

/** @param {DrawingProgress} seen */
function showProgress(seen) {
  progress = seen;
  find("[data-asked]").textContent = percent(seen.asked.at(-1), 1);
  find("[data-equal]").textContent = percent(seen.equal.at(-1), 1);
  find("[data-acquired]").textContent = String(seen.drawings.length);
  find("[data-judges]").textContent = String(seen.judges);
  find("[data-stand-ins]").textContent = String(seen.stand_ins);
  chart.update(raceOf(seen));
  showCounts(seen);
  const drawings = [...seen.drawings].reverse();
  find("[data-gallery]").replaceChildren(...drawings.map((drawing) => thumbnail(drawing, seen.symbols)));
  find("[data-no-drawings]").hidden = drawings.length > 0;
  showFinish(seen);
}

/** @param {DrawingProgress} seen */
function showCounts({ symbols, counts, equal_counts: equally }) {
  find("[data-counts]").replaceChildren(h("table", { class: "counts" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "drawings of"), ...symbols.map((symbol) => h("th", { scope: "col", class: "number" }, symbol)))),
    h("tbody", {}, ...[counts, equally].map((row, side) =>
      h("tr", {}, h("th", { scope: "row" }, side ? "asked equally" : "asked by palacs"), ...row.map((count) => h("td", { class: "number" }, String(count))))))));
}

/**
 * @param {Drawing} drawing
 * @param {string[]} symbols
 */
function thumbnail(drawing, symbols) {
  const canvas = h("canvas", { width: 8, height: 8, role: "img", "aria-label": `a ${drawing.label} as 8 by 8 grey values` });
  const brush = brushOf(canvas);
  drawing.x.forEach((grey, place) => {
    brush.fillStyle = `rgb(${255 - grey * 15.9} ${255 - grey * 15.9} ${255 - grey * 15.9})`;
    brush.fillRect(place % 8, Math.floor(place / 8), 1, 1);
  });
  return h("li", { class: colourOf(symbols, drawing.label) }, canvas, named(symbols, drawing.label));
}

/** @type {(kind: string, part: BlobPart) => string} */
const urlOf = (kind, part) => URL.createObjectURL(new Blob([part], { type: kind }));

/** @param {DrawingProgress} seen */
async function showFinish(seen) {
  const sentence = seen.outcome?.sentence ?? "";
  const card = find("[data-finish]");
  if (card.hidden === !sentence && find("[data-outcome]").textContent === sentence) return;
  card.hidden = !sentence;
  find("[data-outcome]").textContent = sentence;
  if (!sentence) return;
  const svg = urlOf("image/svg+xml", cardOf(seen));
  picture.src = svg;
  picture.alt = `${sentence} Two curves: the share misread over 30 drawings, asked by palacs and asked equally.`;
  findA(HTMLAnchorElement, "[data-save-svg]").href = svg;
  await picture.decode();
  const bitmap = await bitmapOf(picture);
  findA(HTMLAnchorElement, "[data-save-png]").href = urlOf("image/png", bitmap);
  const file = new File([bitmap], "palacs-race.png", { type: "image/png" });
  shareable = { files: [file], text: sentence };
  find("[data-share]").hidden = !navigator.canShare?.(shareable);
}

/** @param {() => Promise<void>} task */
async function run(task) {
  busy = true;
  enable();
  try {
    await task();
    say(find("[data-error]"), "");
  } catch (caught) {
    running = false;
    const problem = problemOf(caught);
    say(find("[data-error]"), problem.message);
    if (problem.status === 409 && campaign) asking(await post(`${path()}/next`));
  } finally {
    busy = false;
    enable();
  }
}

const path = () => `${demo}/${encodeURIComponent(campaign)}`;
/** @type {(text: string) => void} */
const verdict = (text) => { find("[data-verdict]").textContent = text; };

const done = () => run(async () => {
  if (!request) return;
  /** @type {Next & DrawingProgress & { label: string, guess: string | null }} */
  const answer = await post(`${path()}/drawing`, { id: request.id, strokes: pen.strokes, by_program: byProgram });
  pen.clear();
  const { guess, label } = answer;
  if (guess === null) verdict(`The first ${label} it has ever seen.`);
  else verdict(guess === label ? `It read a ${label} before being told.` : `It took your ${label} for a ${guess}, and has learned from it.`);
  showProgress(answer);
  asking(answer);
  if (!answer.next) find("[data-finish]").scrollIntoView({ block: "nearest" });
});

/** Lets a program draw what is asked for; it is told when the person says so. */
const forMe = () => run(async () => {
  if (!request) return;
  /** @type {{ strokes: Stroke[] }} */
  const { strokes } = await get(`${path()}/drawn-for-you?label=${encodeURIComponent(request.label)}`);
  const size = pen.canvas.width / 100;
  pen.show(strokes.map((stroke) => stroke.map(([x, y]) => [x * size, y * size])));
  byProgram = true;
  verdict("Drawn by a program. Say Done, or draw it yourself.");
});

async function rest() {
  running = !running;
  enable();
  await drawOn();
  running = false;
  enable();
}

/** @returns {Promise<void>} */
async function drawOn() {
  if (!running || !request) return;
  await forMe();
  if (running) await done();
  await drawOn();
}

const undo = () => run(async () => {
  /** @type {Next & DrawingProgress} */
  const answer = await post(`${path()}/undo`);
  verdict("Your last drawing is taken back.");
  showProgress(answer);
  asking(answer);
});

/** @param {boolean} afresh */
const begin = (afresh) => run(async () => {
  /** @type {Next & DrawingProgress & { name: string }} */
  const answer = await post(`${demo}/start`, afresh ? { afresh: true } : { name: sessionStorage.getItem(RACE) });
  sessionStorage.setItem(RACE, answer.name);
  if (afresh) {
    location.reload();
    return;
  }
  campaign = answer.name;
  findA(HTMLAnchorElement, "[data-bench]").href = pathOf(campaign);
  pen.clear();
  showProgress(answer);
  asking(answer);
});

button.done.addEventListener("click", done);
button.clear.addEventListener("click", () => pen.clear());
button.forMe.addEventListener("click", forMe);
button.undo.addEventListener("click", undo);
button.rest.addEventListener("click", rest);
find("[data-share]").addEventListener("click", () => navigator.share(shareable).catch(() => { /* they changed their mind */ }));
for (const again of ["[data-afresh]", "[data-again]"]) find(again).addEventListener("click", () => begin(true));

const KEYS = new Map([["Enter", button.done], ["Escape", button.clear], ["d", button.forMe], ["u", button.undo]]);
document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || typing(event) || !shortcutsOn()) return;
  const inPlace = event.target instanceof Element && event.target.closest("button, a, summary");
  if (event.key === "Enter" && inPlace) return;
  const key = KEYS.get(event.key);
  if (!key || key.disabled) return;
  event.preventDefault();
  key.click();
});

await begin(false);
if (campaign) {
  follow(campaign, async () => {
    /** @type {DrawingProgress} */
    const seen = await get(`${path()}/progress`);
    if (busy || running || seen.seq === progress?.seq) return;
    showProgress(seen);
    if (!pen.strokes.length) asking(await post(`${path()}/next`));
    enable();
  });
}
