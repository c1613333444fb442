import { newRuntime, type Runtime } from "../../src/compat/oubliette/index.ts";
import type { FacadeStage } from "../../src/testing/compat-suite/compat-stage.ts";

/** Initializes the fake agent as a runtime of the facade. */
export async function openFakeRuntime({ halyard, cwd }: FacadeStage): Promise<Runtime> {
  const runtime = newRuntime({ server: { agent_runtime: "fake" } }, { halyard });
  await runtime.initialize({ workingDir: cwd });
  return runtime;
}
