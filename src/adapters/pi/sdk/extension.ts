import { setMaxListeners } from "node:events";
import type { Answer } from "../../../schema/permission.ts";
import type { PermissionGate } from "../permission-gate.ts";
import type { Rules } from "../policy.ts";
import type { PiSdk } from "./load.ts";

type ExtensionFactory = NonNullable<
  ConstructorParameters<PiSdk["DefaultResourceLoader"]>[0]["extensionFactories"]
>[number];

/** Returns the in-process extension that enforces a session's current rules. */
export function sdkExtension(gate: PermissionGate, rules: () => Rules): ExtensionFactory {
  return (pi) => {
    pi.on("before_agent_start", ({ systemPrompt }) => ({
      systemPrompt: [systemPrompt, ...rules().instructions].join("\n\n"),
    }));
    pi.on("tool_call", async ({ toolCallId: callId, toolName: name, input }, { signal }) => {
      // Otherwise, Node warns, because all tool calls and model requests of a turn add listeners to the same signal.
      if (signal) setMaxListeners(0, signal);
      const { only, asks } = rules();
      if (only && !only.includes(name))
        return { block: true, reason: `Denied: ${name} is not available in plan mode` };
      if (!asks) return {};
      const answer = await gate.wait({ callId, name, input }, signal);
      return answer.decision === "allow" ? {} : { block: true, reason: denialReason(answer) };
    });
  };
}

/** Returns the text that the model receives instead of the tool's result. */
function denialReason({ text }: Answer): string {
  return text === undefined || text === "" ? "Denied." : `Denied: ${text}`;
}
