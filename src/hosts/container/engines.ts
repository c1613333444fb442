import type { ContainerRuntime, ContainerRuntimeName } from "../../containers/container-runtime.ts";

/** Where containers can be run, looked for when one is first needed. */
export interface Engines {
  /** The one for new containers; rejects with what to do where there is none. */
  chosen(): Promise<ContainerRuntime>;
  /** The one that a container was made by, whether it answers or not. */
  open(engine: { name: ContainerRuntimeName; address: string }): Promise<ContainerRuntime>;
}
