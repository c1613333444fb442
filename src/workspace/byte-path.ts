/**
 * A path relative to the root of a workspace, as git writes it. Each character is one byte (latin1), because a name may
 * contain any bytes.
 */
export type BytePath = string;

/** Splits NUL-terminated output of git into byte strings. */
export function recordsOf(output: Buffer): BytePath[] {
  const records = output.toString("latin1").split("\0");
  records.pop(); // removes the empty record after the last NUL
  return records;
}

/** Joins byte strings to NUL-terminated input for git. */
export function toRecords(paths: readonly BytePath[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(""), "latin1");
}

/** Returns the path as text for people. Bytes that are not UTF-8 are replaced. */
export function toText(path: BytePath): string {
  return Buffer.from(path, "latin1").toString("utf8");
}

/** Returns the absolute path for functions of `node:fs`. */
export function locate(root: string, path: BytePath): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, "latin1")]);
}
