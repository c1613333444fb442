import { createHash } from "node:crypto";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newUser } from "../../../test/cli/start-cli.ts";
import { newDaemonUser, startSession } from "../../../test/daemon/scene.ts";
import { serveFakeDaemon } from "../../../test/daemon/serve-fake-daemon.ts";
import { sampleSession } from "../../testing/sample-session.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
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

test("embeds a log that cannot leave its element, whatever it contains", async () => {
  const html = await render("start();", hostile);
  expect(html.match(/<script/gi)).toHaveLength(2);
  expect(html.match(/<img/gi)).toBeNull();
  expect(html.match(/<!--/g)).toBeNull();
  const [log = ""] = contentsOf(html, LOG);
  expect(JSON.parse(log)).toEqual({ session: {}, events: [{ text: hostile }] });
});

test("allows only its own script and style, by their hashes", async () => {
  const html = await render(`start("</script>", "<!-- <script");`, "");
  const [script = ""] = contentsOf(html, '<script type="module">');
  const [style = ""] = contentsOf(html, "<style>");
  expect(script).toBe(`start("\\x3c/script>", "\\x3c!-- \\x3cscript");`);
  const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  expect(html).toContain(
    `content="default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:;`,
  );
});

test("reports that the page is not built", async () => {
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

test("writes the log of a session as lines, as one document and as a page", async () => {
  const user = await newUser();
  expect((await runWarm(user, ["demo", "--format", "quiet"])).exitCode).toBe(0);
  const list = JSON.parse((await runWarm(user, ["sessions", "--format", "json"])).stdout);
  const { stdout } = await runWarm(user, ["export", "demo"]);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events).toHaveLength(list.lastSeq);
  const document = await runWarm(user, ["export", "demo", "--format", "json"]);
  expect(JSON.parse(document.stdout)).toEqual({ session: list, events });
  const file = join(user.cwd, "demo.html");
  expect(await runWarm(user, ["export", "demo", "--html", file])).toMatchObject({
    exitCode: 0,
    stdout: "",
    stderr: expect.stringMatching(/^Wrote \d+ events to /),
  });
  const [log = ""] = contentsOf(await readFile(file, "utf8"), LOG);
  expect(JSON.parse(log)).toEqual({ session: list, events });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await runWarm(user, ["export", "nosuch"])).toMatchObject({ exitCode: 4, stdout: "" });
}, 60_000);

test("writes sessions of a daemon to an archive, and adds them to another home", async () => {
  const user = await newDaemonUser();
  await serveFakeDaemon(user);
  const ids = [await startSession(user, "say one"), await startSession(user, "say two")];
  for (const id of ids) await runWarm(user, ["wait", id]);
  const file = join(user.cwd, "two.halyard");
  expect(await runWarm(user, ["export", ...ids, "--archive", file])).toMatchObject({
    exitCode: 0,
    stdout: "",
    stderr: expect.stringMatching(/^Wrote \d+ events of 2 sessions to /),
  });
  const other = { ...(await newUser()), cwd: user.cwd };
  expect(await runWarm(other, ["import", file])).toMatchObject({
    exitCode: 0,
    stdout: `${ids.join("\n")}\n`,
    stderr: expect.stringMatching(/^Imported 2 sessions with \d+ events\.\n$/),
  });
  const found = await runWarm(other, ["search", "two", "--format", "json"]);
  expect(JSON.parse(found.stdout.split("\n")[0] ?? "")).toMatchObject({ sessionId: ids[1] });
  expect(await runWarm(other, ["import", "missing.halyard"])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining("missing.halyard cannot be read: ENOENT"),
  });
});
