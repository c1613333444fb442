import { z } from "zod";

/**
 * The name of an engine object. It cannot start with a dash, because the engine's command line would parse it as an
 * option.
 */
const EngineName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.:/@+-]*$/, "expected a name that starts with a letter or a digit");

/** Describes the container of a session: a new container or a running one. All options have safe defaults. */
export const ContainerOptions = z
  .strictObject({
    /**
     * The id or name of a running container. The agent starts in this container, which is neither changed nor removed.
     * Cannot be combined with options that describe a new container.
     */
    containerId: EngineName.exactOptional(),
    /** The image of the container. Defaults to the image that `halyard image build` creates. */
    image: EngineName.exactOptional(),
    /** A container network. `none` blocks everything except the model endpoint. Defaults to `bridge`. */
    network: EngineName.exactOptional(),
    /** The total memory limit of the container's processes, in MiB. Defaults to 4096. */
    memoryMb: z.number().int().min(64).exactOptional(),
    /** The number of CPUs, which may be a fraction. Defaults to 2, or to the machine's number of CPUs if it is smaller. */
    cpus: z.number().positive().exactOptional(),
    /** The maximum number of processes and threads. Defaults to 512. */
    pids: z.number().int().min(32).exactOptional(),
    /**
     * `uid:gid` to run as, or `root`. Defaults to the owner of the working directory, or to the user of the container that
     * `containerId` names.
     */
    user: z
      .string()
      .regex(/^(root|\d+(:\d+)?)$/, "expected uid:gid, or root")
      .exactOptional(),
  })
  .refine(
    ({ containerId, image, network, memoryMb, cpus, pids }) =>
      containerId === undefined ||
      [image, network, memoryMb, cpus, pids].every((option) => option === undefined),
    "containerId names an existing container: remove image, network, memoryMb, cpus and pids",
  );
export type ContainerOptions = z.infer<typeof ContainerOptions>;
