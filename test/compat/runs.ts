import { join } from "node:path";
import { type AgentRuntimeRunParams, createAgentRuntime } from "../../src/compat/openclaw/index.ts";
import type { FacadeStage } from "../../src/testing/compat-suite/compat-stage.ts";

/** Returns the parameters that every run needs. */
export const paramsOf = ({ cwd }: FacadeStage, prompt: string): AgentRuntimeRunParams => ({
  sessionId: "chat-1",
  sessionFile: join(cwd, "..", "chat-1.jsonl"),
  workspaceDir: cwd,
  prompt,
  provider: "somebody",
  model: "some-model",
});

/** Creates the runtime of the OpenClaw facade with the stage's fake agent. */
export const openFake = (stage: FacadeStage) => createAgentRuntime({}, "main", "fake", stage);
