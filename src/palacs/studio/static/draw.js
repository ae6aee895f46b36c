// The drawing demo: draw what is asked for, see how well digits nobody drew here are read.

import { get, pathOf, post, problemOf } from "./api.js";
import { Lines } from "./charts.js";
import { colourOf } from "./colours.js";
import { brushOf, find, findA, h, named, percent, say, setWidth, typing } from "./dom.js";
import { follow } from "./live.js";
import { Pen } from "./pen.js";

/** @import { Drawing, DrawingProgress, DrawingRequest } from "./shapes.js" */
/** @typedef {{ next: DrawingRequest | null }} Next */

const DIGITS = [..."0123456789"];
const demo = "/demo/digits";
const button = {
  done: findA(HTMLButtonElement, "[data-done]"),
  clear: findA(HTMLButtonElement, "[data-clear]"),
  skip: findA(HTMLButtonElement, "[data-skip]"),
  undo: findA(HTMLButtonElement, "[data-undo]"),
};
const curve = new Lines(find("[data-curve]"), "Accuracy on the hold-out over your drawings");
const pen = new Pen(findA(HTMLCanvasElement, "[data-canvas]"), enable);

let campaign = "";
/** @type {DrawingRequest | null} */
let request = null;
/** @type {DrawingProgress | null} */
let progress = null;
let busy = true;

function enable() {
  pen.enabled = Boolean(request) && !busy;
  button.done.disabled = busy || !request || pen.empty;
  button.clear.disabled = busy || pen.empty;
  button.skip.disabled = busy || !request;
  button.undo.disabled = busy || !progress?.drawings.length;
}

/** @param {DrawingRequest | null} next */
function asking(next) {
  request = next;
  find("[data-verb]").textContent = next ? `Draw ${next.label === "8" ? "an" : "a"}` : "That is all";
  find("[data-digit]").textContent = next ? next.label : "";
  showHard();
}

/** @param {DrawingProgress} seen */
function showProgress(seen) {
  progress = seen;
  find("[data-accuracy]").textContent = percent(seen.accuracy);
  find("[data-acquired]").textContent = String(seen.acquired);
  curve.update([{ name: "accuracy", main: true, values: seen.curve.map((row) => ({ x: row.acquired, y: row.accuracy })) }], "drawings");
  showHard();
  const drawings = [...seen.drawings].reverse();
  find("[data-gallery]").replaceChildren(...drawings.map(thumbnail));
  find("[data-no-drawings]").hidden = drawings.length > 0;
}

function showHard() {
  if (!progress) return;
  const { acquired, counts, recall } = progress;
  const chances = request?.utilities ?? {};
  const highest = Math.max(...Object.values(chances).filter((value) => value !== null), 0) || 1;
  const rows = DIGITS.map((digit) => {
    const chance = chances[digit] ?? null;
    const drawn = counts[digit];
    const bar = h("span", { class: "fill" });
    setWidth(bar, chance === null ? Number(!drawn) : chance / highest);
    return h("tr", { class: `${colourOf(DIGITS, digit)} ${digit === request?.label ? "chosen" : ""}`, "data-digit-row": digit },
      h("td", {}, named(DIGITS, digit)),
      h("td", { class: "bar" }, h("div", { class: "track", "aria-hidden": "true" }, bar)),
      h("td", { class: "number" }, chance === null ? (drawn ? "–" : "first") : percent(chance)),
      h("td", { class: "number" }, percent(acquired ? recall[digit] : null)));
  });
  find("[data-hard]").replaceChildren(h("table", { class: "hard" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "digit"), h("td"), h("th", { scope: "col", class: "number" }, "asked"), h("th", { scope: "col", class: "number" }, "read"))),
    h("tbody", {}, rows)));
}

/** @param {Drawing} drawing */
function thumbnail(drawing) {
  const canvas = h("canvas", { width: 8, height: 8, role: "img", "aria-label": `a ${drawing.label} as 8 by 8 grey values` });
  const brush = brushOf(canvas);
  drawing.x.forEach((grey, place) => {
    brush.fillStyle = `rgb(${255 - grey * 15.9} ${255 - grey * 15.9} ${255 - grey * 15.9})`;
    brush.fillRect(place % 8, Math.floor(place / 8), 1, 1);
  });
  return h("li", { class: colourOf(DIGITS, drawing.label) }, canvas, drawing.label);
}

/** @param {() => Promise<void>} task */
async function run(task) {
  busy = true;
  enable();
  try {
    await task();
    say(find("[data-error]"), "");
  } catch (caught) {
    const problem = problemOf(caught);
    say(find("[data-error]"), problem.message);
    if (problem.status === 409 && campaign) await askNext();
  } finally {
    busy = false;
    enable();
  }
}

const path = () => `${demo}/${encodeURIComponent(campaign)}`;
/** @type {(text: string) => void} */
const verdict = (text) => { find("[data-verdict]").textContent = text; };

async function askNext() {
  /** @type {Next} */
  const { next } = await post(`${path()}/next`);
  asking(next);
}

const done = () => run(async () => {
  if (!request) return;
  /** @type {Next & DrawingProgress & { label: string, guess: string | null }} */
  const answer = await post(`${path()}/drawing`, { id: request.id, strokes: pen.strokes });
  pen.clear();
  if (answer.guess === null) verdict(`The first ${answer.label} it has ever seen.`);
  else verdict(answer.guess === answer.label ? `It read a ${answer.guess} before being told.` : `It took your ${answer.label} for a ${answer.guess}, and has learned from it.`);
  asking(answer.next);
  showProgress(answer);
});

const skip = () => run(async () => {
  if (!request) return;
  await post(`${pathOf(campaign)}/fail`, { id: request.id, reason: "skipped" });
  pen.clear();
  verdict("Skipped.");
  await askNext();
});

const undo = () => run(async () => {
  const last = progress?.drawings.at(-1);
  if (!last) return;
  await post(`${pathOf(campaign)}/retract`, { id: last.id, reason: "undone while drawing" });
  verdict(`Your last ${last.label} is taken back.`);
  showProgress(await get(`${path()}/progress`));
});

/** @param {boolean} afresh */
const begin = (afresh) => run(async () => {
  /** @type {Next & DrawingProgress & { name: string }} */
  const answer = await post(`${demo}/start`, afresh ? { afresh: true } : {});
  if (afresh) {
    location.reload();
    return;
  }
  campaign = answer.name;
  findA(HTMLAnchorElement, "[data-bench]").href = pathOf(campaign);
  pen.clear();
  asking(answer.next);
  showProgress(answer);
});

button.done.addEventListener("click", done);
button.clear.addEventListener("click", () => pen.clear());
button.skip.addEventListener("click", skip);
button.undo.addEventListener("click", undo);
find("[data-afresh]").addEventListener("click", () => begin(true));

const KEYS = new Map([["Enter", button.done], ["Escape", button.clear], ["s", button.skip], ["u", button.undo]]);
document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || typing(event)) return;
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
    if (busy || seen.seq === progress?.seq) return;
    showProgress(seen);
    if (!pen.strokes.length) await askNext();
    enable();
  });
}
