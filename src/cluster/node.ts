import { z } from "zod";

/** A process of a cluster that runs sessions, as it announces itself. A later version may announce more. */
export const ClusterNode = z.object({
  /** The id of the process in the cluster. */
  id: z.string(),
  /** The name of its machine. */
  machine: z.string(),
  /** The process. */
  identity: z.strictObject({
    /** The process id. */
    pid: z.number().int(),
    /** The start time that the kernel reports. */
    startTime: z.string(),
    /** The id of the boot, which changes at every restart of the machine. */
    bootId: z.string(),
    /** The name of its machine. */
    machine: z.string(),
  }),
  /** The labels by which a session selects its machine. */
  labels: z.array(z.string()),
  /** The maximum number of sessions that run at the same time. Absent if there is no limit. */
  capacity: z.number().int().positive().optional(),
  /** The number of running sessions. */
  sessions: z.number().int().nonnegative(),
  /** The runtimes that are available on the machine. */
  runtimes: z.array(z.string()),
  /** True if the process accepts no new sessions. */
  cordoned: z.boolean(),
  /** True if the process stops its sessions after their turns, so that other machines continue them. */
  draining: z.boolean().default(false),
  /** True if it has stopped all of them. */
  drained: z.boolean().default(false),
  /** The version of Halyard. */
  version: z.string(),
});
export type ClusterNode = z.infer<typeof ClusterNode>;
