import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { HalyardError } from "../../core/error.ts";
import type { ProcessIdentity } from "../../core/host.ts";
import { errno } from "../recording/errno.ts";
import { carriesMarker } from "./marker.ts";
import { identify } from "./process-identity.ts";
import { listProcesses } from "./process-table.ts";

const Identity = z.object({
  pid: z.number().int().positive(),
  startTime: z.string(),
  bootId: z.string(),
});

/** How a program is recognised later. Its arguments and environment may hold keys and are left out. */
const ProcessRecord = z.object({
  /** The program's file, for people who look into the directory. */
  file: z.string(),
  marker: z.string().regex(/^[0-9a-f]{32}$/),
  /** Left out until the program was started. */
  identity: Identity.optional(),
});
type ProcessRecord = z.infer<typeof ProcessRecord>;

/** A program that was started, whether or not it still runs. */
export interface Program {
  readonly identity: ProcessIdentity;
  readonly marker: string;
}

/** All of it or nothing, whenever we may die. */
export function writeRecord(path: string, record: ProcessRecord): void {
  writeFileSync(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Undefined where nothing was started. */
export async function findProgram(path: string): Promise<Program | undefined> {
  const record = readRecord(path);
  if (record === undefined) return undefined;
  const { marker, identity = await findMarked(marker) } = record;
  return identity && { identity, marker };
}

function readRecord(path: string): ProcessRecord | undefined {
  try {
    return ProcessRecord.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    if (errno(cause) === "ENOENT") return undefined;
    const message = `${path} cannot be read: the program it tells of cannot be found again.`;
    throw new HalyardError("lost", message, { cause });
  }
}

/** Whoever started it died before writing down its pid: it leads the group that it got from us. */
async function findMarked(marker: string): Promise<ProcessIdentity | undefined> {
  const root = (await listProcesses()).find(
    ({ pid, pgid, ended }) => pid === pgid && !ended && carriesMarker(pid, marker),
  );
  return root && identify(root.pid);
}
