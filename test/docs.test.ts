import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));

test("the generated pages are up to date", async () => {
  const check = promisify(execFile)(process.execPath, ["scripts/generate-docs.mjs", "--check"], {
    cwd: root,
  });
  await expect(check).resolves.toEqual({ stdout: "", stderr: "" });
});

test("docs/reference/api.md describes every library export", async () => {
  const api = await readFile(join(root, "docs/reference/api.md"), "utf8");
  const entry = await readFile(join(root, "src/index.ts"), "utf8");
  const names = [...entry.matchAll(/\{([^}]*)\}/g)].flatMap(([, list = ""]) =>
    list.split(",").map((name) => name.replace(/^\s*type\s/, "").trim()),
  );
  const isDocumented = (name: string) =>
    new RegExp(`^\\| \`${name}\` \\|.*\\| \\S.*\\|$`, "m").test(api);
  expect(names.filter((name) => name !== "" && !isDocumented(name))).toEqual([]);
});

describe("every link within the repository resolves", async () => {
  test.each(await pages())("%s", async (page) => {
    const text = await readFile(join(root, page), "utf8");
    const broken: string[] = [];
    for (const target of linksIn(text)) {
      const [path = "", anchor] = target.split("#");
      const file = path === "" ? page : join(dirname(page), path);
      if (!(await resolves(file, anchor))) broken.push(target);
    }
    expect(broken).toEqual([]);
  });
});

async function pages(): Promise<string[]> {
  const docs = await readdir(join(root, "docs"), { recursive: true });
  const all = [...(await readdir(root)), ...docs.map((name) => join("docs", name))];
  return all.filter((name) => name.endsWith(".md"));
}

/** Returns the Markdown and HTML links in a page, except links in code and links to other sites. */
function linksIn(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "");
  const links = prose.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g);
  return [...links]
    .map(([, markdown, html]) => markdown ?? html ?? "")
    .filter((target) => !/^[a-z]+:/.test(target));
}

async function resolves(file: string, anchor: string | undefined): Promise<boolean> {
  const text = await readFile(join(root, file), "utf8").catch((error) =>
    error.code === "EISDIR" ? "" : undefined,
  );
  if (text === undefined || anchor === undefined) return text !== undefined;
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => toAnchor(heading));
  return headings.includes(anchor);
}

/** Returns the anchor that GitHub generates for a heading. */
function toAnchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

test("only docs/coming-from.md, CHANGELOG.md and the reference name the products that Halyard is compatible with", async () => {
  const handwritten = (await pages()).filter(
    (page) =>
      !["docs/coming-from.md", "CHANGELOG.md"].includes(page) &&
      !page.startsWith("docs/reference/"),
  );
  const texts = await Promise.all(handwritten.map((page) => readFile(join(root, page), "utf8")));
  const names = /Oubliette|Gas Town|OpenClaw/;
  expect(handwritten.filter((_, index) => names.test(texts[index] ?? ""))).toEqual([]);
});

test("no two files have names that differ only in case", async () => {
  const { stdout } = await promisify(execFile)("git", ["ls-files"], { cwd: root });
  const names = stdout.toLowerCase().split("\n");
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
