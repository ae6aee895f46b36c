// Following a campaign: look when something changed, reconnect for ever, and say how it stands.
// Every (re)connection looks at everything again, so nothing that happened meanwhile is missed.

import { get, problemOf } from "./api.js";
import { find, say } from "./dom.js";
import { listen } from "./stream.js";

/** @import { News } from "./stream.js" */

/**
 * Calls look() now and after every change; never twice at a time, and once more if news came
 * in the middle. Returns a function that looks again.
 * @param {string} campaign
 * @param {() => Promise<void>} look
 * @param {(news: News) => void} [onSession] Hears of sessions.
 */
export function follow(campaign, look, onSession) {
  /** @type {Promise<void> | null} */
  let looking = null;
  let again = false;
  /** @type {(() => void) | null} */
  let leave = null;

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

  /** @param {News} news */
  function hear(news) {
    if (news.kind === "hello") show("live", "live");
    if (news.kind === "hello" || news.kind === "changed") refresh();
    if (news.kind === "trouble") say(find("[data-notice]"), news.message);
    if (news.kind === "session") onSession?.(news);
    if (news.kind === "lost") lost();
  }

  function lost() {
    show("lost", "reconnecting …");
    // A stream cannot say why it was refused; a plain request can.
    get("/clock").catch((error) => {
      if (error.status === 401) {
        say(find("[data-notice]"), "The studio was started again, or your link has ended. Open the address that it printed, or your link.");
      }
    });
  }

  // Windows nobody looks at rest.
  function rest() {
    leave?.();
    leave = null;
  }

  function connect() {
    if (!leave && !document.hidden) leave = listen(campaign, hear);
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
