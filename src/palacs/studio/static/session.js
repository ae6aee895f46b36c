// A session: the timeline runs by itself and the participant sees the cue and nothing else. When
// each thing was painted is noted with the request, by this page's clock and with the offset to
// the studio's.

import { campaignOfPage, get, pathOf, post, problemOf, sentence } from "./api.js";
import { colourOf } from "./colours.js";
import { find, findA } from "./dom.js";
import { seat } from "./seat.js";
import { Sounds } from "./sounds.js";
import { listen } from "./stream.js";
import { Clock, now, painted, sleep, until } from "./timing.js";

/** @import { Cue, Label, Shown, Timeline } from "./shapes.js" */

const path = pathOf(campaignOfPage());
const stage = find("[data-stage]");
const picture = findA(HTMLImageElement, "[data-picture]");
const [says, hint] = [find("[data-says]"), find("[data-hint]")];
const RETRY_MS = 1000;
const STORAGE_SILENT = 503;

/** @type {{ timeline: Timeline, classes: Label[] }} */
const { timeline, classes } = await get(`${path}/session`);
const clock = new Clock(() => get("/clock"));
const sounds = new Sounds(findA(HTMLInputElement, "[data-sound]"));
const here = await seat;

let [running, dry, pausing, hidden, trial] = [false, false, false, false, 0];
let askTook = 0;
/** @type {() => void} */
let goOn = () => {};

/** @type {(range: number | number[]) => number} Seconds, drawn anew for every trial. */
const drawn = (range) => (Array.isArray(range) ? range[0] + Math.random() * (range[1] - range[0]) : range);

/** @type {(phase: string, asked: Shown | null, at: number) => void} The bench and the markers hear of it. */
function report(phase, asked, at) {
  const body = { phase, at: at + clock.offset, uncertainty: clock.uncertainty, trial, dry };
  post(`${path}/session/report`, asked && !dry ? { ...body, request: asked.id, label: asked.label } : body).catch(() => {});
}

/**
 * Shows something and says when it was to be seen.
 * @type {(phase: string, asked?: Shown | null) => Promise<number>}
 */
async function show(phase, asked = null) {
  const at = await painted(() => { stage.dataset.phase = phase; });
  report(phase, asked, at);
  return at;
}

/** @param {Shown} asked */
function prepare({ label }) {
  const word = find("[data-word]");
  word.textContent = String(label);
  word.style.setProperty("--letters", String(Math.max(4, Math.min(40, String(label).length))));
  find("[data-cue]").className = `shown ${colourOf(classes, label)}`;
  const source = timeline.pictures?.[label];
  picture.hidden = !source;
  if (source) picture.src = source;
}

/**
 * Tries until it is done: what was performed must not be lost with a connection.
 * @template T
 * @param {() => Promise<T>} task
 * @returns {Promise<T>}
 */
async function insist(task) {
  for (;;) {
    try {
      return await task();
    } catch (caught) {
      if (![0, STORAGE_SILENT].includes(problemOf(caught).status ?? -1)) throw caught;
      await sleep(RETRY_MS);
    }
  }
}

let bag = /** @type {Label[]} */ ([]);
/** @returns {Promise<Cue>} The next request; in a dry run one that nobody asked for. */
async function next() {
  if (dry) {
    if (!bag.length) bag = [...classes].sort(() => Math.random() - 0.5);
    return { seq: 0, classes, asked: { id: "", label: bag.pop() ?? "" }, free: null, awaiting: [], ends: "" };
  }
  const began = performance.now();
  const seen = await insist(() => post(`${path}/next`));
  askTook = (performance.now() - began) / 1000;
  return seen;
}

/** @type {Promise<Cue> | null} */
let ahead = null;

/** @returns {Promise<string>} Why the session ends, or nothing. */
async function oneTrial() {
  trial += 1;
  const fixation = await show("fixation");
  clock.compare(2);
  // As late as possible, so that the decision knows the most; where that took too long, earlier.
  const coming = ahead ?? next();
  ahead = null;
  const [{ asked, ends }] = await Promise.all([coming, until(fixation + drawn(timeline.fixation))]);
  if (!asked) return ends || "Nothing more is asked for.";
  prepare(asked);
  await picture.decode().catch(() => {});
  hidden = document.hidden;
  const cue = await show("cue", asked);
  sounds.play(timeline.sounds?.[asked.label] ?? 880);
  await until(cue + drawn(timeline.cue));
  const performing = await show("performing", asked);
  await until(performing + drawn(timeline.performing));
  const rest = await show("rest", asked);
  await record(asked, { fixation, cue, performing, rest });
  if (!dry && askTook > 0.8 * shortest(timeline.fixation) && !pausing) ahead = next();
  clock.compare(2);
  await until(rest + drawn(timeline.rest));
  return "";
}

