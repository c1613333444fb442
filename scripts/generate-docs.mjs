/**
 * Generates the pages of docs/reference/ from the code. With `--check`, writes nothing and exits with 1 if a page is stale.
 * Reads dist/: run `npm run build` first.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { apiPage } from "./docs/api-page.mjs";
import { configurationPage } from "./docs/configuration-page.mjs";
import { errorsPage } from "./docs/errors-page.mjs";
import { eventsPage } from "./docs/events-page.mjs";

const pages = {
  "docs/reference/api.md": apiPage,
  "docs/reference/configuration.md": configurationPage,
  "docs/reference/errors.md": errorsPage,
  "docs/reference/events.md": eventsPage,
};

const isCheck = process.argv.includes("--check");
for (const [path, page] of Object.entries(pages)) {
  const file = new URL(`../${path}`, import.meta.url);
  const text = page();
  if (text === read(file)) continue;
  if (isCheck) {
    process.stderr.write(`${path} is stale. Run "npm run docs".\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(file, text);
    process.stdout.write(`${path}\n`);
  }
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
