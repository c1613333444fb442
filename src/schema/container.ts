import { z } from "zod";

/** Describes the container of a session: a new or a running one. All options have safe defaults. */
export const ContainerOptions = z
  .strictObject({
    /**
     * The id or name of a container that already runs. The agent is started in it, and the container is neither changed
     * nor removed. Excludes the options that describe a new container.
     */
    containerId: z.string().min(1).exactOptional(),
    /** The image of the container. Defaults to the image that `halyard image build` makes. */
    image: z.string().min(1).exactOptional(),
    /** A network of the engine. `none` blocks everything except the model endpoint. */
    network: z.string().min(1).exactOptional(),
    /** The memory limit of all processes of the container together, in megabytes. */
    memoryMb: z.number().int().min(64).exactOptional(),
    /** The number of processors, which may be a fraction. */
    cpus: z.number().positive().exactOptional(),
    /** The largest number of processes and threads. */
    pids: z.number().int().min(32).exactOptional(),
    /**
     * `uid:gid` to run as, or `root`. Defaults to the owner of the working directory, or to the user of the container that
     * `containerId` names.
     */
    user: z
      .string()
      .regex(/^(root|\d+(:\d+)?)$/, "uid:gid, or root")
      .exactOptional(),
  })
  .refine(
    ({ containerId, image, network, memoryMb, cpus, pids }) =>
      containerId === undefined ||
      [image, network, memoryMb, cpus, pids].every((option) => option === undefined),
    "containerId names an existing container: remove image, network, memoryMb, cpus and pids",
  );
export type ContainerOptions = z.infer<typeof ContainerOptions>;
