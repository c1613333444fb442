import { PROVIDER } from "./model/model.ts";
import { PERMISSION_TITLE } from "./permission.ts";

/**
 * Returns the source of the extension that `pi --mode rpc` loads. The extension removes the variables in `hidden` from
 * the environment of the agent's commands. It also enforces the rules in a file, which it reads again with every
 * message.
 */
export function extensionSource(options: {
  readonly hidden: readonly string[];
  readonly rulesFile: string;
}): string {
  const constants = { ...options, title: PERMISSION_TITLE, ours: PROVIDER };
  return `import { readFileSync } from "node:fs";
import { createBashToolDefinition, SettingsManager } from "@earendil-works/pi-coding-agent";

const { hidden, rulesFile, title, ours } = ${JSON.stringify(constants)};
const readRules = () => JSON.parse(readFileSync(rulesFile, "utf8"));

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

  let rules = readRules();
  let usualTools = [];

  pi.on("session_start", () => {
    usualTools = pi.getActiveTools().filter((name) => !rules.disabled.includes(name));
    pi.setActiveTools(rules.only ?? usualTools);
  });

  pi.on("input", async (_event, ctx) => {
    const before = rules;
    rules = readRules();
    if (!before.only && rules.only) usualTools = pi.getActiveTools();
    if (!before.only !== !rules.only) pi.setActiveTools(rules.only ?? usualTools);
    const modelOf = ({ model, thinking }) => JSON.stringify([model, thinking]);
    if (modelOf(before) !== modelOf(rules)) await useModel(rules, ctx);
    return { action: "continue" };
  });

  const useModel = async ({ model, thinking }, ctx) => {
    const { provider, id } = model ?? ctx.model;
    const siblings = ctx.modelRegistry.getAll().filter((one) => one.provider === provider);
    const next = siblings.find((one) => one.id === id) ?? { ...siblings[0], id, name: id };
    const reasoning = provider === ours && thinking ? { reasoning: thinking !== "off" } : {};
    await pi.setModel({ ...next, ...reasoning });
    if (thinking) pi.setThinkingLevel(thinking);
  };

  pi.on("before_agent_start", ({ systemPrompt }) => ({
    systemPrompt: [systemPrompt, ...rules.instructions].join("\\n\\n"),
  }));

  pi.on("tool_call", async ({ toolCallId: callId, toolName: name, input }, ctx) => {
    if (rules.only && !rules.only.includes(name)) {
      return { block: true, reason: "Denied: " + name + " is not available in plan mode" };
    }
    if (!rules.asks) return {};
    const call = JSON.stringify({ callId, name, input });
    const reply = await ctx.ui.input(title, call, { signal: ctx.signal });
    if (reply === undefined) return { block: true, reason: "Denied: the turn was cancelled" };
    const { decision, text } = JSON.parse(reply);
    if (decision === "allow") return {};
    return { block: true, reason: text ? "Denied: " + text : "Denied." };
  });
}
`;
}
