import { z } from "zod";
import {
  type ContainerEngine,
  type ContainerInfo,
  containerEngineNames,
} from "../../contracts/container-engine.ts";
import { newMarker } from "../recording/mark.ts";
import { readRecord, writeRecord } from "../recording/record.ts";

/**
 * Data by which a program in a container can be identified later. Contains no arguments or environment, because they
 * may contain keys.
 */
export const ContainerRecord = z.object({
  engine: z.object({ name: z.enum(containerEngineNames), address: z.string() }),
  /** The container's id and start time. A program does not survive a restart of its container. */
  container: z.string(),
  startedAt: z.string(),
  /** The container's directory on this machine, see `ContainerPlan`. */
  directory: z.string(),
  /** True if Halyard did not create the container. Halyard neither stops nor removes such a container. */
  isExisting: z.boolean().optional(),
  /** The program's file, as information for users who inspect the directory. */
  file: z.string(),
  marker: z.string().regex(/^[0-9a-f]{32}$/),
  /** Absent until the program is started. */
  started: z
    .object({
      /** The process id in the container. */
      pid: z.number().int().positive(),
      startTime: z.string(),
      /** The engine's id for the executed program. */
      exec: z.string().optional(),
    })
    .optional(),
});
export type ContainerRecord = z.infer<typeof ContainerRecord>;

/** A program that was started. It may have exited. */
export type StartedRecord = ContainerRecord & {
  readonly started: NonNullable<ContainerRecord["started"]>;
};

/**
 * Creates a program's record before its start, so that the program can be found if Halyard dies before it knows the
 * pid.
 */
export function newContainerRecord(
  { name, address }: Pick<ContainerEngine, "name" | "address">,
  { id, startedAt }: Pick<ContainerInfo, "id" | "startedAt">,
  where: Pick<ContainerRecord, "directory" | "file" | "isExisting">,
): ContainerRecord {
  const marker = newMarker();
  return { engine: { name, address }, container: id, startedAt, ...where, marker };
}

export function writeContainerRecord(path: string, record: ContainerRecord): void {
  writeRecord(path, record);
}

/**
 * Reads a record. Returns undefined if there is none. Ignores a record that names another container directory, because
 * Halyard deletes the sockets and routes in the named directory when the program ends.
 */
export function readContainerRecord(path: string, directory: string): ContainerRecord | undefined {
  const record = readRecord(path, ContainerRecord);
  return record?.directory === directory ? record : undefined;
}
