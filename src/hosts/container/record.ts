import { z } from "zod";
import {
  type ContainerInfo,
  type ContainerRuntime,
  containerRuntimeNames,
} from "../../containers/container-runtime.ts";
import { newMarker } from "../recording/mark.ts";
import { readRecord, writeRecord } from "../recording/record.ts";

/** How a program in a container is found again. Its arguments and environment may hold keys and are left out. */
export const ContainerRecord = z.object({
  engine: z.object({ name: z.enum(containerRuntimeNames), address: z.string() }),
  /** The container's id, and which of its runs: a program does not outlive it. */
  container: z.string(),
  startedAt: z.string(),
  /** What the container is looked after by, see `Place`. */
  directory: z.string(),
  /** The container is not Halyard's: it is neither stopped nor removed. */
  isExisting: z.boolean().optional(),
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

/** The record of a program that is about to start, so that it can be found if Halyard dies before it knows the pid. */
export function newContainerRecord(
  { name, address }: Pick<ContainerRuntime, "name" | "address">,
  { id, startedAt }: Pick<ContainerInfo, "id" | "startedAt">,
  where: Pick<ContainerRecord, "directory" | "file" | "isExisting">,
): ContainerRecord {
  const marker = newMarker();
  return { engine: { name, address }, container: id, startedAt, ...where, marker };
}

export function writeContainerRecord(path: string, record: ContainerRecord): void {
  writeRecord(path, record);
}

/** Undefined where nothing was started. */
export function readContainerRecord(path: string): ContainerRecord | undefined {
  return readRecord(path, ContainerRecord);
}
