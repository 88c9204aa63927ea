// Starts the page: with the run that an exported file has in itself, else with the service.

import { html, render } from "./vendor/htm-preact.js";
import { readExport } from "./export.js";
import { Page } from "./page.js";
import { restoreTheme } from "./theme.js";

restoreTheme();
const root = document.getElementById("page");
readExport().then((exported) => {
  root.textContent = "";
  render(html`<${Page} exported=${exported} />`, root);
});
