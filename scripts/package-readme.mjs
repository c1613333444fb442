import { readFile, rename, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import packageJson from "../package.json" with { type: "json" };

/**
 * The README links to files that the npm package does not contain. `strip` runs before npm packs and replaces such links
 * with their text. `restore` runs afterwards and restores the README.
 */
const readme = fileURLToPath(new URL("../README.md", import.meta.url));
const original = fileURLToPath(new URL("../.README.original.md", import.meta.url));

const [, , action] = process.argv;
if (action === "strip") {
  await restore(); // an interrupted run may have left the README stripped
  const text = await readFile(readme, "utf8");
  await writeFile(original, text);
  await writeFile(readme, strip(text));
} else {
  await restore();
}

/** @param {string} text */
function strip(text) {
  return text
    .replace(/\n<img src="(?!https?:)[^>]*>\n/g, "")
    .replace(/\[((?:[^\][]|\[[^\]]*\])+)\]\(([^)\s]+)\)/g, (link, label, target) =>
      isShipped(target) ? link : label,
    );
}

/** @param {string} target */
function isShipped(target) {
  if (/^(?:#|https?:)/.test(target)) return true;
  const [path = ""] = target.split("#");
  return packageJson.files.some((file) => path === file || path.startsWith(`${file}/`));
}

async function restore() {
  await rename(original, readme).catch((error) => {
    if (error.code !== "ENOENT") throw error;
  });
}
