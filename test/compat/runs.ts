import { join } from "node:path";
import { type AgentRuntimeRunParams, createAgentRuntime } from "../../src/compat/openclaw/index.ts";
import type { FacadeStage } from "../../src/testing/compat-suite/compat-stage.ts";

/** The parameters that every run needs. */
export const paramsOf = ({ cwd }: FacadeStage, prompt: string): AgentRuntimeRunParams => ({
  sessionId: "chat-1",
  sessionFile: join(cwd, "..", "chat-1.jsonl"),
  workspaceDir: cwd,
  prompt,
  provider: "somebody",
  model: "some-model",
});

/** The facade on the fake agent of the stage. */
export const openFake = (stage: FacadeStage) => createAgentRuntime({}, "main", "fake", stage);
