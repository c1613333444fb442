import { type Environment, openRuntime } from "./candidates.ts";
import { chooseRuntime } from "./choose-runtime.ts";
import type { ContainerRuntime, ContainerRuntimeName } from "./container-runtime.ts";

/** The engines of an environment, of which one is chosen when it is first needed. */
export function createEngines(env: Environment) {
  let chosen: Promise<ContainerRuntime> | undefined;
  return {
    /** What does not answer now may do so later. */
    chosen(): Promise<ContainerRuntime> {
      chosen ??= chooseRuntime(env).catch((error) => {
        chosen = undefined;
        throw error;
      });
      return chosen;
    },
    open: ({ name, address }: { name: ContainerRuntimeName; address: string }) =>
      openRuntime(name, address, env),
  };
}
