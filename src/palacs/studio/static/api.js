// The REST interface, as the pages use it: JSON in, JSON out, errors that can be shown as they are.

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

const UNREACHABLE = "The studio cannot be reached, so nothing was saved. Try again once it is back.";

/**
 * What was caught, as something that can be shown.
 * @type {(caught: unknown) => Error & Partial<ApiError>}
 */
export const problemOf = (caught) => (caught instanceof Error ? caught : new Error(String(caught)));

/**
 * @param {string} path
 * @param {RequestInit} options
 * @returns {Promise<any>} One of the shapes in shapes.js: the caller says which.
 */
async function send(path, options) {
  let response;
  try {
    response = await fetch(`/api/v1${path}`, { credentials: "same-origin", ...options });
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

/** @type {(path: string, body?: object) => Promise<any>} */
export const post = (path, body = {}) =>
  send(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

/** @type {(path: string, file: File) => Promise<any>} */
export const upload = (path, file) => {
  const form = new FormData();
  form.append("file", file, file.name);
  return send(path, { method: "POST", body: form });
};

/** @type {(campaign: string) => string} */
export const pathOf = (campaign) => `/campaigns/${encodeURIComponent(campaign)}`;

/** The campaign this page is about. */
export function campaignOfPage() {
  const { campaign } = document.body.dataset;
  if (campaign === undefined) throw new Error("This page belongs to no campaign.");
  return campaign;
}
