import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { containerRuntimeNames } from "../../containers/container-runtime.ts";
import { HalyardError } from "../../core/error.ts";
import { errno } from "../recording/errno.ts";

/** How a program in a container is found again. Its arguments and environment may hold keys and are left out. */
export const ContainerRecord = z.object({
  engine: z.object({ name: z.enum(containerRuntimeNames), address: z.string() }),
  /** The container's id, and which of its runs: a program does not outlive it. */
  container: z.string(),
  startedAt: z.string(),
  /** What the container is looked after by, see `Place`. */
  directory: z.string(),
  /** The program's file, for people who look into the directory. */
  file: z.string(),
  marker: z.string().regex(/^[0-9a-f]{32}$/),
  /** Left out until the program was started. */
  started: z
    .object({
      /** Inside of the container. */
      pid: z.number().int().positive(),
      startTime: z.string(),
      /** The engine's own name for it. */
      exec: z.string().optional(),
    })
    .optional(),
});
export type ContainerRecord = z.infer<typeof ContainerRecord>;

/** A program that was started, whether or not it still runs. */
export type StartedRecord = ContainerRecord & {
  readonly started: NonNullable<ContainerRecord["started"]>;
};

/** All of it or nothing, whenever we may die. */
export function writeRecord(path: string, record: ContainerRecord): void {
  writeFileSync(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Undefined where nothing was started. */
export function readRecord(path: string): ContainerRecord | undefined {
  try {
    return ContainerRecord.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch (cause) {
    if (errno(cause) === "ENOENT") return undefined;
    const message = `${path} cannot be read: the program it tells of cannot be found again.`;
    throw new HalyardError("lost", message, { cause });
  }
}
