import { newRuntime, type Runtime } from "../../src/facades/agent/index.ts";
import type { FacadeStage } from "../../src/testing/facade-suite/facade-stage.ts";

/** The fake agent as a runtime that may do everything. */
export async function openFakeRuntime({ halyard, cwd }: FacadeStage): Promise<Runtime> {
  const runtime = newRuntime({ server: { agent_runtime: "fake" } }, { halyard });
  await runtime.initialize({ workingDir: cwd });
  return runtime;
}
