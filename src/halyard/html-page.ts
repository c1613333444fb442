import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { HalyardError } from "../errors/error.ts";
import { EMBEDDED_LOG } from "../schema/page/embedded-log.ts";
import type { SessionInfo } from "../schema/session.ts";

/** The code of the page in one script, and its styles. */
export interface PageParts {
  readonly script: string;
  readonly style: string;
}

/** The directory of the export page. The relative path is the same from this file and from the bundled command line. */
const exportDirectory = new URL("../../dist/web/export/", import.meta.url);

/**
 * Reads the parts of the export page: `page.js`, which has no imports, and the style sheet of the served page. Rejects with
 * `unsupported` if the page is not built.
 */
export async function readPageParts(directory: URL = exportDirectory): Promise<PageParts> {
  try {
    const read = (path: string) => readFile(new URL(path, directory), "utf8");
    const [script, served] = await Promise.all([read("page.js"), read("../index.html")]);
    const [, sheet = "no-style-sheet"] = /href="([^"]+\.css)"/.exec(served) ?? [];
    return { script, style: await read(`../${sheet}`) };
  } catch (cause) {
    throw new HalyardError(
      "unsupported",
      'The page is not part of this build. Run "npm run build", or export the session with "--format json".',
      { cause },
    );
  }
}

/**
 * Yields one HTML file that shows a session without a server and can be opened from disk. `log` is the JSON text of an
 * `EmbeddedLog`. The file's content security policy allows only its own script, its own style and images in data URLs: no
 * other scripts, requests or frames.
 */
export async function* htmlPage(
  { script, style }: PageParts,
  session: SessionInfo,
  log: AsyncIterable<string>,
): AsyncGenerator<string> {
  const code = escapeScript(script);
  const title = `${session.name ?? session.about ?? session.id} · Halyard`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(code)}`,
    `style-src ${hashOf(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy.join("; ")}">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="dark light">
<title>${escapeText(title)}</title>
<style>${style}</style>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript.</noscript>
<script type="application/json" id="${EMBEDDED_LOG}">`;
  for await (const piece of log) yield piece.replaceAll("<", "\\u003c");
  yield `</script>
<script type="module">${code}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/**
 * Escapes character sequences that would end the script element or change how HTML parses it. In JavaScript, these
 * sequences occur only in literals.
 */
function escapeScript(script: string): string {
  return script.replace(/<(?=\/script|script|!--)/gi, "\\x3c");
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
