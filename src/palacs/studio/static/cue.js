// The cue: the class to perform in letters as large as the screen allows.
// All cues of a campaign show the same request: the oldest that nobody has performed yet.

import { campaignOfPage, get, pathOf, post, problemOf } from "./api.js";
import { colourOf } from "./colours.js";
import { find, findA, h, typing } from "./dom.js";
import { follow } from "./live.js";

/** @import { HistoryRow, Insight } from "./shapes.js" */

const campaign = campaignOfPage();
const path = pathOf(campaign);
const stage = find("[data-stage]");
const word = find("[data-word]");
const countdown = find("[data-countdown]");
const BLANK = "\u00a0";

/** @type {Pick<Insight, "seq" | "asked" | "pending" | "next" | "classes" | "why">} */
let now = { seq: 0, asked: null, pending: [], next: null, classes: [], why: "" };
/** @type {string | null} */
let shown = null;
let timer = 0;
let working = 0;

async function look() {
  /** @type {Insight} */
  const seen = await get(`${path}/insight`);
  // Between an answer and the next request there is nothing to show yet.
  const between = working > 0 && !seen.asked && seen.next !== null && now.asked !== null;
  now = seen;
  if (between) return;
  const classes = now.classes.map((row) => row.label);
  const label = now.asked?.label;
  show(now.asked ? String(label) : now.next === null ? "Done" : "Ready", now.asked ? colourOf(classes, label) : "");
  word.classList.toggle("asked", now.asked !== null);
  find("[data-prompt]").textContent = now.asked ? BLANK : now.next === null ? now.why : "Press space to begin";
  find("[data-performed-text]").textContent = now.asked ? "Performed" : "Begin";
  findA(HTMLButtonElement, "[data-performed]").disabled = !now.asked && now.next === null;
  findA(HTMLButtonElement, "[data-failed]").disabled = !now.asked;
  if ((now.asked?.id ?? null) !== shown) {
    shown = now.asked?.id ?? null;
    arrive();
  }
  const waiting = now.pending.filter((request) => request.performed);
  find("[data-awaiting]").hidden = waiting.length === 0;
  find("[data-awaiting-list]").replaceChildren(...waiting.map((request) =>
    h("li", { class: `name ${colourOf(classes, request.label)}`, "data-request": request.id },
      h("span", { class: "dot", "aria-hidden": "true" }), String(request.label))));
}

// -- the word --------------------------------------------------------------------------

/** @type {(text: string, colour: string) => void} */
function show(text, colour) {
  document.body.className = `cue-page ${colour}`;
  if (word.textContent !== text) {
    word.textContent = text;
    fit();
  }
}

// The largest size at which the words fit, on as many lines as it takes.
function fit() {
  const [wide, tall] = [stage.clientWidth - 48, window.innerHeight];
  let [low, high] = [0.05 * tall, 0.42 * tall];
  for (let step = 0; step < 9; step += 1) {
    const size = (low + high) / 2;
    word.style.fontSize = `${size}px`;
    if (word.scrollWidth <= wide && word.offsetHeight <= 0.58 * tall) low = size;
    else high = size;
  }
  word.style.fontSize = `${Math.floor(low)}px`;
}
window.addEventListener("resize", fit);

// -- countdown and sound ---------------------------------------------------------------

const sound = findA(HTMLInputElement, "[data-sound]");
const seconds = findA(HTMLSelectElement, "[data-countdown-setting]");
/** @type {(key: string, value: string) => void} */
const remember = (key, value) => { try { localStorage.setItem(`palacs-cue-${key}`, value); } catch { /* not remembered */ } };
/** @type {(key: string) => string | null} */
const recall = (key) => { try { return localStorage.getItem(`palacs-cue-${key}`); } catch { return null; } };
sound.checked = recall("sound") === "on";
seconds.value = [...seconds.options].find((one) => one.value === recall("countdown"))?.value ?? "0";
sound.addEventListener("change", () => {
  remember("sound", sound.checked ? "on" : "off");
  beep(660);
});
seconds.addEventListener("change", () => remember("countdown", seconds.value));

/** @type {AudioContext | null} */
let audio = null;
/** @type {(pitch: number, length?: number) => void} */
function beep(pitch, length = 0.14) {
  if (!sound.checked) return;
  audio ??= new AudioContext();
  audio.resume();
  const [tone, volume] = [audio.createOscillator(), audio.createGain()];
  tone.frequency.value = pitch;
  volume.gain.setValueAtTime(0.0001, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.25, audio.currentTime + 0.015);
  volume.gain.exponentialRampToValueAtTime(0.0001, audio.currentTime + length);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + length);
}

