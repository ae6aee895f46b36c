// People: who was let in, letting somebody in by a link and its QR code, and out again.

import { get, pathOf, post, problemOf } from "./api.js";
import { find, findA, h, say } from "./dom.js";

/**
 * @typedef {object} Link
 * @property {string} id
 * @property {string} role
 * @property {string | null} campaign
 * @property {string} name
 * @property {string} made_at
 * @property {string} expires_at
 * @property {"open" | "expired" | "revoked"} state
 */

const { campaign } = document.body.dataset;
const path = campaign === undefined ? "/links" : `${pathOf(campaign)}/links`;
const form = findA(HTMLFormElement, "[data-new-link]");
const where = form.querySelector("select");

/** @type {(text: string) => string} */
const day = (text) => new Date(text).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

/** @param {Link} link */
function row(link) {
  const open = link.state === "open";
  const end = h("button", { class: "button small", type: "button", "aria-label": `Revoke the link of ${link.name}`, onclick: () => revoke(link) }, "Revoke");
  return h("tr", { class: open ? null : "over", "data-link": link.id },
    h("td", {}, link.name), h("td", {}, link.role), campaign === undefined && h("td", {}, link.campaign ?? "the whole studio"),
    h("td", {}, day(link.made_at)), h("td", {}, open ? `until ${day(link.expires_at)}` : link.state), h("td", {}, open && end));
}

async function look() {
  try {
    /** @type {{ links: Link[], address: string, network: boolean, encrypted: boolean }} */
    const { links, address, network, encrypted } = await get(path);
    const head = ["Name", "Role", campaign === undefined && "Campaign", "Since", "State", "End it"].filter((text) => text !== false);
    find("[data-people]").replaceChildren(links.length ? h("table", {},
      h("thead", {}, h("tr", {}, ...head.map((text) => h("th", { scope: "col" }, text)))), h("tbody", {}, ...links.map(row)))
      : h("p", { class: "empty" }, "Nobody yet."));
    find("[data-reach]").textContent = !network ? `Links lead to ${address}, which this machine alone can reach. To let phones in, start the studio with --host.`
      : encrypted ? `Links lead to ${address}.`
      : `Links lead to ${address}, which is not encrypted: whoever is on the same network can read what is sent, links included.`;
    say(find("[data-list-error]"), "");
  } catch (caught) {
    say(find("[data-list-error]"), problemOf(caught).message);
  }
}

/** @param {Link} link */
async function revoke(link) {
  try {
    await post(`${path}/revoke`, { id: link.id });
  } catch (caught) {
    say(find("[data-list-error]"), problemOf(caught).message);
  }
  await look();
}

function wanted() {
  const given = new FormData(form);
  const days = Number(String(given.get("days")).replace(",", "."));
  if (!(days > 0)) throw new Error("Give a number of days that is more than 0.");
  const body = { name: String(given.get("name")).trim(), role: given.get("role"), days };
  if (!body.name) throw new Error("Give a name.");
  return where && where.value ? { ...body, campaign: where.value } : body;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  say(find("[data-error]"), "");
  try {
    /** @type {Link & { url: string, qr: string }} */
    const made = await post(path, wanted());
    find("[data-made]").hidden = false;
    find("[data-made-name]").textContent = `${made.name}, ${made.role}`;
    findA(HTMLImageElement, "[data-qr]").src = made.qr;
    findA(HTMLInputElement, "[data-url]").value = made.url;
    find("[data-copy]").textContent = "Copy";
    find("#made-title").focus();
    await look();
  } catch (caught) {
    say(find("[data-error]"), problemOf(caught).message);
  }
});

find("[data-copy]").addEventListener("click", async () => {
  const line = findA(HTMLInputElement, "[data-url]");
  line.select();
  // Where the address is not safe there is no clipboard; what is selected can be copied by hand.
  await navigator.clipboard?.writeText(line.value).then(() => { find("[data-copy]").textContent = "Copied"; }).catch(() => {});
});

if (where) {
  /** @type {{ campaigns: { name: string }[] }} */
  const { campaigns } = await get("/campaigns");
  where.replaceChildren(h("option", { value: "" }, "the whole studio"), ...campaigns.reverse().map(({ name }) => h("option", { value: name }, name)));
  if (campaigns.length) where.selectedIndex = 1;
}
await look();
