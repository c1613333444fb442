import { z } from "zod";
import type { ProcessIdentity } from "../../core/host.ts";
import { readRecord, writeRecord } from "../recording/record.ts";
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

export function writeProcessRecord(path: string, record: ProcessRecord): void {
  writeRecord(path, record);
}

/** Undefined where nothing was started. */
export async function findProgram(path: string): Promise<Program | undefined> {
  const record = readRecord(path, ProcessRecord);
  if (record === undefined) return undefined;
  const { marker, identity = await findMarked(marker) } = record;
  return identity && { identity, marker };
}

/** Whoever started it died before writing down its pid: it leads the group that it got from us. */
async function findMarked(marker: string): Promise<ProcessIdentity | undefined> {
  const root = (await listProcesses()).find(
    ({ pid, pgid, ended }) => pid === pgid && !ended && carriesMarker(pid, marker),
  );
  return root && identify(root.pid);
}
