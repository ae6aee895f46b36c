// Many instances at once: a table is sent, and either all of it is recorded or none.

import { problemOf, upload } from "./api.js";
import { find, findA, say } from "./dom.js";
import { whole } from "./locale.js";

/** @import { Notes } from "./notes.js" */

/**
 * @param {string} path Of the campaign.
 * @param {Notes} notes
 * @param {() => Promise<void>} refresh
 */
export function takeTables(path, notes, refresh) {
  const chooser = findA(HTMLInputElement, "#table-file");
  chooser.addEventListener("change", async () => {
    const file = chooser.files?.[0];
    chooser.value = "";
    if (!file) return;
    say(find("[data-table-error]"), "");
    say(find("[data-table-told]"), `Reading ${file.name} …`);
    try {
      /** @type {{ instances: number, n_classes: number }} */
      const { instances, n_classes: classes } = await upload(`${path}/table`, file, { attrs: notes.attrs() });
      say(find("[data-table-told]"), `${file.name}: ${whole(instances)} instances of ${whole(classes)} ${classes === 1 ? "class" : "classes"} recorded.`);
      await refresh();
    } catch (caught) {
      say(find("[data-table-told]"), "");
      say(find("[data-table-error]"), problemOf(caught).message);
    }
  });
}
