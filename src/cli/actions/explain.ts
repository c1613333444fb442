import { explainSession } from "../../config/explain.ts";
import { table } from "../output/table.ts";
import { tilde } from "../output/words.ts";
import { openTerminal, throwIfUnwritable } from "../terminal.ts";
import { decideRuntime, type RuntimeExplainOptions } from "./runtime-explain.ts";

/** Prints what a session that is started here would get: runtime, model, keys, permissions and host. */
export async function explain(options: RuntimeExplainOptions): Promise<number> {
  const terminal = openTerminal();
  const { out, env } = terminal;
  const { config, decision } = await decideRuntime(options, terminal);
  const settings = explainSession(config, decision, { env, agentId: options.agentId });
  const rows = settings.map(({ setting, value, by }) => [setting, value, tilde(by)]);
  await out.write(
    options.format === "json"
      ? settings.map((one) => `${JSON.stringify(one)}\n`).join("")
      : `${table(rows).join("\n")}\n`,
  );
  throwIfUnwritable(terminal);
  return 0;
}
