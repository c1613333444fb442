import { appendFileSync, renameSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import type { Environment } from "../config/paths.ts";
import { createRedactor } from "../core/redaction.ts";
import { secretsIn } from "../core/secrets.ts";

/** Where a daemon writes down what it does. */
export type Log = (text: string) => void;

export interface LogOptions {
  /** The file is begun anew when it gets longer, and one older one is kept. */
  readonly maxBytes?: number;
  readonly now: () => Date;
  /** Keys in here are never written down. */
  readonly env: Environment;
}

/** Written at once, so that the last words of a daemon that dies are there. A disk that is full costs the log only. */
export function openLog(file: string, { maxBytes = 1024 * 1024, now, env }: LogOptions): Log {
  const redactor = createRedactor(secretsIn(env));
  return (text) => {
    const line = `${now().toISOString()} ${redactor.redact(text).replaceAll("\n", "\n  ")}\n`;
    try {
      if (logSize(file) > maxBytes) renameSync(file, `${file}.1`);
      appendFileSync(file, line, { mode: 0o600 });
    } catch {
      // what matters is told elsewhere too
    }
  };
}

/** How long the log is now; nothing where there is none. */
export function logSize(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}

/** What was added to a log since it was so long, at most the end of it. */
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
    return ""; // there is none
  }
}

const MOST_BYTES = 4 * 1024;
