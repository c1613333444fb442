import { z } from "zod";

/** A process that runs sessions of a cluster, as it announces itself. A later version may announce more fields. */
export const ClusterNode = z.object({
  /** The id of the process in the cluster. */
  id: z.string(),
  /** The name of the machine on which the process runs. */
  machine: z.string(),
  /** The identity of the process. */
  identity: z.strictObject({
    /** The process id. */
    pid: z.number().int(),
    /** The start time that the kernel reports. */
    startTime: z.string(),
    /** The boot id, which changes whenever the machine restarts. */
    bootId: z.string(),
    /** The name of the machine on which the process runs. */
    machine: z.string(),
  }),
  /** The labels by which sessions select the machine. */
  labels: z.array(z.string()),
  /** The maximum number of live sessions. Absent if there is no limit. */
  capacity: z.number().int().positive().optional(),
  /** The number of live sessions. */
  sessions: z.number().int().nonnegative(),
  /** The runtimes that are available on the machine. */
  runtimes: z.array(z.string()),
  /** True if the process accepts no new sessions. */
  cordoned: z.boolean(),
  /** True if the process stops its sessions after their turns, so that other machines continue them. */
  draining: z.boolean().default(false),
  /** True if the process has stopped all of its sessions. */
  drained: z.boolean().default(false),
  /** The version of Halyard. */
  version: z.string(),
});
export type ClusterNode = z.infer<typeof ClusterNode>;
