// The bench: everything the experimenter sees. Where the campaign stands is drawn at once whenever
// the record changes; what takes its time at many instances follows, part by part.

import { campaignOfPage, get, pathOf, post, problemOf, sentence } from "./api.js";
import { Answer } from "./answer.js";
import { bars, Lines, Scatter } from "./charts.js";
import { Classes } from "./classes.js";
import { colourOf, placeOf } from "./colours.js";
import { Connect } from "./connect.js";
import { Course } from "./course.js";
import { find, findA, h, keepingFocus, named, say } from "./dom.js";
import { History } from "./history.js";
import { follow } from "./live.js";
import { brief, percent, whole } from "./locale.js";
import { takeTables } from "./many.js";
import { Matrix } from "./matrix.js";
import { Notes } from "./notes.js";
import { Waiting } from "./recorded.js";
import { Sitting } from "./sitting.js";
import { sleep } from "./timing.js";

/** @import { Decision, Details, Evidence, Label, Mapped, Pending, Standing, Time } from "./shapes.js" */

const [FEW, FIRST, MOST_LINES] = [12, 10, 8];
const RESTS = 9;
const WORKING = "Working it out …";

const campaign = campaignOfPage();
const path = pathOf(campaign);
const notes = new Notes(campaign);
const answer = new Answer(path, () => refresh(), notes);
const history = new History(path, () => refresh());
const course = new Course(path, () => refresh());
const sitting = new Sitting(path);
const connect = new Connect(campaign);
const waiting = new Waiting(path, () => refresh());
const classes = new Classes(path, (label, paused) => change(paused ? "resume" : "pause", label));
takeTables(path, notes, () => refresh());
const accuracy = new Lines(find("[data-accuracy]"), "Cross-validated accuracy and recall over acquisitions");
const map = new Scatter(find("[data-map]"), "Map of the collected instances");
const confusion = new Matrix(find("[data-confusion]"), "Confusion matrix",
  ({ row, column, size }) => get(`${path}/confusion?row=${row}&column=${column}&size=${size}`));
const method = h("select", { "aria-label": "How the map is made" },
  h("option", { value: "auto" }, "PCA"), h("option", { value: "tsne" }, "t-SNE"));
method.addEventListener("change", () => parts.map());

/** @type {Details | null} */
let details = null;
/** @type {Standing | null} */
let now = null;
/** @type {Decision | null} */
let decision = null;
/** @type {Evidence | null} */
let evidence = null;

async function look() {
  /** @type {Details} */
  const known = (details ??= await get(path));
  /** @type {[Standing, void]} */
  const [standing] = await Promise.all([get(`${path}/insight?part=now`), history.look()]);
  const changed = JSON.stringify(standing) !== JSON.stringify(now);
  now = standing;
  if (!changed) return;
  course.show(now);
  notes.show(known);
  connect.show(now);
  showNow(now);
  history.show(now.labels);
  for (const again of Object.values(parts)) again();
}

/**
 * Brings a part of what the bench shows, never twice at a time, and once more if news came in the
 * middle: it may take longer than the news that follow.
 * @template T
 * @param {() => Promise<T>} bring
 * @param {(part: T, now: Standing) => void} show
 * @returns {() => void}
 */
function later(bring, show) {
  let [busy, again] = [false, false];
  return async function run() {
    again = true;
    if (busy) return;
    busy = true;
    try {
      while (again) {
        again = false;
        const part = await bring();
        if (now) show(part, now);
      }
    } catch (caught) {
      const error = problemOf(caught);
      if (error.status !== 0) say(find("[data-notice]"), error.message);
    } finally {
      busy = false;
    }
  };
}

let seen = "";
const parts = {
  next: later(() => get(`${path}/insight?part=next`), (/** @type {Decision} */ part, standing) => {
    decision = part;
    answer.show(standing, decision);
    showUtilities(decision, standing);
  }),
  evidence: later(() => get(`${path}/insight?part=evidence`), (/** @type {Evidence} */ part, standing) => {
    // Asking changes nothing that is known.
    const known = JSON.stringify({ ...part, seq: 0 });
    if (known === seen) return;
    seen = known;
    evidence = part;
    showEvidence(evidence, standing);
    advise();
  }),
  map: later(() => get(`${path}/insight?part=map&map=${method.value}`), (/** @type {Mapped} */ part, standing) => showMap(part, standing)),
};

/** @param {Standing} standing */
function showNow(standing) {
  summarise(standing);
  answer.show(standing, decision);
  classes.show(standing, evidence);
  showPending(standing);
  waiting.show(standing);
  if (!evidence && standing.counts.some(Boolean)) wait();
}

/** What takes its time is not there yet; that is not for want of instances. */
function wait() {
  find("[data-stopping]").textContent = WORKING;
  for (const chart of [accuracy, confusion]) {
    chart.empty = WORKING;
    chart.frame.render();
  }
}

