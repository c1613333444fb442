/**
 * A path relative to the workspace root, as git writes it. Each character is one byte (latin1), because a file name can
 * contain any bytes.
 */
export type BytePath = string;

/** Splits git's NUL-terminated output into byte strings. */
export function recordsOf(output: Buffer): BytePath[] {
  const records = output.toString("latin1").split("\0");
  records.pop(); // removes the empty record after the last NUL
  return records;
}

/** Joins byte strings into NUL-terminated input for git. */
export function toRecords(paths: readonly BytePath[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
}

/** Decodes a path as UTF-8 for display. Invalid bytes become replacement characters. */
export function toText(path: BytePath): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

/** Returns an absolute path that `node:fs` accepts. */
export function locate(root: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, "latin1")]);
}
