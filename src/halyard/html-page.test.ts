import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { sampleSession } from "../testing/sample-session.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { htmlPage, readPageParts } from "./html-page.ts";

const hostile = "</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)> \u2028";

const LOG = '<script type="application/json" id="halyard-log">';

async function render(script: string, text: string): Promise<string> {
  async function* log() {
    yield JSON.stringify({ session: {}, events: [{ text }] });
  }
  let html = "";
  const session = sampleSession({ name: hostile });
  for await (const piece of htmlPage({ script, style: "body { margin: 0 }" }, session, log()))
    html += piece;
  return html;
}

/** Returns the contents of all elements that an HTML parser finds with this start tag. */
function contentsOf(html: string, tag: string): string[] {
  const name = tag.slice(1).split(/[ >]/, 1)[0];
  return html
    .split(tag)
    .slice(1)
    .map((rest) => rest.split(new RegExp(`</${name}`, "i"), 1)[0] ?? "");
}

test("escapes a hostile log and a hostile session name, so that neither adds an element", async () => {
  const html = await render("start();", hostile);
  expect(html.match(/<script/gi)).toHaveLength(2);
  expect(html.match(/<img/gi)).toBeNull();
  expect(html.match(/<!--/g)).toBeNull();
  const [log = ""] = contentsOf(html, LOG);
  expect(JSON.parse(log)).toEqual({ session: {}, events: [{ text: hostile }] });
});

test("allows only the page's own script and style, by hash", async () => {
  const html = await render(`start("</script>", "<!-- <script");`, "");
  const [script = ""] = contentsOf(html, '<script type="module">');
  const [style = ""] = contentsOf(html, "<style>");
  expect(script).toBe(`start("\\x3c/script>", "\\x3c!-- \\x3cscript");`);
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  expect(html).toContain(
    `content="default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:;`,
  );
});

test("rejects with advice if the page is not built, and otherwise returns its script and style", async () => {
  const built = pathToFileURL(`${await temporaryDirectory()}/`);
  const empty = new URL("export/", built);
  await mkdir(empty);
  await expect(readPageParts(empty)).rejects.toMatchObject({
    code: "unsupported",
    message: expect.stringContaining("--format json"),
  });
  await writeFile(new URL("page.js", empty), "start();");
  await writeFile(new URL("index.html", built), '<link rel="stylesheet" href="main-1.css" />');
  await writeFile(new URL("main-1.css", built), "body {}");
  expect(await readPageParts(empty)).toEqual({ script: "start();", style: "body {}" });
});
