// Home: the campaigns with their progress, and the form that creates one.

import { get, pathOf, post, problemOf, sentence } from "./api.js";
import { find, findA, h, named, say } from "./dom.js";

/** @import { CampaignRow } from "./shapes.js" */

const REFRESH_MS = 2000;
const MOST_NAMES = 8;

const list = find("[data-campaigns]");

/** @param {CampaignRow} row */
const underWay = (row) =>
  [row.pending && `${row.pending} pending`, row.awaiting && `${row.awaiting} awaiting data`].filter(Boolean);

/** @param {CampaignRow} row */
function progressOf(row) {
  const under = underWay(row);
  return h("span", { class: "tally" }, h("b", {}, String(row.acquired)), row.budget ? ` of ${row.budget}` : " acquired",
    under.length ? h("span", { class: "unseen" }, `, ${under.join(", ")}`) : null);
}

/** @param {CampaignRow} row */
function entry(row) {
  const rest = row.classes.length - MOST_NAMES;
  const made = new Date(row.created_at).toLocaleDateString(undefined, { day: "numeric", month: "short", year: "numeric" });
  return h("li", {}, h("a", { class: "campaign", href: pathOf(row.name) },
    h("strong", {}, row.name), progressOf(row),
    row.budget !== null && h("progress", { max: row.budget, value: Math.min(row.acquired, row.budget), "aria-label": "Part of the budget that is acquired" }),
    h("span", { class: "swatches" }, row.classes.slice(0, MOST_NAMES).map((label) => named(row.classes, label)), rest > 0 && `and ${rest} more`),
    h("span", { class: "detail" }, row.error ?? [row.phase !== "open" && row.phase, row.strategy, `since ${made}`, ...underWay(row)].filter(Boolean).join(" · "))));
}

let shown = "";
async function look() {
  try {
    /** @type {{ campaigns: CampaignRow[] }} */
    const { campaigns } = await get("/campaigns");
    say(find("[data-notice]"), "");
    const state = JSON.stringify(campaigns);
    if (state !== shown) {
      shown = state;
      list.replaceChildren(...campaigns.reverse().map(entry));
      list.removeAttribute("aria-busy");
      find("[data-empty]").hidden = campaigns.length > 0;
    }
  } catch (caught) {
    say(find("[data-notice]"), problemOf(caught).message);
  }
}

// -- creating --------------------------------------------------------------------------

const form = findA(HTMLFormElement, "[data-create]");

const strategy = findA(HTMLSelectElement, "[name=strategy]", form);

/** @type {(name: string) => HTMLInputElement} */
const input = (name) => findA(HTMLInputElement, `[name="${name}"]`, form);

class Mistake extends Error {
  /**
   * @param {string} message
   * @param {string} field
   */
  constructor(message, field) {
    super(message);
    this.field = field;
  }
}

/**
 * @param {string} field
 * @param {boolean} whole
 */
function number(field, whole = false) {
  const text = input(field).value.trim();
  if (!text) return null;
  const value = Number(text);
  if (!Number.isFinite(value) || (whole && (!Number.isInteger(value) || value < 1))) {
    throw new Mistake(`“${text}” is not ${whole ? "a whole number of at least 1" : "a number"}.`, field);
  }
  return value;
}

function wanted() {
  const name = input("name").value.trim();
  if (!name) throw new Mistake("Give the campaign a name.", "name");
  const classes = input("classes").value.split(",").map((label) => label.trim()).filter(Boolean);
  if (classes.length < 2) throw new Mistake("Name at least two classes, separated by commas.", "classes");
  const [features, low, high] = [number("features", true), number("low"), number("high")];
  if ((low === null) !== (high === null)) throw new Mistake("Give both ends of the range, or neither.", low === null ? "low" : "high");
  const bounds = low === null ? null : [[low, high]];
  return { name, classes, strategy: strategy.value, budget: number("budget", true), n_features: features, bounds };
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  for (const field of form.elements) field.removeAttribute("aria-invalid");
  say(find("[data-error]"), "");
  try {
    const body = wanted();
    await post("/campaigns", body);
    location.assign(pathOf(body.name));
  } catch (caught) {
    const problem = problemOf(caught);
    say(find("[data-error]"), problem.message);
    const name = caught instanceof Mistake ? caught.field : problem.kind === "campaign-exists" ? "name" : null;
    if (name === null) return;
    input(name).setAttribute("aria-invalid", "true");
    input(name).focus();
  }
});

const summarise = () => {
  const { summary = "" } = strategy.selectedOptions[0].dataset;
  find("#strategy-help").textContent = `${sentence(summary)}.`;
};
strategy.addEventListener("change", summarise);
summarise();

look();
setInterval(() => document.hidden || look(), REFRESH_MS);
