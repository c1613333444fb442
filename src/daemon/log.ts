import { appendFileSync, renameSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import type { Environment } from "../config/paths.ts";
import { createRedactor } from "../log/redaction/redaction.ts";
import { secretsIn } from "../log/redaction/secrets.ts";

/** Appends a text with a timestamp to the daemon's log file. */
export type Log = (text: string) => void;

export interface LogOptions {
  /** The size in bytes at which the file is rotated. One rotated file is kept. Defaults to 1 MiB. */
  readonly maxBytes?: number;
  readonly now: () => Date;
  /** The environment whose secret values are redacted. */
  readonly env: Environment;
}

/**
 * Opens a log that writes synchronously, so that the last lines of a crashing daemon are kept. Ignores write errors,
 * for example on a full disk.
 */
export function openLog(file: string, { maxBytes = 1024 * 1024, now, env }: LogOptions): Log {
  const redactor = createRedactor(secretsIn(env));
  return (text) => {
    const line = `${now().toISOString()} ${redactor.redact(text).replaceAll("\n", "\n  ")}\n`;
    try {
      if (logSize(file) > maxBytes) renameSync(file, `${file}.1`);
      appendFileSync(file, line, { mode: 0o600 });
    } catch {
      // Ignored: important problems are also reported to the client.
    }
  };
}

/** Returns the size of the log in bytes, or 0 if it does not exist. */
export function logSize(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}

/**
 * Returns the text that was appended to a log after it had the size `since`, or the whole file if the log is now smaller.
 * Returns at most the last 4 KiB, and an empty string if the log cannot be read.
 */
export async function readLogSince(file: string, since: number): Promise<string> {
  try {
    await using handle = await open(file);
    const { size } = await handle.stat();
    const start = Math.max(since > size ? 0 : since, size - MOST_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), {
      position: start,
    });
    return buffer.toString("utf8", 0, bytesRead).trim();
  } catch {
    return ""; // the file does not exist or cannot be read
  }
}

const MOST_BYTES = 4 * 1024;
