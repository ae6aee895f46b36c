// Reports: a list; each opens in a tab of its own, sandboxed by the server.

import { get, problemOf } from "./api.js";
import { find, h, say } from "./dom.js";
import { moment } from "./locale.js";

try {
  /** @type {{ reports: { name: string, url: string, written_at: string }[] }} */
  const { reports } = await get("/reports");
  const list = find("[data-reports]");
  list.replaceChildren(...reports.map((report) =>
    h("li", {}, h("a", { class: "campaign", href: report.url, target: "_blank", rel: "noopener" },
      h("strong", {}, report.name), h("span", { class: "tally" }, "Open"),
      h("span", { class: "detail" }, `written ${moment(report.written_at)}`)))));
  list.removeAttribute("aria-busy");
  find("[data-empty]").hidden = reports.length > 0;
} catch (caught) {
  say(find("[data-error]"), problemOf(caught).message);
}
