// An annotator with a phone: one request of one's own at a time, done, or with what was recorded.
// What was not acknowledged is sent again under the same id, so nothing is recorded twice.

import { campaignOfPage, get, pathOf, post, problemOf, sentence, upload } from "./api.js";
import { colourOf } from "./colours.js";
import { find, findA, h, say } from "./dom.js";
import { fixed } from "./locale.js";
import { follow } from "./live.js";

/** @import { Cue, Label, Shown } from "./shapes.js" */
/** @typedef {{ id: string, label: Label, state: string, recorded: boolean }} Mine */

const campaign = campaignOfPage();
const path = pathOf(campaign);
const MEBIBYTE = 2 ** 20;
const STATES = new Map([["delivered", "recorded ✓"], ["awaiting", "kept, to be read later"], ["failed", "not done"], ["retracted", "taken back"], ["expired", "too late"]]);

/** @type {Cue} */
let now = { seq: 0, classes: [], asked: null, free: null, awaiting: [], ends: "" };
/** @type {(() => Promise<string>) | null} What did not get through. */
let unsent = null;
let busy = false;

async function look() {
  if (!busy) paint(await get(`${path}/cue`));
  /** @type {{ mine: Mine[] }} */
  const { mine } = await get(`${path}/mine`);
  find("[data-mine]").replaceChildren(...mine.map(({ id, label, state, recorded }) =>
    h("li", { "data-did": id, "data-state": state }, h("span", {}, String(label)),
      h("span", {}, state === "awaiting" && !recorded ? "done, without a file" : STATES.get(state) ?? state))));
  findA(HTMLButtonElement, "[data-undo]").disabled = !mine.some(({ state }) => state === "delivered" || state === "awaiting");
}

/** @param {Cue} seen */
function paint(seen) {
  now = seen;
  const { asked, ends, classes } = seen;
  find("[data-prompt]").textContent = asked ? "Please do or record" : ends ? sentence(ends) : "Ready when you are";
  const word = find("[data-word]");
  if (word.textContent !== String(asked?.label ?? "")) word.textContent = asked ? String(asked.label) : "";
  word.className = asked ? `word ${colourOf(classes, asked.label)}` : "word";
  find("[data-begin]").hidden = asked !== null || (ends !== "" && !seen.free);
  find("[data-ways]").hidden = find("[data-done-ways]").hidden = asked === null;
}

/**
 * One thing at a time; what did not get through can be tried again, and is the same thing then.
 * @param {() => Promise<string>} task Returns what to say.
 */
async function run(task) {
  if (busy) return;
  busy = true;
  document.body.toggleAttribute("data-busy", true);
  say(find("[data-error]"), "");
  find("[data-again]").hidden = true;
  try {
    find("[data-message]").textContent = await task();
    unsent = null;
  } catch (caught) {
    const problem = problemOf(caught);
    find("[data-message]").textContent = "";
    say(find("[data-error]"), problem.message);
    const lost = problem.status === 0 || problem.kind === "outcome-unknown";
    unsent = lost ? task : null;
    find("[data-again]").hidden = !lost;
  } finally {
    busy = false;
    document.body.toggleAttribute("data-busy", false);
    if (!unsent) await refresh();
  }
}

const onward = async () => { paint(await post(`${path}/next`, {})); };

/** @type {(task: (asked: Shown) => Promise<string>, asked?: Shown | null) => void} */
function forAsked(task, asked = now.asked) {
  if (asked) run(() => task(asked));
  else say(find("[data-error]"), "Nothing is asked of you at the moment, so nothing was sent.");
}

/** @type {(file: File, meant: Shown | null) => void} */
function bring(file, meant) {
  forAsked(async (asked) => {
    find("[data-message]").textContent = `Sending ${file.name}, ${fixed(file.size / MEBIBYTE, 1)} MiB …`;
    /** @type {{ state: string, why: string }} */
    const { state, why } = await upload(`${path}/recording?id=${encodeURIComponent(asked.id)}`, file);
    await onward();
    return state === "delivered" ? `${asked.label}: recorded. Thank you.` : `${asked.label}: kept, thank you. Its numbers come later (${why}).`;
  }, meant);
}

for (const input of document.querySelectorAll("input[type=file]")) {
  if (!(input instanceof HTMLInputElement)) continue;
  // What is asked for may end while the camera is open; the picture is still of that.
  /** @type {Shown | null} */
  let meant = null;
  input.addEventListener("click", () => { meant = now.asked; });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) bring(file, meant ?? now.asked);
    [input.value, meant] = ["", null];
  });
}
find("[data-begin]").addEventListener("click", () => run(async () => {
  await onward();
  return "";
}));
find("[data-done]").addEventListener("click", () => forAsked(async (asked) => {
  paint(await post(`${path}/next`, { performed: asked.id }));
  return `${asked.label}: done.`;
}));
find("[data-fail]").addEventListener("click", () => forAsked(async (asked) => {
  await post(`${path}/fail`, { id: asked.id, reason: "reported by the annotator" });
  await onward();
  return `${asked.label}: noted as not done.`;
}));
find("[data-undo]").addEventListener("click", () => run(async () => {
  /** @type {{ state: string, label?: Label }} */
  const { state, label } = await post(`${path}/undo`, { reason: "undone by the annotator" });
  return state === "nothing" ? "There is nothing of yours to undo." : `${label}: taken back.`;
}));
find("[data-again]").addEventListener("click", () => unsent && run(unsent));

const refresh = follow(campaign, look);
