// The classes on the bench: a row each; of many the worst ten, and the others by search, order and
// page.

import { get } from "./api.js";
import { colourOf } from "./colours.js";
import { find, findA, h, keepingFocus, named, setWidth } from "./dom.js";
import { percent, whole } from "./locale.js";

/** @import { ClassRow, Evidence, Label, Standing } from "./shapes.js" */

const FEW = 12;
const FIRST = 10;
const PAGE = 50;
const WAIT_MS = 200;

/** @type {(now: Standing) => ClassRow[]} */
function counted(now) {
  const total = now.counts.reduce((sum, count) => sum + count, 0) || 1;
  const paused = new Set(now.paused);
  return now.labels.map((label, place) => ({
    recall: null, judged: 0, label, count: now.counts[place], share: now.counts[place] / total, paused: paused.has(label),
  }));
}

export class Classes {
  /**
   * @param {string} path Of the campaign.
   * @param {(label: Label, paused: boolean) => void} toggle Pauses or resumes a class.
   */
  constructor(path, toggle) {
    this.path = path;
    this.toggle = toggle;
    this.limit = FIRST;
    this.timer = 0;
    this.known = false;
    /** @type {Standing | null} */
    this.now = null;
    this.tools = find("[data-class-tools]");
    this.search = findA(HTMLInputElement, "#class-search");
    this.order = findA(HTMLSelectElement, "#class-order");
    this.search.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.begin(), WAIT_MS);
    });
    this.order.addEventListener("change", () => this.begin());
    find("[data-more-classes]").addEventListener("click", () => {
      this.limit += this.limit < PAGE ? PAGE - this.limit : PAGE;
      this.look();
    });
  }

  begin() {
    this.limit = FIRST;
    this.look();
  }

  /**
   * @param {Standing} now
   * @param {Evidence | null} evidence
   */
  show(now, evidence) {
    this.now = now;
    const many = now.labels.length > FEW;
    this.tools.hidden = !many;
    this.known ||= evidence !== null;
    if (many) {
      this.look();
      return;
    }
    const known = new Map(evidence?.classes.map((row) => [String(row.label), row]));
    this.draw(counted(now).map((row) => {
      const { recall = null, judged = 0 } = known.get(String(row.label)) ?? {};
      return { ...row, recall, judged };
    }));
    find("[data-more-classes]").hidden = true;
  }

  /**
   * Counts are known at once: until there is evidence, classes are listed by them.
   * @param {Standing} now
   */
  list(now) {
    const wanted = this.search.value.trim().toLowerCase();
    const rows = counted(now).filter(({ label }) => String(label).toLowerCase().includes(wanted));
    if (this.order.value === "name") rows.sort((one, other) => String(one.label).localeCompare(String(other.label)));
    else if (this.order.value !== "declared") rows.sort((one, other) => one.count - other.count);
    const shown = rows.slice(0, this.limit);
    this.draw(shown);
    const how = this.order.value === "worst" ? ", the fewest first until recall is worked out" : "";
    this.say(shown.length, rows.length, how);
  }

  /** @type {(shown: number, total: number, how?: string) => void} */
  say(shown, total, how = "") {
    find("[data-class-count]").textContent = `${total > shown ? `${whole(shown)} of ${whole(total)}` : `${whole(total)} found`}${how}`;
    find("[data-more-classes]").hidden = shown >= total;
  }

  async look() {
    if (!this.known && this.now) {
      this.list(this.now);
      return;
    }
    /** @type {ClassRow[]} */
    const rows = [];
    let total = 0;
    const wanted = { search: this.search.value.trim(), order: this.order.value };
    // The interface gives pages of two hundred at most.
    for (let offset = 0; offset < this.limit; offset += 200) {
      const query = new URLSearchParams({ ...wanted, offset: String(offset), limit: String(Math.min(200, this.limit - offset)) });
      /** @type {{ classes: ClassRow[], total: number }} */
      const page = await get(`${this.path}/classes?${query}`);
      rows.push(...page.classes);
      total = page.total;
    }
    if (wanted.search !== this.search.value.trim()) return;
    this.draw(rows);
    this.say(rows.length, total);
  }

  /** @param {ClassRow[]} rows */
  draw(rows) {
    const most = Math.max(...rows.map((row) => row.share), 0) || 1;
    keepingFocus(find("[data-classes]"), h("table", { class: "classes-table" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "class"), h("th", { scope: "col", class: "number" }, "got"),
        h("th", { scope: "col" }, h("span", { class: "unseen" }, "bar")), h("th", { scope: "col", class: "number" }, "share"),
        h("th", { scope: "col", class: "number" }, "recall"), h("th", { scope: "col" }, h("span", { class: "unseen" }, "pause")))),
      h("tbody", {}, rows.map((row) => this.row(row, most)))));
  }

  /** @type {(row: ClassRow, most: number) => HTMLTableRowElement} */
  row(row, most) {
    const classes = this.now?.labels ?? [];
    const bar = h("span", { class: "fill" });
    setWidth(bar, row.share / most);
    return h("tr", { class: `${colourOf(classes, row.label)} ${row.paused ? "paused" : ""}`, "data-class": String(row.label) },
      h("td", {}, named(classes, row.label)),
      h("td", { class: "number", "data-count": true }, String(row.count)),
      h("td", { class: "share", "aria-hidden": "true" }, h("div", { class: "track" }, bar)),
      h("td", { class: "number" }, percent(row.share, row.share > 0 && row.share < 0.01 ? 1 : 0)),
      h("td", { class: "number", title: row.judged ? `Of ${whole(row.judged)} instances that the model did not see.` : null }, percent(row.recall)),
      h("td", {}, h("button", {
        class: "button small", type: "button", "aria-label": `${row.paused ? "Resume" : "Pause"} ${row.label}`,
        onclick: () => this.toggle(row.label, row.paused),
      }, row.paused ? "Resume" : "Pause")));
  }
}
