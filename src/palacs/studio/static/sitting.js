// A session on the bench: what the participant sees now, pausing it, and its timeline.

import { get, post, problemOf } from "./api.js";
import { find, findA, h, named, say } from "./dom.js";

/** @import { Label, Timeline } from "./shapes.js" */
/** @import { News } from "./stream.js" */
/** @typedef {{ timeline: Timeline, sessions: Record<string, Timeline>, classes: Label[] }} Planned */

const PHASES = /** @type {const} */ (["fixation", "cue", "performing", "rest", "block", "break"]);
const OVER = new Set(["done", "stopped"]);
const WAITING = new Set(["paused", "break"]);
const LARGEST_SIDE = 640;

/** @type {(value: number | number[] | null | undefined) => string} */
const written = (value) => (Array.isArray(value) ? value.join(" - ") : String(value ?? ""));

/** @type {(text: string) => number | number[] | null} */
function read(text) {
  if (!text.trim()) return null;
  const parts = text.split(/\s*(?:-|–|to)\s*/).map((part) => Number(part.trim().replace(",", ".")));
  if (parts.length > 2 || parts.some((part) => !Number.isFinite(part))) throw new Error(`“${text}” is no number of seconds, nor from - to.`);
  return parts.length === 1 ? parts[0] : parts;
}

/** @type {(file: File) => Promise<string>} */
const asAddress = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.addEventListener("load", () => resolve(String(reader.result)));
  reader.addEventListener("error", () => reject(new Error(`${file.name} cannot be read.`)));
  reader.readAsDataURL(file);
});

/** @type {(file: File) => Promise<string>} A picture no larger than a cue needs. */
async function smaller(file) {
  const bitmap = await createImageBitmap(file).catch(() => { throw new Error(`${file.name} is no picture that this browser reads.`); });
  const part = Math.min(1, LARGEST_SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = h("canvas", { width: Math.round(part * bitmap.width), height: Math.round(part * bitmap.height) });
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/webp", 0.85);
}

export class Sitting {
  /** @param {string} path Of the campaign. */
  constructor(path) {
    this.path = path;
    /** @type {Planned | null} */
    this.planned = null;
    /** @type {Required<Pick<Timeline, "pictures" | "sounds">>} */
    this.media = { pictures: {}, sounds: {} };
    this.holder = "";
    this.waits = false;
    this.button = findA(HTMLButtonElement, "[data-session-pause]");
    this.button.addEventListener("click", () => this.command());
    this.begin = findA(HTMLSelectElement, "#begin-with");
    this.begin.addEventListener("change", () => this.fill(this.planned?.sessions[this.begin.value]));
    find("[data-timeline]").addEventListener("submit", (event) => {
      event.preventDefault();
      this.save();
    });
    find("[data-session] details").addEventListener("toggle", () => this.planned ?? this.open());
  }

  /** @param {News} news */
  hear({ phase, holder, label, trial, dry }) {
    if (!phase) return;
    this.holder = holder ?? "";
    this.waits = WAITING.has(phase);
    const over = OVER.has(phase);
    find("[data-session-state]").textContent = over ? "The session is over."
      : [dry ? "Dry run" : "Session", `trial ${trial}`, phase, label].filter(Boolean).join(" · ");
    this.button.disabled = over;
    this.button.textContent = this.waits ? "Let it go on" : "Pause the session";
  }

  async command() {
    await this.tried(() => post(`${this.path}/session/command`, { holder: this.holder, command: this.waits ? "go on" : "pause" }));
  }

  async open() {
    this.planned = /** @type {Planned} */ (await get(`${this.path}/session`));
    this.begin.replaceChildren(h("option", { value: "" }, "what is set"), ...Object.keys(this.planned.sessions).map((name) => h("option", { value: name }, name)));
    this.media = { pictures: { ...this.planned.timeline.pictures }, sounds: { ...this.planned.timeline.sounds } };
    this.fill(this.planned.timeline);
    this.offer(this.planned.classes);
  }

  /** @param {Timeline | undefined} timeline */
  fill(timeline) {
    const chosen = timeline ?? this.planned?.timeline;
    for (const phase of PHASES) this.field(phase).value = written(chosen?.[phase]);
  }

  /** @param {string} phase */
  field(phase) {
    return findA(HTMLInputElement, `[data-phase="${phase}"]`, find("[data-timeline]"));
  }

  /** @param {Label[]} classes */
  offer(classes) {
    find("[data-media]").replaceChildren(...classes.map((label, place) => h("div", { class: "row" }, named(classes, label),
      this.chooser(label, place, "pictures", "image/*", "Picture", smaller), this.chooser(label, place, "sounds", "audio/*", "Sound", asAddress))));
  }

  /** @type {(label: Label, place: number, kind: "pictures" | "sounds", accept: string, text: string, convert: (file: File) => Promise<string>) => HTMLElement} */
  chooser(label, place, kind, accept, text, convert) {
    const id = `${kind}-${place}`;
    const input = h("input", { id, type: "file", accept, "aria-label": `${text} of ${label}` });
    const shown = h("span", {}, this.media[kind][label] ? `${text} ✓` : text);
    input.addEventListener("change", () => this.tried(async () => {
      const file = input.files?.[0];
      if (!file) return;
      this.media[kind][label] = await convert(file);
      shown.textContent = `${text} ✓`;
    }));
    return h("label", { class: "button small file", for: id }, shown, input);
  }

  async save() {
    await this.tried(async () => {
      const times = Object.fromEntries(PHASES.map((phase) => [phase, read(this.field(phase).value)]));
      await post(`${this.path}/change`, { session: { ...times, ...this.media }, reason: "timeline set on the bench" });
      say(find("[data-session-saved]"), "Saved. A page that is open takes it when it is loaded again.");
    });
  }

  /** @param {() => Promise<void>} task */
  async tried(task) {
    say(find("[data-session-saved]"), "");
    try {
      await task();
      say(find("[data-session-error]"), "");
    } catch (caught) {
      say(find("[data-session-error]"), problemOf(caught).message);
    }
  }
}
