// Changing a campaign's course on the bench: its budget, its end and its going on, with a reason.

import { post, problemOf } from "./api.js";
import { find, findA, say } from "./dom.js";

/** @import { Standing } from "./shapes.js" */

/** @type {Record<string, string>} */
const MEANINGS = {
  open: "This campaign is open.",
  closed: "This campaign is closed: nothing new is asked for, but what is under way can be told.",
  archived: "This campaign is archived: it is closed, and not in the list of campaigns.",
};

export class Course {
  /**
   * @param {string} path Of the campaign.
   * @param {() => Promise<void>} refresh
   */
  constructor(path, refresh) {
    this.path = path;
    this.refresh = refresh;
    this.form = findA(HTMLFormElement, "[data-change-course]");
    this.budget = findA(HTMLInputElement, "#course-budget", this.form);
    this.reason = findA(HTMLInputElement, "#course-reason", this.form);
    // What somebody typed stays while the reason is typed, whatever comes in meanwhile.
    this.typed = false;
    this.budget.addEventListener("input", () => { this.typed = true; });
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const button = event.submitter;
      this.act((button instanceof HTMLElement && button.dataset.courseAction) || "change");
    });
  }

  /** @param {Standing} now */
  show({ phase, budget }) {
    find("[data-course]").textContent = MEANINGS[phase];
    for (const button of this.form.querySelectorAll("button")) {
      button.hidden = (button.dataset.courseAction === "reopen") === (phase === "open");
    }
    this.typed &&= this.form.contains(document.activeElement) || this.reason.value !== "";
    if (!this.typed) this.budget.value = budget === null ? "" : String(budget);
    this.budget.disabled = false;
  }

  /** @param {string} action */
  async act(action) {
    const reason = this.reason.value.trim();
    const text = this.budget.value.trim();
    if (action === "change" && text && !/^[1-9]\d*$/.test(text)) {
      say(find("[data-course-error]"), `“${text}” is not a whole number of at least 1.`);
      return;
    }
    const budget = text ? Number(text) : null;
    if (!(await this.send(action, action === "change" ? { budget, reason } : { reason }))) return;
    this.reason.value = "";
    this.typed = false;
    this.budget.blur();
  }

  /** @param {string} id */
  async renew(id) {
    await this.send("renew", { id, reason: "renewed on the bench" });
  }

  /**
   * @param {string} action
   * @param {object} body
   */
  async send(action, body) {
    try {
      await post(`${this.path}/${action}`, body);
      say(find("[data-course-error]"), "");
      this.refresh();
      return true;
    } catch (caught) {
      say(find("[data-course-error]"), problemOf(caught).message);
      return false;
    }
  }
}
