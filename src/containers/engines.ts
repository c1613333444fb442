import type { Environment } from "./candidates.ts";
import type { ContainerRuntime, ContainerRuntimeName } from "./container-runtime.ts";

/** The engines of an environment, of which one is chosen when it is first needed. */
export function createEngines(env: Environment) {
  let chosen: Promise<ContainerRuntime> | undefined;
  return {
    /** What does not answer now may do so later. */
    chosen(): Promise<ContainerRuntime> {
      chosen ??= choose(env).catch((error) => {
        chosen = undefined;
        throw error;
      });
      return chosen;
    },
    async open({ name, address }: { name: ContainerRuntimeName; address: string }) {
      const { openRuntime } = await import("./candidates.ts");
      return openRuntime(name, address, env);
    },
  };
}

async function choose(env: Environment): Promise<ContainerRuntime> {
  const { chooseRuntime } = await import("./choose-runtime.ts");
  return chooseRuntime(env);
}