/** @type {(range: number | number[]) => number} */
const shortest = (range) => (Array.isArray(range) ? range[0] : range);

/** @type {(asked: Shown, onsets: Record<string, number>) => Promise<void>} */
async function record(asked, onsets) {
  if (dry) return;
  if (hidden) {
    await insist(() => post(`${path}/fail`, { id: asked.id, reason: "the page was not to be seen while performing" }));
    pause();
    return;
  }
  const measured = { offset: clock.offset, uncertainty: clock.uncertainty, frame: clock.frame };
  await insist(() => post(`${path}/performed`, { id: asked.id, attrs: { onsets: { ...onsets, ...measured } } }));
}

/** @type {(text: string, detail: string, button: string) => Promise<void>} Until somebody goes on. */
async function stop(text, detail, button) {
  document.body.toggleAttribute("data-running", false);
  [says.textContent, hint.textContent] = [text, detail];
  find("[data-begin]").textContent = button;
  const going = new Promise((resolve) => { goOn = () => resolve(undefined); });
  report(text.toLowerCase(), null, now());
  stage.dataset.phase = "start";
  find("[data-begin]").focus();
  await going;
  pausing = false;
  document.body.toggleAttribute("data-running", true);
}

async function takeABreak() {
  const { break: seconds } = timeline;
  // A pause that came when the break had begun holds beyond it.
  const timer = seconds === null ? 0 : setTimeout(() => (pausing ? (hint.textContent = "Paused.") : goOn()), 1000 * seconds);
  await stop("Break", seconds === null ? "Go on when you are ready." : `It goes on in ${seconds} seconds.`, "Go on");
  clearTimeout(timer);
}

/** @param {boolean} rehearsal */
async function session(rehearsal) {
  if (running) return;
  [running, dry, trial, pausing] = [true, rehearsal, 0, false];
  find("[data-dry]").hidden = true;
  if (findA(HTMLInputElement, "[data-full]").checked) await document.documentElement.requestFullscreen?.().catch(() => {});
  document.body.toggleAttribute("data-running", true);
  let [ended, how] = ["", "Done"];
  try {
    await clock.compare(8);
    while (!ended) {
      ended = await oneTrial();
      if (!ended && pausing) await stop("Paused", "", "Go on");
      else if (!ended && timeline.block && trial % timeline.block === 0) await takeABreak();
    }
  } catch (caught) {
    [ended, how] = [problemOf(caught).message, "Stopped"];
  }
  running = false;
  find("[data-dry]").hidden = false;
  const over = stop(how, sentence(ended), "Begin");
  document.exitFullscreen?.().catch(() => {});
  await over;
  session(false);
}

// It takes effect after the trial: nobody is interrupted while performing.
function pause() {
  pausing = true;
}

const press = () => (running ? goOn() : session(false));
find("[data-begin]").addEventListener("click", press);
find("[data-dry]").addEventListener("click", () => session(true));
document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  const started = stage.dataset.phase !== "start";
  // Space on "Dry run" is a dry run: what is only rehearsed must not be recorded.
  if (event.key === " " && !started) {
    if (event.target === find("[data-dry]")) session(true);
    else press();
  }
  else if (started && ["Escape", "p"].includes(event.key)) pause();
  if (event.key === " ") event.preventDefault();
});
document.addEventListener("keyup", (event) => event.key === " " && event.preventDefault());
// Browsers leave full screen on Escape without telling of the key.
document.addEventListener("fullscreenchange", () => {
  if (running && !document.fullscreenElement && stage.dataset.phase !== "start") pause();
});
document.addEventListener("visibilitychange", () => { hidden ||= document.hidden; });
listen(campaignOfPage(), (news) => {
  if (news.kind !== "session" || news.to !== here) return;
  if (news.command === "pause") pause();
  else goOn();
});
hint.textContent = "Space begins. Nothing is to be pressed while performing; Escape pauses after the trial.";
stage.dataset.ready = "";
