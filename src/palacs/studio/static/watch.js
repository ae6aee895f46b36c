// Watch it work: two strategies on one problem, step by step. Nothing moves unless somebody says so.

import { get, problemOf } from "./api.js";
import { find, findA, h, named, percent, say } from "./dom.js";
import { Plane } from "./plane.js";
import { RaceChart } from "./race.js";

/** @import { WatchedTrial } from "./shapes.js" */
/** @import { Look } from "./race.js" */

const problem = findA(HTMLSelectElement, "[data-problem]");
const scrub = findA(HTMLInputElement, "[data-scrub]");
const play = findA(HTMLButtonElement, "[data-play]");
const chart = new RaceChart(find("[data-race]"), "Error of both strategies over the requests");
/** @type {Look[]} */
const LOOKS = ["asked", "equal"];
const sides = LOOKS.map((look) => {
  const panel = find(`[data-side="${look}"]`);
  return { look, panel, strategy: findA(HTMLSelectElement, "select", panel), plane: new Plane(find("[data-plane]", panel)) };
});
// Who does not want motion gets a slow one, and only after pressing Play.
const PACE_MS = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1500 : 300;

let seed = 0;
let step = 0;
let ticking = 0;
// Of several choices in a row the last one counts.
let wanted = 0;
/** @type {WatchedTrial[]} */
let trials = [];

const last = () => (trials.length ? trials[0].errors.length - 1 : 0);

/** @type {(on: boolean) => void} What was played before is not shown under another choice. */
function working(on) {
  find("main").classList.toggle("working", on);
  for (const control of [scrub, play, ...["[data-back]", "[data-step]"].map((selector) => findA(HTMLButtonElement, selector))]) control.disabled = on;
}

async function load() {
  stop();
  working(true);
  wanted += 1;
  const mine = wanted;
  find("[data-status]").textContent = "Playing the trials …";
  try {
    /** @type {WatchedTrial[]} */
    const found = [];
    for (const side of sides) {
      const asked = new URLSearchParams({ problem: problem.value, strategy: side.strategy.value, seed: String(seed) });
      found.push(await get(`/watch?${asked}`));
    }
    if (mine !== wanted) return;
    trials = found;
    say(find("[data-error]"), "");
  } catch (caught) {
    if (mine !== wanted) return;
    find("[data-status]").textContent = "";
    say(find("[data-error]"), problemOf(caught).message);
    return;
  }
  working(false);
  scrub.max = String(last());
  find("[data-about]").textContent = trials[0].about;
  show(Math.min(step, last()));
}

/** @param {number} to */
function show(to) {
  if (!trials.length) return;
  step = Math.max(0, Math.min(last(), to));
  scrub.value = String(step);
  scrub.setAttribute("aria-valuetext", `${step} of ${last()} requests`);
  sides.forEach(({ panel, plane }, place) => {
    const trial = trials[place];
    plane.draw(trial, step);
    const counts = trial.classes.map((_, code) => trial.labels.slice(0, trial.classes.length + step).filter((one) => one === code).length);
    plane.canvas.setAttribute("aria-label", `${trial.title}: ${trial.classes.map((label, code) => `${counts[code]} of ${label}`).join(", ")}, and which class each place is taken for`);
    find("[data-error-now]", panel).textContent = percent(trial.errors[step], 1);
    find("[data-counts]", panel).replaceChildren(...trial.classes.map((label, code) => h("li", {}, named(trial.classes, label), ` × ${counts[code]}`)));
  });
  chart.update({
    sides: sides.map(({ look }, place) => ({ look, name: trials[place].title, values: trials[place].errors.slice(1, step + 1) })),
    finish: last(), top: Math.max(0.1, ...trials.flatMap((trial) => trial.errors)) * 1.05, unit: "requests",
  });
  if (!ticking) find("[data-status]").textContent = sentence();
}

function sentence() {
  if (step === 0) return "One instance of every class, the same on both sides.";
  const asked = trials.map((trial) => `${trial.title} asked for ${trial.classes[trial.labels[trial.classes.length + step - 1]]}`);
  return `Request ${step} of ${last()}: ${asked.join(", ")}.`;
}

function stop() {
  clearInterval(ticking);
  ticking = 0;
  play.textContent = "Play";
}

play.addEventListener("click", () => {
  if (ticking) {
    stop();
    show(step);
    return;
  }
  if (step === last()) show(0);
  play.textContent = "Pause";
  ticking = setInterval(() => {
    show(step + 1);
    if (step < last()) return;
    stop();
    show(step);
  }, PACE_MS);
});
for (const [selector, by] of /** @type {[string, number][]} */ ([["[data-back]", -1], ["[data-step]", 1]])) {
  find(selector).addEventListener("click", () => {
    stop();
    show(step + by);
  });
}
scrub.addEventListener("input", () => {
  stop();
  show(Number(scrub.value));
});
find("[data-another]").addEventListener("click", () => {
  seed = (seed + 1) % 1000;
  load();
});
for (const choice of [problem, ...sides.map(({ strategy }) => strategy)]) choice.addEventListener("change", load);
// The planes are painted in the colours of the theme.
new MutationObserver(() => show(step)).observe(document.documentElement, { attributeFilter: ["data-theme"] });

await load();
