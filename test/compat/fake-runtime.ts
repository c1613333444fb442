import { newRuntime, type Runtime } from "../../src/compat/oubliette/index.ts";
import type { FacadeStage } from "../../src/testing/compat-suite/compat-stage.ts";

/** Creates and initializes the runtime of the Oubliette facade with the fake agent. */
export async function openFakeRuntime({ halyard, cwd }: FacadeStage): Promise<Runtime> {
  const runtime = newRuntime({ server: { agent_runtime: "fake" } }, { halyard });
  await runtime.initialize({ workingDir: cwd });
  return runtime;
}
