import { z } from "zod";
import type { ProcessIdentity } from "../../contracts/host.ts";
import { readRecord, writeRecord } from "../recording/record.ts";
import { hasMarker } from "./marker.ts";
import { identify } from "./process-identity.ts";
import { listProcesses } from "./process-table.ts";

const Identity = z.object({
  pid: z.number().int().positive(),
  startTime: z.string(),
  bootId: z.string(),
});

/**
 * Data by which a program can be identified later. Contains no arguments or environment, because they may contain keys.
 */
const ProcessRecord = z.object({
  /** The program's file, as information for users who inspect the directory. */
  file: z.string(),
  marker: z.string().regex(/^[0-9a-f]{32}$/),
  /** Absent until the program is started. */
  identity: Identity.optional(),
});
type ProcessRecord = z.infer<typeof ProcessRecord>;

/** A program that was started. It may have exited. */
export interface Program {
  readonly identity: ProcessIdentity;
  readonly marker: string;
}

export function writeProcessRecord(path: string, record: ProcessRecord): void {
  writeRecord(path, record);
}

/** Returns the recorded program. Returns undefined if no program was started. */
export async function findProgram(path: string): Promise<Program | undefined> {
  const record = readRecord(path, ProcessRecord);
  if (record === undefined) return undefined;
  const { marker, identity = await findMarked(marker) } = record;
  return identity && { identity, marker };
}

/**
 * Finds the program by its marker if the process that started it died before it recorded the pid. The program leads its
 * process group.
 */
async function findMarked(marker: string): Promise<ProcessIdentity | undefined> {
  const root = (await listProcesses()).find(
    ({ pid, pgid, ended }) => pid === pgid && !ended && hasMarker(pid, marker),
  );
  return root && identify(root.pid);
}
