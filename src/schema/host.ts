import { z } from "zod";

/** The host on which the process of a runtime runs. */
export const HostName = z.enum(["local", "tmux", "container"]);
export type HostName = z.infer<typeof HostName>;
