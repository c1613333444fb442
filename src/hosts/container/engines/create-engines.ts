import type { ContainerEngine, ContainerEngineName } from "../../../contracts/container-engine.ts";
import type { Environment } from "./candidates.ts";

/** Creates the engines for an environment. The engine for new containers is chosen on first use. */
export function createEngines(env: Environment) {
  let chosen: Promise<ContainerEngine> | undefined;
  return {
    /**
     * Returns the engine for new containers. Caches the engine, but not a failure, because the engine may be started
     * later.
     */
    chosen(): Promise<ContainerEngine> {
      chosen ??= choose(env).catch((error) => {
        chosen = undefined;
        throw error;
      });
      return chosen;
    },
    async open({ name, address }: { name: ContainerEngineName; address: string }) {
      const { openEngine } = await import("./candidates.ts");
      return openEngine(name, address, env);
    },
  };
}

async function choose(env: Environment): Promise<ContainerEngine> {
  const { chooseEngine } = await import("./choose-engine.ts");
  return chooseEngine(env);
}
