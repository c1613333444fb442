import { PERMISSION_TITLE } from "./permission.ts";

/**
 * The extension that `pi --mode rpc` loads for us, as source text: it keeps the variables named in `hidden` from
 * the agent's commands, adds instructions to the system prompt, and has every tool wait for an answer if `asks`.
 */
export function extensionSource(options: {
  readonly hidden: readonly string[];
  readonly instructions: readonly string[];
  readonly asks: boolean;
}): string {
  return `import { createBashToolDefinition, SettingsManager } from "@earendil-works/pi-coding-agent";

const { hidden, instructions, asks } = ${JSON.stringify(options)};

export default function (pi) {
  const cwd = process.cwd();
  const settings = SettingsManager.create(cwd);
  const spawnHook = (context) => {
    const env = { ...context.env };
    for (const name of hidden) delete env[name];
    return { ...context, env };
  };
  const commandPrefix = settings.getShellCommandPrefix();
  const shellPath = settings.getShellPath();
  pi.registerTool(createBashToolDefinition(cwd, { commandPrefix, shellPath, spawnHook }));

  if (instructions.length > 0) {
    pi.on("before_agent_start", ({ systemPrompt }) => ({
      systemPrompt: [systemPrompt, ...instructions].join("\\n\\n"),
    }));
  }

  if (asks) {
    pi.on("tool_call", async ({ toolCallId: callId, toolName: name, input }, ctx) => {
      const call = JSON.stringify({ callId, name, input });
      const reply = await ctx.ui.input(${JSON.stringify(PERMISSION_TITLE)}, call, { signal: ctx.signal });
      if (reply === undefined) return { block: true, reason: "Denied: the turn was cancelled" };
      const { decision, text } = JSON.parse(reply);
      if (decision === "allow") return {};
      return { block: true, reason: text ? "Denied: " + text : "Denied." };
    });
  }
}
`;
}
