import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const directory = "dist/web";

async function sizeOf(path: string): Promise<number> {
  return gzipSync(await readFile(join(directory, path)), { level: 9 }).length;
}

test("the page loads at most 60 KB initially and 300 KB in total, compressed", async () => {
  const html = await readFile(join(directory, "index.html"), "utf8");
  const linked = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = ""]) => path);
  const first = new Set(["index.html", ...linked]);
  for (const path of first) {
    // Static imports are loaded immediately; dynamic imports are loaded later.
    const code = path.endsWith(".js") ? await readFile(join(directory, path), "utf8") : "";
    for (const [, name = ""] of code.matchAll(/(?:from|import)"\.\/([^"]+)"/g))
      first.add(`assets/${name}`);
  }
  expect([...first].filter((path) => path.endsWith(".js")).length).toBeGreaterThan(0);
  let firstLoad = 0;
  for (const path of first) firstLoad += await sizeOf(path);
  expect(firstLoad).toBeLessThan(60_000);

  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const names = files.filter((file) => file.isFile() && !/\.(gz|br)$/.test(file.name));
  let all = 0;
  for (const { parentPath, name } of names)
    all += await sizeOf(join(parentPath, name).slice(directory.length + 1));
  expect(all).toBeLessThan(300_000);
});

test("the page adds at most 400 KB to the package", async () => {
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  let bytes = 0;
  for (const file of files)
    if (file.isFile()) bytes += (await stat(join(file.parentPath, file.name))).size;
  expect(bytes).toBeLessThan(400_000);
});

test("index.html contains no inline script, no inline style, and no URL of another server", async () => {
  const html = await readFile(join(directory, "index.html"), "utf8");
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=/);
  expect(html).not.toMatch(/https?:\/\//);
});
