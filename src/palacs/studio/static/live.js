// Following a campaign: look when something changed, reconnect for ever, and say how it stands.
// Every (re)connection looks at everything again, so nothing that happened meanwhile is missed.

import { get, pathOf, problemOf } from "./api.js";
import { find, say } from "./dom.js";

const SOONEST_MS = 400;
const LATEST_MS = 3000;
const SILENCE_MS = 25000;

/**
 * Calls look() now and after every change; never twice at a time, and once more if news came
 * in the middle. Returns a function that looks again.
 * @param {string} campaign
 * @param {() => Promise<void>} look
 */
export function follow(campaign, look) {
  /** @type {EventSource | null} */
  let source = null;
  let wait = SOONEST_MS;
  let silence = 0;
  /** @type {Promise<void> | null} */
  let looking = null;
  let again = false;

  // Resolves when a look that began after this call has ended.
  function refresh() {
    again = true;
    looking ??= lookUntilQuiet().finally(() => { looking = null; });
    return looking;
  }

  async function lookUntilQuiet() {
    try {
      while (again) {
        again = false;
        await look();
      }
      say(find("[data-notice]"), "");
    } catch (caught) {
      const error = problemOf(caught);
      if (error.status !== 0) say(find("[data-notice]"), error.message);
    }
  }

  function listen() {
    clearTimeout(silence);
    silence = setTimeout(lost, SILENCE_MS);
  }

  function lost() {
    rest();
    show("lost", "reconnecting …");
    // A stream cannot say why it was refused; a plain request can.
    get(pathOf(campaign)).catch((error) => {
      if (error.status === 401) {
        say(find("[data-notice]"), "The studio was started again with a new token. Open the address it printed.");
      }
    });
    setTimeout(connect, wait);
    wait = Math.min(wait * 1.6, LATEST_MS);
  }

  // Browsers allow six connections to one place; tabs nobody looks at must not take them all.
  function rest() {
    clearTimeout(silence);
    source?.close();
    source = null;
  }

  function connect() {
    if (source || document.hidden) return;
    source = new EventSource(`/api/v1${pathOf(campaign)}/events`);
    source.addEventListener("hello", () => {
      wait = SOONEST_MS;
      listen();
      show("live", "live");
      refresh();
    });
    source.addEventListener("changed", () => {
      listen();
      refresh();
    });
    source.addEventListener("trouble", (event) => say(find("[data-notice]"), JSON.parse(event.data).message));
    source.addEventListener("error", lost);
  }

  show("", "connecting …");
  connect();
  window.addEventListener("pagehide", rest);
  window.addEventListener("pageshow", (event) => event.persisted && connect());
  document.addEventListener("visibilitychange", () => (document.hidden ? rest() : connect()));
  return refresh;
}

/** @type {(state: string, text: string) => void} */
function show(state, text) {
  const pill = find("[data-connection]");
  pill.hidden = false;
  if (pill.dataset.state !== state) {
    pill.dataset.state = state;
    pill.textContent = text;
  }
}
