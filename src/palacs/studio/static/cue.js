// The cue: the class to perform in letters as large as the screen allows.
// Every window shows a request of its own; one that belongs to nobody is the first window's.

import { campaignOfPage, get, pathOf, post, problemOf, sentence } from "./api.js";
import { colourOf } from "./colours.js";
import { find, findA, h, typing } from "./dom.js";
import { follow } from "./live.js";
import { seat } from "./seat.js";
import { shortcutsOn } from "./shortcuts.js";
import { Sounds } from "./sounds.js";
import { Clock, painted } from "./timing.js";

/** @import { Cue, Shown } from "./shapes.js" */

const campaign = campaignOfPage();
const path = pathOf(campaign);
const stage = find("[data-stage]");
const word = find("[data-word]");
const countdown = find("[data-countdown]");
const BLANK = "\u00a0";
const SLOW_MS = 300;

/** @type {Cue} */
let now = { seq: 0, classes: [], asked: null, free: null, awaiting: [], ends: "" };
/** @type {string | null} */
let shown = null;
let timer = 0;
let working = 0;
let paints = 0;

async function look() {
  const before = paints;
  /** @type {Cue} */
  let seen = await get(`${path}/cue`);
  // A key was answered meanwhile: this is older than what is on the screen; another look follows.
  if (paints !== before) return;
  if (!seen.asked && seen.free && working === 0) seen = await post(`${path}/next`, {});
  // Between an answer and the next request there is nothing to show yet.
  if (working > 0 && !seen.asked && !seen.ends && now.asked) return;
  paint(seen);
}

/** @param {Cue} seen */
function paint(seen) {
  now = seen;
  paints += 1;
  const { asked, ends, classes } = now;
  show(asked ? String(asked.label) : ends ? "Done" : "Ready", asked ? colourOf(classes, asked.label) : "");
  word.classList.toggle("asked", asked !== null);
  find("[data-prompt]").textContent = asked ? BLANK : ends ? sentence(ends) : shortcutsOn() ? "Press space to begin" : "Press Begin";
  find("[data-performed-text]").textContent = asked ? "Performed" : "Begin";
  findA(HTMLButtonElement, "[data-performed]").disabled = !asked && ends !== "";
  findA(HTMLButtonElement, "[data-failed]").disabled = !asked;
  if ((asked?.id ?? null) !== shown) {
    shown = asked?.id ?? null;
    arrive();
  }
  find("[data-awaiting]").hidden = now.awaiting.length === 0;
  find("[data-awaiting-list]").replaceChildren(...now.awaiting.map((request) =>
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
  } else if (now.asked && now.asked.id !== shown) {
    // The same word again is another request.
    word.animate([{ opacity: 0 }, { opacity: 0 }], 150);
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
  sounds.play(660);
});
seconds.addEventListener("change", () => remember("countdown", seconds.value));

const sounds = new Sounds(sound);
const clock = new Clock(() => get("/clock"));
clock.compare(5);

/** @type {(phase: "cue" | "rest", asked: Shown | null) => Promise<void>} For those who record: markers. */
async function mark(phase, asked) {
  if (!asked) return;
  const seen = await painted(() => {});
  // A page may be open for days, and sleep in between.
  await clock.compare(2);
  const at = seen + clock.offset;
  post(`${path}/painted`, { phase, at, uncertainty: clock.uncertainty, request: asked.id, label: asked.label }).catch(() => {});
}

function arrive() {
  clearInterval(timer);
  countdown.textContent = BLANK;
  stage.classList.remove("waiting");
  if (!shown) return;
  const { asked } = now;
  let left = Number(seconds.value);
  if (!left) {
    sounds.play(880);
    mark("cue", asked);
    return;
  }
  stage.classList.add("waiting");
  const tick = () => {
    countdown.textContent = left > 0 ? String(left) : "Now";
    sounds.play(left > 0 ? 440 : 880, left > 0 ? 0.1 : 0.3);
    if (left === 0) {
      mark("cue", asked);
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
    const slow = setTimeout(message, SLOW_MS, "One moment …");
    try {
      message(await task());
    } catch (caught) {
      message(problemOf(caught).message, true);
    } finally {
      working -= 1;
      clearTimeout(slow);
      await refresh();
    }
  });
}

/** @type {(done?: Shown | null) => Promise<void>} */
async function onward(done = null) {
  paint(await post(`${path}/next`, done ? { performed: done.id } : {}));
}

/** @type {Set<string>} */
const dealt = new Set();
/** @type {(task: (asked: Shown | null) => Promise<string | void>) => boolean} At most once for each word. */
function deal(task) {
  const key = now.asked?.id ?? `after ${now.seq}`;
  if (dealt.has(key)) {
    message("One moment …");
    return false;
  }
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
  return true;
}

function performed() {
  // What is performed before its time is something else.
  if (stage.classList.contains("waiting")) message("Not yet: wait for the countdown.");
  else if (!now.asked && now.ends) message(sentence(now.ends));
  else {
    const { asked } = now;
    if (deal(onward)) mark("rest", asked);
  }
}

const failed = () => now.asked && deal(async (asked) => {
  if (!asked) return "";
  mark("rest", asked);
  await post(`${path}/fail`, { id: asked.id, reason: "failed on the cue" });
  await onward();
  return `${asked.label}: noted as failed`;
});

// Takes back what this window did last: an instance is retracted; a performance whose data have
// not arrived brings none.
const undo = () => run(async () => {
  /** @type {{ state: string, label?: string }} */
  const { state, label } = await post(`${path}/undo`, { reason: "undone on the cue", by: await seat });
  if (state === "nothing") return "There is nothing of yours to undo.";
  return state === "failed" ? `${label}: taken back before its data arrived` : `${label}: taken back`;
});

// Space is "performed" wherever the focus is: whoever clicked a setting goes on with the keyboard.
// Enter is for the control that has the focus. Without shortcuts both are.
/** @type {Record<string, () => void>} */
const actions = { " ": performed, f: failed, u: undo };
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !shortcutsOn()) return;
  if (event.key === "Enter" && event.target === sound) sound.click();
  if (event.key === "Enter" && event.target === seconds) seconds.showPicker();
  const action = actions[event.key.toLowerCase()];
  if (!action || (event.key !== " " && typing(event))) return;
  event.preventDefault();
  if (!event.repeat) action();
});
document.addEventListener("keyup", (event) => event.key === " " && shortcutsOn() && event.preventDefault());
find("[data-performed]").addEventListener("click", performed);
find("[data-failed]").addEventListener("click", failed);
find("[data-undo]").addEventListener("click", undo);
find("[data-full]").addEventListener("click", () => {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => message("This browser allows no full screen here."));
});

const refresh = follow(campaign, look);