function arrive() {
  clearInterval(timer);
  countdown.textContent = BLANK;
  stage.classList.remove("waiting");
  if (!shown) return;
  let left = Number(seconds.value);
  if (!left) {
    beep(880);
    return;
  }
  stage.classList.add("waiting");
  const tick = () => {
    countdown.textContent = left > 0 ? String(left) : "Now";
    beep(left > 0 ? 440 : 880, left > 0 ? 0.1 : 0.3);
    if (left === 0) {
      stage.classList.remove("waiting");
      clearInterval(timer);
    }
    left -= 1;
  };
  tick();
  timer = setInterval(tick, 1000);
}

// -- what the keys do ------------------------------------------------------------------

/** @type {(text: string | void, bad?: boolean) => void} */
function message(text, bad = false) {
  const line = find("[data-message]");
  line.textContent = text || BLANK;
  line.classList.toggle("bad", bad);
}

// Keys pressed while the studio is still writing wait their turn; each means what was on the
// screen when it was pressed, so none is lost and none hits a word nobody has seen.
let turn = Promise.resolve();
/** @param {() => Promise<string | void>} task May return what to say. */
function run(task) {
  turn = turn.then(async () => {
    working += 1;
    try {
      message(await task());
    } catch (caught) {
      message(problemOf(caught).message, true);
    } finally {
      working -= 1;
      await refresh();
    }
  });
}

async function onward() {
  await refresh();
  if (!now.asked && now.next !== null) await post(`${path}/ask`, { n: 1 });
}

/** @type {Set<string>} */
const dealt = new Set();
/** @param {(asked: Insight["asked"]) => Promise<string | void>} task */
function deal(task) {
  const key = now.asked?.id ?? `after ${now.seq}`;
  if (dealt.has(key)) return;
  dealt.add(key);
  const { asked } = now;
  run(async () => {
    try {
      return await task(asked);
    } catch (error) {
      dealt.delete(key);
      throw error;
    }
  });
}

const performed = () => deal(async (asked) => {
  if (asked) await post(`${path}/performed`, { id: asked.id });
  await onward();
});

const failed = () => now.asked && deal(async (asked) => {
  if (!asked) return "";
  await post(`${path}/fail`, { id: asked.id, reason: "failed on the cue" });
  await onward();
  return `${asked.label}: noted as failed`;
});

// Takes back what was done last: an instance is retracted; a performance whose data have not
// arrived brings none.
const undo = () => run(async () => {
  /** @type {{ rows: HistoryRow[] }} */
  const { rows } = await get(`${path}/history?newest=true&limit=200`);
  const told = latest(rows.filter((row) => row.state === "delivered"), "told_at");
  const open = latest(rows.filter((row) => row.state === "pending" && row.performed_at), "performed_at");
  if (open && (!told || String(open.performed_at) > String(told.told_at))) {
    await post(`${path}/fail`, { id: open.id, reason: "undone on the cue" });
    return `${open.asked}: taken back before its data arrived`;
  }
  if (!told) return "There is nothing to undo.";
  await post(`${path}/retract`, { id: told.id, reason: "undone on the cue" });
  return `${told.label}: taken back`;
});

/** @type {(rows: HistoryRow[], time: "told_at" | "performed_at") => HistoryRow | undefined} */
const latest = (rows, time) =>
  rows.reduce((best, row) => (String(row[time]) > String(best[time]) ? row : best), rows[0]);

/** @type {Record<string, () => void>} */
const actions = { " ": performed, f: failed, u: undo };
document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.metaKey || event.altKey || typing(event)) return;
  const action = actions[event.key.toLowerCase()];
  // Space on another control means that control.
  const control = event.target instanceof Element && event.target.closest("button, a, input");
  if (!action || (event.key === " " && control && !control.matches("[data-performed]"))) return;
  event.preventDefault();
  action();
});
find("[data-performed]").addEventListener("click", performed);
find("[data-failed]").addEventListener("click", failed);
find("[data-undo]").addEventListener("click", undo);
find("[data-full]").addEventListener("click", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => message("This browser allows no full screen here."));
});

const refresh = follow(campaign, look);
