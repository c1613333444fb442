import { z } from "zod";

/** What a session's container is made of; each has a default that is safe. */
export const ContainerOptions = z.strictObject({
  /** The image to run in: the one that `halyard image build` makes, unless given. */
  image: z.string().min(1).exactOptional(),
  /** `none` leaves the agent with its model and nothing else; otherwise a network of the engine's. */
  network: z.string().min(1).exactOptional(),
  /** Megabytes of memory, all of its processes together. */
  memoryMb: z.number().int().min(64).exactOptional(),
  /** Processors, parts of one too. */
  cpus: z.number().positive().exactOptional(),
  /** Processes and threads. */
  pids: z.number().int().min(32).exactOptional(),
  /** `uid:gid` to run as, or `root`: the owner of the working directory, unless given. */
  user: z
    .string()
    .regex(/^(root|\d+(:\d+)?)$/, "uid:gid, or root")
    .exactOptional(),
});
export type ContainerOptions = z.infer<typeof ContainerOptions>;