/** @param {Standing} standing */
function summarise(standing) {
  const { budget, budget_cost: money, spent } = standing;
  const acquired = standing.counts.reduce((sum, count) => sum + count, 0);
  const last = evidence?.accuracy.at(-1);
  find("h1").textContent = standing.title ?? campaign;
  find("[data-summary]").textContent = [
    standing.title && campaign,
    `${whole(acquired)}${budget ? ` of ${whole(budget)}` : ""} acquired`,
    money !== null && `${brief(spent)} of ${brief(money)} spent`,
    standing.labels.length > FEW && `${whole(standing.labels.length)} classes`, standing.strategy,
    standing.phase !== "open" && standing.phase,
    last && last.accuracy !== null && `accuracy ${percent(last.accuracy)}${(evidence?.judged ?? 0) < acquired ? ` by ${whole(evidence?.judged ?? 0)} of them` : ""}`,
  ].filter(Boolean).join(" · ");
}

/** @type {(part: Evidence, standing: Standing) => void} */
function showEvidence(part, standing) {
  const { labels } = standing;
  accuracy.empty = confusion.empty = "after the first instances";
  summarise(standing);
  classes.show(standing, part);
  showWhatItIsOf(part, standing);
  const worst = [...part.classes].filter((row) => row.recall !== null)
    .sort((one, other) => (one.recall ?? 0) - (other.recall ?? 0)).slice(0, MOST_LINES);
  const shown = labels.length > MOST_LINES ? worst : part.classes;
  accuracy.update([
    ...shown.map(({ label }) => ({
      name: `recall of ${label}`, colour: colourOf(labels, label), place: placeOf(labels, label),
      values: part.accuracy.map((row) => ({ x: row.acquired, y: row.recall[label] })),
    })),
    { name: "accuracy", main: true, values: part.accuracy.map((row) => ({ x: row.acquired, y: row.accuracy })) },
  ]);
  showConfusions(part, labels);
  confusion.update().catch((error) => say(find("[data-notice]"), problemOf(error).message));
}

/**
 * With groups the accuracy is that on a new one, such as a new subject.
 * @type {(part: Evidence, standing: Standing) => void}
 */
function showWhatItIsOf({ groups, judged }, { counts, labels }) {
  const by = details?.settings.groups?.join(" and ");
  find("#accuracy-title").textContent = by ? `Accuracy on a new ${by}` : "Accuracy, cross-validated";
  const names = groups.names.slice(0, 8).join(", ") + (groups.names.length > 8 ? ", …" : "");
  const acquired = counts.reduce((sum, count) => sum + count, 0);
  say(find("[data-groups]"), [
    groups.remark ? `${sentence(groups.remark)}.` : by && names && `One is left out at a time: ${names}.`,
    judged > 0 && judged < acquired && `By models of an even selection of ${whole(judged)} of ${whole(acquired)} instances; one of all is likely to be better.`,
    labels.length > MOST_LINES && judged > 0 && `Of ${whole(labels.length)} classes the ${MOST_LINES} of the lowest recall are drawn.`,
  ].filter(Boolean).join(" "));
}

/** @type {(part: Evidence, labels: Label[]) => void} */
function showConfusions({ confusions }, labels) {
  const rows = confusions.slice(0, FIRST).map((one) => h("li", {},
    h("button", { class: "link", type: "button", onclick: () => confusion.goTo(placeOf(labels, one.label), placeOf(labels, one.taken_for)) },
      named(labels, one.label), " taken for ", named(labels, one.taken_for)),
    h("span", { class: "times" }, `${whole(one.count)} of ${whole(one.of)}`)));
  keepingFocus(find("[data-confusions]"), ...rows);
  find("[data-confusions-title]").hidden = !rows.length;
}

/** @type {(decided: Decision, standing: Standing) => void} */
function showUtilities(decided, { labels, counts, paused }) {
  const known = Object.values(decided.utilities).filter((value) => value !== null);
  const highest = Math.max(...known, 0) || 1;
  const chosen = decided.asked?.label ?? decided.next;
  const many = labels.length > FEW;
  /** @type {(label: Label) => boolean} A class without an instance comes before all others. */
  const first = (label) => decided.utilities[label] === null && counts[placeOf(labels, label)] === 0 && !paused.includes(label);
  /** @type {(label: Label) => number} */
  const rank = (label) => (String(label) === String(chosen) ? Infinity : first(label) ? Number.MAX_VALUE : decided.utilities[label] ?? -1);
  const listed = labels.filter((label) => label in decided.utilities);
  if (many) listed.sort((one, other) => rank(other) - rank(one)).splice(FIRST);
  bars(find("[data-utilities]"), labels, listed.map((label) => {
    const value = decided.utilities[label];
    const comesFirst = first(label);
    return {
      label,
      share: value === null ? Number(comesFirst) : value / highest,
      text: value === null ? (paused.includes(label) ? "paused" : comesFirst ? "first" : "–") : brief(value),
      chosen: String(label) === String(chosen),
      faint: value === null && !comesFirst,
      title: comesFirst ? "It has no instance yet, so it comes before all others." : null,
    };
  }), "Utility of each class");
  say(find("[data-utilities-note]"), many ? `The highest of ${whole(labels.length)} classes.` : "");
}

