import { open, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { HalyardError } from "../../errors/error.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import { PORTS_PER_WORKTREE } from "../../schema/workspace/worktree.ts";
import { Maker } from "./worktree-record.ts";

/** A worktree's first port is 20000 + 10 × slot, which is below the ports that systems assign automatically. */
const FIRST = 20_000;
const SLOTS = 1000;

/** The worktree to which ports belong, and the process that creates it. */
const Reservation = z.strictObject({ path: z.string(), maker: Maker });
type Reservation = z.infer<typeof Reservation>;

/**
 * Reserves ten ports for a worktree and returns the first of them. Two processes never reserve the same ports. Rejects
 * with `limit_exceeded` if all ports are reserved.
 */
export async function reservePorts(directory: string, reservation: Reservation): Promise<number> {
  const slots = join(directory, SLOTS_DIRECTORY);
  await makeDirectory(slots, { mode: 0o700 });
  const taken = new Set(await readdir(slots));
  for (let slot = 0; slot < SLOTS; slot++) {
    if (taken.has(String(slot))) continue;
    try {
      await using file = await open(join(slots, String(slot)), "wx", 0o600);
      await file.writeFile(JSON.stringify(reservation));
      return FIRST + slot * PORTS_PER_WORKTREE;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
  throw new HalyardError(
    "limit_exceeded",
    `All port ranges are in use by ${SLOTS} worktrees. Run "halyard worktree prune" to remove worktrees.`,
  );
}

/** Releases a removed worktree's ports. */
export async function releasePorts(directory: string, portBase: number): Promise<void> {
  const slot = String((portBase - FIRST) / PORTS_PER_WORKTREE);
  await rm(join(directory, SLOTS_DIRECTORY, slot), { force: true });
}

/** Releases the ports of unused reservations, such as the reservation for a worktree whose creation was aborted. */
export async function releaseUnusedPorts(
  directory: string,
  isUsed: (reservation: Reservation) => Promise<boolean>,
): Promise<void> {
  const slots = join(directory, SLOTS_DIRECTORY);
  for (const slot of await readdir(slots).catch(() => [])) {
    const file = join(slots, slot);
    const reservation = await readReservation(file);
    if (reservation && !(await isUsed(reservation))) await rm(file, { force: true });
  }
}

/** Reads a reservation. Returns undefined if the file is missing or not completely written. */
async function readReservation(file: string): Promise<Reservation | undefined> {
  try {
    return Reservation.parse(JSON.parse(await readFile(file, "utf8")));
  } catch {
    return undefined;
  }
}

const SLOTS_DIRECTORY = ".ports";
