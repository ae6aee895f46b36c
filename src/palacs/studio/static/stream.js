// One event stream for all windows of this browser: browsers allow six connections to one place,
// and windows that each kept one would leave none for what is to be written. The window that holds
// the lock listens for all of them and passes on what it hears; when it goes, the next one does.

/**
 * @typedef {object} News
 * @property {"hello" | "changed" | "lost" | "beat" | "trouble" | "session"} kind
 * @property {string} [campaign]
 * @property {string} [message] What the trouble is.
 * @property {string} [command] What a session's page is to do.
 * @property {string} [to] Which one.
 * @property {string} [phase] What a session's page shows.
 * @property {string} [holder] Which one.
 * @property {string | number} [label]
 * @property {number} [trial]
 * @property {boolean} [dry]
 */
/** @typedef {{ kind: "who" } | { kind: "here", campaign: string }} Call */

const SOONEST_MS = 400;
const LATEST_MS = 3000;
const SILENCE_MS = 25000;
const GATHER_MS = 60;

/**
 * Hears of everything that happens in a campaign; returns a function that ends it.
 * @param {string} campaign
 * @param {(news: News) => void} hear
 */
export function listen(campaign, hear) {
  const channel = new BroadcastChannel("palacs stream");
  const leaving = new AbortController();
  let leads = false;
  /** @type {Set<string>} */
  let followed = new Set();
  /** @type {EventSource | null} */
  let source = null;
  let [wait, silence, retry] = [SOONEST_MS, 0, 0];

  /** @type {(message: News | Call) => void} */
  const send = (message) => {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has none
    channel.postMessage(message);
  };

  /** @type {(news: News) => void} */
  function pass(news) {
    send(news);
    if (!news.campaign || news.campaign === campaign) hear(news);
  }

  function quiet() {
    clearTimeout(silence);
    clearTimeout(retry);
    source?.close();
    source = null;
  }

  // Whoever is silent for long is gone, whether a window or the studio.
  function heard() {
    clearTimeout(silence);
    silence = setTimeout(leads ? lost : missed, leads ? SILENCE_MS : 2 * SILENCE_MS);
  }

  function missed() {
    hear({ kind: "lost" });
    send({ kind: "here", campaign });
    heard();
  }

  function lost() {
    quiet();
    pass({ kind: "lost" });
    retry = setTimeout(gather, wait);
    wait = Math.min(wait * 1.6, LATEST_MS);
  }

  // Asks the other windows what they follow, and listens to all of it.
  function gather() {
    followed = new Set([campaign]);
    send({ kind: "who" });
    retry = setTimeout(connect, GATHER_MS);
  }

  function connect() {
    quiet();
    source = new EventSource(`/api/v1/events?${new URLSearchParams([...followed].map((name) => ["campaign", name]))}`);
    for (const kind of /** @type {const} */ (["hello", "changed", "beat", "trouble", "session"])) {
      source.addEventListener(kind, (event) => {
        wait = SOONEST_MS;
        heard();
        pass({ ...JSON.parse(event.data), kind });
      });
    }
    source.addEventListener("error", lost);
    heard();
  }

  channel.addEventListener("message", ({ data }) => {
    if (data.kind === "who") send({ kind: "here", campaign });
    else if (data.kind === "here") {
      if (leads && followed.has(data.campaign) && source?.readyState === EventSource.OPEN) pass({ kind: "hello", campaign: data.campaign });
      else if (leads && !followed.has(data.campaign)) {
        followed.add(data.campaign);
        if (source) connect();
      }
    } else if (!data.campaign || data.campaign === campaign) {
      heard();
      hear(data);
    }
  });

  const lead = () => {
    leads = true;
    gather();
    return new Promise((resolve) => { leaving.signal.addEventListener("abort", resolve); });
  };
  send({ kind: "here", campaign });
  heard();
  if (navigator.locks) navigator.locks.request("palacs stream", { signal: leaving.signal }, lead).catch(() => {});
  else lead();

  return () => {
    leads = false;
    quiet();
    channel.close();
    leaving.abort();
  };
}
