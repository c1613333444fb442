import type { CodexFileChange } from "./items.ts";

/** Returns a patch's changes as one unified diff, or undefined if Codex sends no diff. */
export function unifiedDiff(changes: readonly CodexFileChange[]): string | undefined {
  const parts = changes.flatMap((change) => fileDiff(change) ?? []);
  return parts.length === 0 ? undefined : parts.join("");
}

function fileDiff({ path, kind, diff }: CodexFileChange): string | undefined {
  if (diff === undefined) return undefined;
  const { type, move_path: movedTo } = typeof kind === "string" ? { type: kind } : kind;
  switch (type) {
    case "add":
      return `--- /dev/null\n+++ ${path}\n${fileHunk(diff, "+")}`;
    case "delete":
      return `--- ${path}\n+++ /dev/null\n${fileHunk(diff, "-")}`;
    default:
      return `--- ${path}\n+++ ${movedTo ?? path}\n${withNewline(diff)}`;
  }
}

function fileHunk(content: string, sign: "+" | "-"): string {
  if (content === "") return "";
  const lines = withNewline(content).slice(0, -1).split("\n");
  const range = lines.length === 1 ? "1" : `1,${lines.length}`;
  const header = sign === "+" ? `@@ -0,0 +${range} @@` : `@@ -${range} +0,0 @@`;
  const body = lines.map((line) => `${sign}${line}\n`).join("");
  const end = content.endsWith("\n") ? "" : "\\ No newline at end of file\n";
  return `${header}\n${body}${end}`;
}

function withNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
