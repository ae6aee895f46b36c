// The form that creates a campaign: everything a program could give, what is wrong is said in place.

import { pathOf, post, problemOf, sentence } from "./api.js";
import { find, findA, say } from "./dom.js";
import { parsed } from "./locale.js";

const form = findA(HTMLFormElement, "[data-create]");
const strategy = findA(HTMLSelectElement, "[name=strategy]", form);

/** @type {(name: string) => HTMLInputElement | HTMLTextAreaElement} */
function field(name) {
  const found = form.elements.namedItem(name);
  if (found instanceof HTMLInputElement || found instanceof HTMLTextAreaElement) return found;
  throw new Error(`The form has no field ${name}.`);
}

class Mistake extends Error {
  /**
   * @param {string} message
   * @param {string} name Of the field.
   */
  constructor(message, name) {
    super(message);
    this.field = name;
  }
}

/** @type {(text: string, name: string) => number} */
function numberIn(text, name) {
  const value = parsed(text);
  if (!text || !Number.isFinite(value)) throw new Mistake(`“${text}” is not a number.`, name);
  return value;
}

/** @type {(name: string) => number | null} */
const number = (name) => (field(name).value.trim() ? numberIn(field(name).value.trim(), name) : null);

/** @type {(name: string, least?: number) => number | null} */
function count(name, least = 1) {
  const text = field(name).value.trim();
  if (!text) return null;
  if (!/^\d+$/.test(text) || Number(text) < least) throw new Mistake(`“${text}” is not a whole number of at least ${least}.`, name);
  return Number(text);
}

/** @type {(name: string) => string[]} */
const words = (name) => field(name).value.split(",").map((word) => word.trim()).filter(Boolean);

/**
 * Lines such as "left: 2"; a name may have colons of its own.
 * @type {(name: string) => [string, string][]}
 */
const pairs = (name) => field(name).value.split(/\n|;/).map((line) => line.trim()).filter(Boolean).map((line) => {
  const at = line.lastIndexOf(":");
  if (at < 1 || !line.slice(at + 1).trim()) throw new Mistake(`“${line}” is no pair; write “name: value”, one in each line.`, name);
  return [line.slice(0, at).trim(), line.slice(at + 1).trim()];
});

/** @type {(name: string, classes: string[]) => [string, number][] | undefined} */
function byClass(name, classes) {
  const found = pairs(name);
  const stranger = found.find(([label]) => !classes.includes(label));
  if (stranger) throw new Mistake(`“${stranger[0]}” is none of the classes.`, name);
  return found.length ? found.map(([label, value]) => [label, numberIn(value, name)]) : undefined;
}

/** @type {(classes: string[]) => [string, [string, number][]][] | undefined} */
function mistakes(classes) {
  /** @type {Map<string, [string, number][]>} */
  const rows = new Map();
  for (const [what, value] of pairs("mistakes")) {
    const both = classes.flatMap((truth) => classes.map((taken) => [truth, taken])).find(([truth, taken]) => what === `${truth} as ${taken}`);
    if (!both) throw new Mistake(`“${what}” names no two classes; write “left as right: 5”.`, "mistakes");
    rows.set(both[0], [...(rows.get(both[0]) ?? []), [both[1], numberIn(value, "mistakes")]]);
  }
  return rows.size ? [...rows] : undefined;
}

/** @param {string[]} classes */
function conditions(classes) {
  const found = {
    costs: byClass("costs", classes), proportions: byClass("proportions", classes), mistakes: mistakes(classes), caps: byClass("caps", classes),
    max_repeat: count("max_repeat") ?? undefined, at_least_every: count("at_least_every", 2) ?? undefined,
  };
  return Object.values(found).some((value) => value !== undefined) ? found : null;
}

function wanted() {
  const name = field("name").value.trim();
  if (!name) throw new Mistake("Give the campaign a name.", "name");
  const classes = words("classes");
  if (classes.length < 2) throw new Mistake("Name at least two classes, separated by commas.", "classes");
  const [low, high] = [number("low"), number("high")];
  if ((low === null) !== (high === null)) throw new Mistake("Give both ends of the range, or neither.", low === null ? "low" : "high");
  const lease = number("lease");
  const attrs = Object.fromEntries(pairs("attrs"));
  const groups = words("groups");
  const [seed, names] = [count("seed", 0), words("feature-names")];
  return {
    name, classes, strategy: strategy.value, budget: count("budget"), n_features: count("features"),
    bounds: low === null ? null : [[low, high]], budget_cost: number("budget_cost"), conditions: conditions(classes), seed,
    ...(lease !== null && { lease: lease || null }),
    ...(Object.keys(attrs).length && { attrs }),
    ...(groups.length && { groups }),
    ...(names.length && { features: { names } }),
  };
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  for (const one of form.elements) one.removeAttribute("aria-invalid");
  say(find("[data-error]", form), "");
  try {
    const body = wanted();
    await post("/campaigns", body);
    location.assign(pathOf(body.name));
  } catch (caught) {
    const problem = problemOf(caught);
    say(find("[data-error]", form), problem.message);
    const name = caught instanceof Mistake ? caught.field : problem.kind === "campaign-exists" ? "name" : null;
    if (name === null) return;
    const more = field(name).closest("details");
    if (more) more.open = true;
    field(name).setAttribute("aria-invalid", "true");
    field(name).focus();
  }
});

const summarise = () => {
  const { summary = "" } = strategy.selectedOptions[0].dataset;
  find("#strategy-help").textContent = `${sentence(summary)}.`;
};
strategy.addEventListener("change", summarise);
summarise();
