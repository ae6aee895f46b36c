// The REST interface, as the pages use it: JSON in, JSON out, errors that can be shown as they are.

import { newId, seat } from "./seat.js";

export class ApiError extends Error {
  /**
   * @param {string} message
   * @param {number} status 0 where the studio could not be reached.
   * @param {string} kind
   */
  constructor(message, status, kind) {
    super(message);
    this.status = status;
    this.kind = kind;
  }
}

const UNREACHABLE = "The studio cannot be reached. Try again once it is back: nothing is saved twice.";
const ATTEMPTS = 3;

/**
 * What was caught, as something that can be shown.
 * @type {(caught: unknown) => Error & Partial<ApiError>}
 */
export const problemOf = (caught) => (caught instanceof Error ? caught : new Error(String(caught)));

const PERSON = "palacs person";

/**
 * Who works in this tab, kept until it is closed; with an argument, from now on.
 * @type {(name?: string) => string}
 */
export function personHere(name) {
  if (name !== undefined) sessionStorage.setItem(PERSON, name);
  return sessionStorage.getItem(PERSON) ?? "";
}

/**
 * @param {string} path
 * @param {RequestInit} options
 * @returns {Promise<any>} One of the shapes in shapes.js: the caller says which.
 */
async function send(path, options) {
  let response;
  const person = personHere();
  const headers = { ...options.headers, "Palacs-Holder": await seat, ...(person && { "Palacs-Person": encodeURIComponent(person) }) };
  try {
    response = await fetch(`/api/v1${path}`, { credentials: "same-origin", ...options, headers });
  } catch {
    throw new ApiError(UNREACHABLE, 0, "unreachable");
  }
  const body = await response.json().catch(() => null);
  if (!response.ok) {
    const problem = body?.error ?? { message: `The studio answered ${response.status}.`, kind: "http" };
    throw new ApiError(sentence(problem.message), response.status, problem.kind);
  }
  return body;
}

/** @type {(text: string) => string} */
export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @type {(path: string) => Promise<any>} */
export const get = (path) => send(path, {});

/**
 * Ids of actions whose outcome is not known: trying one again is the same action.
 * @type {Map<string, string>}
 */
const unsettled = new Map();

/**
 * Does something once, however often it has to be sent.
 * @param {string} path
 * @param {string} what Tells one action from another.
 * @param {RequestInit} options
 * @returns {Promise<any>}
 */
async function act(path, what, options) {
  const op = unsettled.get(what) ?? newId();
  unsettled.set(what, op);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const answer = await send(path, { method: "POST", priority: "high", ...options, headers: { ...options.headers, "Idempotency-Key": op } });
      unsettled.delete(what);
      return answer;
    } catch (caught) {
      const { status, kind } = problemOf(caught);
      const lost = status === 0 || kind === "outcome-unknown";
      if (!lost) unsettled.delete(what);
      if (!lost || attempt === ATTEMPTS) throw caught;
      await new Promise((resolve) => { setTimeout(resolve, 200 * attempt); });
    }
  }
}

/** @type {(path: string, body?: object) => Promise<any>} */
export const post = (path, body = {}) => {
  const text = JSON.stringify(body);
  return act(path, `${path} ${text}`, { headers: { "Content-Type": "application/json" }, body: text });
};

/** @type {(path: string, file: File, notes?: { attrs?: object, label?: string }) => Promise<any>} */
export const upload = (path, file, { attrs = {}, label } = {}) => {
  const form = new FormData();
  form.append("file", file, file.name);
  form.append("attrs", JSON.stringify(attrs));
  if (label !== undefined) form.append("label", label);
  return act(path, `${path} ${file.name} ${file.size} ${file.lastModified} ${label}`, { body: form });
};

/**
 * Any name fits into an address; browsers resolve dots, so these get a tilde in front.
 * @type {(campaign: string) => string}
 */
export const pathOf = (campaign) => `/campaigns/${/^~*\.\.?$/.test(campaign) ? "~" : ""}${encodeURIComponent(campaign)}`;

/** The campaign this page is about. */
export function campaignOfPage() {
  const { campaign } = document.body.dataset;
  if (campaign === undefined) throw new Error("This page belongs to no campaign.");
  return campaign;
}
