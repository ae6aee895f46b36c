// Answering a request on the bench: numbers typed in, a file dropped, performed, or failed.

import { post, problemOf, sentence, upload } from "./api.js";
import { find, findA, h, named, say } from "./dom.js";
import { exact, several } from "./locale.js";
import { seat } from "./seat.js";

/** @import { Notes } from "./notes.js" */
/** @import { Decision, Label, Pending, Standing } from "./shapes.js" */

export class Answer {
  /**
   * @param {string} path Of the campaign.
   * @param {() => Promise<void>} refresh
   * @param {Notes} notes
   */
  constructor(path, refresh, notes) {
    this.path = path;
    this.refresh = refresh;
    this.notes = notes;
    /** @type {string | null} */
    this.picked = null;
    /** @type {Pending | null} */
    this.current = null;
    /** @type {string | null} The request that was shown when somebody began to type. */
    this.typedFor = null;
    /** @type {Standing | null} */
    this.now = null;
    /** @type {Label[]} */
    this.classes = [];
    /** @type {Set<string>} */
    this.dealt = new Set();
    this.turn = Promise.resolve();
    this.seat = "";
    seat.then((id) => { this.seat = id; });
    this.form = findA(HTMLFormElement, "[data-answer]");
    this.numbers = findA(HTMLTextAreaElement, "[name=numbers]", this.form);
    this.label = findA(HTMLSelectElement, "[name=label]", this.form);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.tell();
    });
    this.numbers.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey) {
        event.preventDefault();
        this.tell();
      }
    });
    this.numbers.addEventListener("input", () => {
      this.typedFor = this.numbers.value.trim() ? this.typedFor ?? this.current?.id ?? null : null;
    });
    find("[data-performed]").addEventListener("click", () => this.act("performed"));
    find("[data-failed]").addEventListener("click", () => this.act("fail", { reason: "reported on the bench", attrs: this.notes.attrs() }));
    find("[data-ask]").addEventListener("click", () => this.run(() => this.ask()));
    const chooser = findA(HTMLInputElement, "#file");
    /** @type {string | null} */
    let chosenFor = null;
    chooser.addEventListener("click", () => { chosenFor = this.current?.id ?? null; });
    chooser.addEventListener("change", () => {
      const file = chooser.files?.[0];
      if (file && !this.overtaken(chosenFor)) this.send(file);
      chooser.value = "";
    });
    this.acceptDrops(find("[data-drop]"));
  }

  /** @param {HTMLElement} zone */
  acceptDrops(zone) {
    // The whole page takes the drop: a file that misses the box must not replace the page.
    for (const kind of ["dragover", "drop"]) document.addEventListener(kind, (event) => event.preventDefault());
    zone.addEventListener("dragover", () => zone.classList.add("over"));
    zone.addEventListener("dragleave", () => zone.classList.remove("over"));
    zone.addEventListener("drop", (event) => {
      zone.classList.remove("over");
      const file = event.dataTransfer?.files[0];
      if (file && this.current) this.send(file);
    });
  }

  /**
   * Answers this request next; one that another page shows and has not performed is taken over.
   * @param {Pending} request
   */
  async pick(request) {
    if (this.elsewhere(request)) await post(`${this.path}/claim`, { id: request.id, take_over: true });
    this.picked = request.id;
    this.typedFor = null;
  }

  /** @param {Pending} request */
  elsewhere({ performed, holder }) {
    return !performed && holder !== null && holder !== this.seat;
  }

  /**
   * @param {Standing} now
   * @param {Decision | null} decided What was decided last; it may still be about an earlier state.
   */
  show(now, decided) {
    this.now = now;
    const before = this.current?.id;
    /** @type {(id: string | null | undefined) => Pending | undefined} */
    const waiting = (id) => now.pending.find((request) => request.id === id);
    const performed = now.pending.find((request) => request.performed && (request.holder === this.seat || !request.holder));
    this.current = waiting(this.picked) ?? waiting(now.asked?.id) ?? performed ?? null;
    const decision = decided?.seq === now.seq ? decided : null;
    const next = now.ends ? null : decision?.next;
    const box = find("[data-next]");
    const key = this.current ? `${this.current.id} ${this.current.performed}` : `next ${next}`;
    if (box.dataset.key !== key) {
      box.dataset.key = key;
      box.replaceChildren(...this.headline(now.labels, next));
    }
    find("[data-why]").textContent = this.reason(now, decided, decision);
    this.form.hidden = !this.current;
    find("[data-performed]").hidden = this.current?.performed ?? true;
    find("[data-ask]").hidden = next === null || now.asked !== null;
    if (this.current && this.current.id !== before) this.offer(now.labels, this.current.label);
  }

  /**
   * Why this is asked for; a request keeps its reason, whatever came in meanwhile.
   * @type {(now: Standing, decided: Decision | null, decision: Decision | null) => string}
   */
  reason(now, decided, decision) {
    if (!this.current) return decision?.why ?? sentence(now.ends);
    if (this.current.id === decided?.asked?.id) return decided.why;
    return this.current.performed || this.current.id !== now.asked?.id ? "Its numbers are still to come." : "";
  }

  /**
   * @param {Label[]} classes
   * @param {Label | null | undefined} next Undefined while that is being decided.
   */
  headline(classes, next) {
    const label = this.current?.label ?? next;
    if (label === undefined) return [h("span", { class: "label quiet" }, "Deciding …")];
    if (label === null) return [h("span", { class: "label" }, "Nothing to ask")];
    const name = named(classes, label);
    name.className = name.className.replace("name", "label");
    const note = !this.current ? "would be asked for next" : this.current.performed ? `${this.current.id}, awaiting data` : this.current.id;
    return [name, h("span", { class: "id" }, note)];
  }

  /**
   * @param {Label[]} classes
   * @param {Label} asked
   */
  offer(classes, asked) {
    this.label.replaceChildren(...classes.map((label, place) =>
      h("option", { value: place, selected: String(label) === String(asked) }, String(label))));
    this.classes = classes;
  }

  /**
   * Whether something was meant for a request that was answered elsewhere or ended meanwhile.
   * @param {string | null} meant
   */
  overtaken(meant) {
    const { current } = this;
    if (!current || meant === null || meant === current.id) return false;
    say(find("[data-error]"), `${meant}, for which this was meant, is answered or over by now, and nothing was recorded. Do it again to record it for ${current.id}, ${current.label}.`);
    return true;
  }

  tell() {
    const request = this.current;
    if (!request) return;
    const late = this.overtaken(this.typedFor);
    this.typedFor = request.id;
    if (late) return;
    this.run(async () => {
      /** @type {{ id: string, text: string, attrs: object, label?: Label }} */
      const body = { id: request.id, text: this.numbers.value, attrs: this.notes.attrs() };
      const label = this.another(request);
      if (label !== undefined) body.label = label;
      const { instance } = await post(`${this.path}/tell`, body);
      this.echo(instance);
      await this.goOn();
    });
  }

  /**
   * The class that was chosen, if it is another than the one asked for.
   * @param {Pending} request
   */
  another(request) {
    const label = this.classes[Number(this.label.value)];
    return String(label) === String(request.label) ? undefined : label;
  }

  /** @param {File} file */
  send(file) {
    const request = this.current;
    if (!request) return;
    // What was chosen when the file came, whatever is shown when its turn comes.
    const label = this.another(request);
    const notes = { attrs: this.notes.attrs(), ...(label !== undefined && { label: String(label) }) };
    this.run(async () => {
      const { instance } = await upload(`${this.path}/upload?id=${encodeURIComponent(request.id)}`, file, notes);
      this.echo(instance);
      await this.goOn();
    });
  }

  /**
   * @param {"performed" | "fail"} action
   * @param {object} more
   */
  act(action, more = {}) {
    const request = this.current;
    if (!request) return;
    this.run(async () => {
      await post(`${this.path}/${action}`, { id: request.id, ...more });
      await this.goOn();
    });
  }

  /**
   * Says how the numbers were understood.
   * @param {{ id: string, x: number[] }} instance
   */
  echo({ id, x }) {
    say(find("[data-told]"), `${id}: ${x.length} ${x.length === 1 ? "feature" : "features"}: ${several(x, 8, exact)}`);
  }

  async goOn() {
    this.numbers.value = "";
    this.typedFor = null;
    this.picked = null;
    await this.refresh();
    if (!this.now) return;
    const onward = findA(HTMLInputElement, "[data-onward]").checked;
    if (onward && !this.now.asked && !this.now.ends) await this.ask();
  }

  async ask() {
    await post(`${this.path}/ask`, { n: 1 });
    await this.refresh();
    // Whoever types a subject meanwhile goes on typing it there.
    const { activeElement } = document;
    if (!(activeElement instanceof HTMLInputElement)) this.numbers.focus({ preventScroll: true });
  }

  /**
   * One thing after the other, at most once for each request, and what goes wrong is said beside
   * the buttons.
   * @param {() => Promise<void>} task
   */
  run(task) {
    const key = this.current?.id ?? `after ${this.now?.seq}`;
    if (this.dealt.has(key)) return;
    this.dealt.add(key);
    this.turn = this.turn.then(async () => {
      try {
        await task();
        say(find("[data-error]"), "");
        this.numbers.removeAttribute("aria-invalid");
      } catch (caught) {
        say(find("[data-error]"), problemOf(caught).message);
        this.numbers.setAttribute("aria-invalid", "true");
        this.dealt.delete(key);
        this.refresh();
      }
      // A request that was performed is dealt with again when its numbers come.
      if (this.now?.pending.some((request) => request.id === key)) this.dealt.delete(key);
    });
  }
}
