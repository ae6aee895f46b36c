// The REST interface, as the pages use it: JSON in, JSON out, errors that can be shown as they are.

export class ApiError extends Error {
  constructor(message, status, kind) {
    super(message);
    this.status = status;
    this.kind = kind;
  }
}

const UNREACHABLE = "The studio cannot be reached, so nothing was saved. Try again once it is back.";

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

const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const get = (path) => send(path, {});

export const post = (path, body = {}) =>
  send(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export const upload = (path, file) => {
  const form = new FormData();
  form.append("file", file, file.name);
  return send(path, { method: "POST", body: form });
};

export const pathOf = (campaign) => `/campaigns/${encodeURIComponent(campaign)}`;
