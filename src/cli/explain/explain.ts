import { explainSession } from "../../config/explain.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { decideRuntime, type RuntimeExplainOptions } from "../runtime/runtime-explain.ts";
import { abbreviateHome } from "../text/format.ts";
import { table } from "../text/table.ts";

/** Prints the runtime, model, keys, permissions and host of a session started here, and the source of each value. */
export async function explain(options: RuntimeExplainOptions): Promise<number> {
  const console = openConsole();
  const { out, env } = console;
  const { config, decision } = await decideRuntime(options, console);
  const settings = explainSession(config, decision, { env, agentId: options.agentId });
  const rows = settings.map(({ setting, value, by }) => [setting, value, abbreviateHome(by)]);
  await out.write(
    options.format === "json"
      ? settings.map((one) => `${JSON.stringify(one)}\n`).join("")
      : `${table(rows).join("\n")}\n`,
  );
  throwIfUnwritable(console);
  return 0;
}
