// Connect your instrument: programs that take part in this campaign, to be copied, and when something
// was told last.

import { get, pathOf } from "./api.js";
import { find, findA, h, say } from "./dom.js";
import { ago } from "./locale.js";
import { Clock } from "./timing.js";

/** @import { Standing } from "./shapes.js" */

const MADE_UP = "made up: put your recording here";
const MOST_WRITTEN = 6;

/** @type {(campaign: string) => string} No quote of any language is left in it. */
const addressOf = (campaign) => `${location.origin}/api/v1${pathOf(campaign)}`.replaceAll("'", "%27");

/** @type {(n: number) => string[]} */
const numbers = (n) => Array.from({ length: n }, (_, place) => String((place + 1) / 10));

/** @type {(campaign: string, n: number) => string} */
const python = (campaign, n) => `import json
import os
from urllib.request import ProxyHandler, Request, build_opener

campaign = "${addressOf(campaign)}"
token = os.environ["PALACS_STUDIO_TOKEN"]
studio = build_opener(ProxyHandler({}))


def post(action, **body):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with studio.open(Request(f"{campaign}/{action}", json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)


asked = post("ask", n=1)["requests"][0]
x = ${n > MOST_WRITTEN ? `[0.1] * ${n}` : `[${numbers(n).join(", ")}]`}  # ${MADE_UP}
told = post("tell", id=asked["id"], x=x)["instance"]
print(asked["label"], told["id"])
`;

/** @type {(campaign: string, n: number) => string} */
const matlab = (campaign, n) => `campaign = "${addressOf(campaign)}";
options = weboptions("MediaType", "application/json", "ContentType", "json", "Timeout", 120, ...
    "HeaderFields", ["Authorization" "Bearer " + getenv("PALACS_STUDIO_TOKEN")]);
answer = webwrite(campaign + "/ask", struct("n", 1), options);
asked = answer.requests(1);
x = ${n > MOST_WRITTEN ? `repmat(0.1, 1, ${n})` : `[${numbers(n).join(" ")}]`};  % ${MADE_UP}
told = webwrite(campaign + "/tell", struct("id", asked.id, "x", {num2cell(x)}), options);
disp(asked.label + " " + told.instance.id)
`;

/** @type {(campaign: string, n: number) => string} */
const curl = (campaign, n) => `campaign='${addressOf(campaign)}'
post() { # the token goes in by standard input: everybody can list a program's arguments
    printf 'Authorization: Bearer %s\\n' "$PALACS_STUDIO_TOKEN" |
        curl --noproxy '*' --silent --show-error --fail-with-body -H @- \\
            -H 'Content-Type: application/json' --data "$2" "$campaign/$1"
}
asked=$(post ask '{"n": 1}')
id=$(printf '%s' "$asked" | sed 's/.*"requests":\\[{"id":"\\([^"]*\\)".*/\\1/')
x='${n > MOST_WRITTEN ? `0.1${", 0.1".repeat(n - 1)}` : numbers(n).join(", ")}' # ${MADE_UP}
post tell "{\\"id\\": \\"$id\\", \\"x\\": [$x]}"
`;

/** @type {[string, string, (campaign: string, n: number) => string][]} */
const PROGRAMS = [["python", "Python", python], ["matlab", "MATLAB", matlab], ["curl", "curl", curl]];

export class Connect {
  /** @param {string} campaign */
  constructor(campaign) {
    this.campaign = campaign;
    this.written = 0;
    /** @type {Standing["last_told"]} */
    this.last = null;
    this.clock = new Clock(() => get("/clock"));
    this.clock.compare(1).catch(() => {});
    this.choice = findA(HTMLSelectElement, "#program");
    this.code = find("[data-program] code");
    this.choice.addEventListener("change", () => this.write());
    find("[data-copy]").addEventListener("click", () => this.copy());
    this.choice.replaceChildren(...PROGRAMS.map(([key, name]) => h("option", { value: key }, name)));
    setInterval(() => this.tick(), 1000);
  }

  /** @param {Standing} now */
  show(now) {
    this.last = now.last_told;
    const features = now.n_features ?? 2;
    if (this.written !== features) {
      this.written = features;
      this.write();
    }
    this.tick();
  }

  write() {
    const [, , program] = PROGRAMS.find(([key]) => key === this.choice.value) ?? PROGRAMS[0];
    this.code.textContent = program(this.campaign, this.written);
    say(find("[data-copied]"), "");
  }

  async copy() {
    try {
      await navigator.clipboard.writeText(this.code.textContent ?? "");
      say(find("[data-copied]"), "Copied.");
    } catch {
      // Browsers keep the clipboard from pages at plain addresses; the keyboard always works.
      getSelection()?.selectAllChildren(this.code);
      say(find("[data-copied]"), "It is selected: copy it with the keyboard.");
    }
  }

  tick() {
    const { last } = this;
    const since = last ? Date.now() / 1000 + this.clock.offset - Date.parse(last.at) / 1000 : 0;
    find("[data-last-tell]").textContent = last ? `Last tell ${ago(since)}: ${last.label}, ${last.id}` : "Nothing was told yet.";
  }
}