/** @type {(action: "pause" | "resume" | "classes", label: Label) => Promise<void>} */
async function change(action, label) {
  try {
    await post(`${path}/${action}`, { label });
    say(find("[data-class-error]"), "");
    refresh();
  } catch (caught) {
    say(find("[data-class-error]"), problemOf(caught).message);
  }
}

find("[data-add-class]").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = findA(HTMLInputElement, "#new-class");
  const text = field.value.trim();
  const numeric = typeof details?.settings.classes[0] === "number" && /^-?\d+$/.test(text);
  await change("classes", numeric ? Number(text) : text);
  if (find("[data-class-error]").hidden) field.value = "";
});

/** @type {(part: Mapped, standing: Standing) => void} */
function showMap({ map: { method: used, points, left_out: rest } }, { labels, axes: names }) {
  const [across = "feature 1", up = "feature 2"] = names;
  const axes = used === "identity" ? [across, up] : ["component 1", "component 2"];
  // One feature alone would lie on a line; the classes lie one above the other instead.
  const line = used === "identity" && points.every((point) => point.y === 0);
  const rows = points.map((point) => ({ ...point, y: placeOf(labels, point.label) }));
  map.update(line ? rows : points, labels, line ? [across, "class"] : axes, line);
  const projected = used !== "identity" && points.length > 0;
  if (projected && !method.isConnected) find("#map-title").after(h("label", { class: "check" }, "projected by", method));
  if (!projected) method.closest("label")?.remove();
  say(find("[data-map-note]"), rest ? `The latest ${whole(points.length)} of ${whole(points.length + rest)} instances.` : "");
}

/** @param {Standing} standing */
function showPending({ pending, n_pending: all, labels }) {
  const current = answer.current?.id;
  const items = pending.map((request) => h("li", { class: request.id === current ? "current" : "", "data-request": request.id },
    h("span", { class: "what" }, named(labels, request.label), request.performed && h("span", { class: "chip good" }, "awaiting data"),
      answer.elsewhere(request) && h("span", { class: "chip" }, "on another page")),
    h("span", { class: "lease" }, `${request.id} · `, h("span", { "data-expires": request.expires_at ?? "" }, lease(request.expires_at))),
    h("span", { class: "actions" },
      request.expires_at && h("button", { class: "button small", type: "button", "aria-label": `Renew ${request.id}`, onclick: () => course.renew(request.id) }, "Renew"),
      h("button", { class: "button small", type: "button", "aria-label": `${answer.elsewhere(request) ? "Take over" : "Answer"} ${request.id}`, onclick: () => pick(request) },
        answer.elsewhere(request) ? "Take over" : "Answer"))));
  const rest = all - pending.length;
  if (rest > 0) items.push(h("li", { class: "empty" }, `and ${whole(rest)} more`));
  keepingFocus(find("[data-pending]"), ...(items.length ? items : [h("li", { class: "empty" }, "No request is waiting for its instance.")]));
}

/** @type {(request: Pending) => Promise<void>} */
async function pick(request) {
  try {
    await answer.pick(request);
    say(find(".next [data-error]"), "");
  } catch (caught) {
    say(find(".next [data-error]"), problemOf(caught).message);
  }
  now = null;
  await refresh();
  find("#numbers").focus();
}

/** @type {(expires: Time | null | undefined) => string} */
function lease(expires) {
  if (!expires) return "no lease";
  const seconds = Math.round((Date.parse(expires) - Date.now()) / 1000);
  if (seconds <= 0) return "lease ended";
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  /** @type {(value: number) => string} */
  const two = (value) => String(value).padStart(2, "0");
  return `${hours ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)} left`;
}

// Advice rests on many models: it is worked on for a tenth of the time at most.
let [advising, adviseAgain] = [false, false];
async function advise() {
  adviseAgain = true;
  if (advising) return;
  advising = true;
  while (adviseAgain) {
    adviseAgain = false;
    const began = performance.now();
    await showAdvice();
    await sleep(RESTS * (performance.now() - began));
  }
  advising = false;
}

async function showAdvice() {
  const acquired = now?.counts.reduce((sum, count) => sum + count, 0) ?? 0;
  try {
    /** @type {{ stop: boolean, reason: string }} */
    const { stop, reason } = await get(`${path}/stopping`);
    find("[data-stopping]").textContent = reason;
    find("[data-stopping]").classList.toggle("stop", stop);
    const by = now?.proportions ? "as often as it occurs in use" : "the same";
    say(find("[data-stopping-of]"), acquired ? `After ${whole(acquired)} instances. In this error every class counts ${by}; accuracy counts instances, of each class as many as were acquired. The two divide the instances differently and need not add up to 100 %.` : "");
  } catch (caught) {
    find("[data-stopping]").textContent = problemOf(caught).message;
  }
}

setInterval(() => {
  let ended = false;
  for (const element of document.querySelectorAll("[data-expires]")) {
    const text = lease(element.getAttribute("data-expires"));
    ended ||= text === "lease ended" && element.textContent !== text;
    element.textContent = text;
  }
  if (ended) refresh();
}, 1000);

const refresh = follow(campaign, look, (news) => sitting.hear(news));
