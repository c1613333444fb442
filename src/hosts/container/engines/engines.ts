import type { ContainerEngine, ContainerEngineName } from "../../../contracts/container-engine.ts";

/** Access to container engines, which are looked up on first use. */
export interface Engines {
  /** Returns the engine for new containers. If no engine responds, rejects with an error that states what to do. */
  chosen(): Promise<ContainerEngine>;
  /** Returns the engine that a container was created with, even if it does not respond. */
  open(engine: { name: ContainerEngineName; address: string }): Promise<ContainerEngine>;
}
