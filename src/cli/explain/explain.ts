import { AGENT_LABEL } from "../../config/agents.ts";
import { explainSession } from "../../config/explain.ts";
import { allHosts } from "../../config/host-choice.ts";
import { resolveSession } from "../../config/resolve-session.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { takesEndpoints } from "../known-runtime.ts";
import { loadAndDecideRuntime, type RuntimeExplainOptions } from "../runtime/runtime-explain.ts";
import { abbreviateHome } from "../text/format.ts";
import { table } from "../text/table.ts";

/** Prints the runtime, model, keys, permissions and host of a session started here, and the source of each value. */
export async function explain(options: RuntimeExplainOptions): Promise<number> {
  const console = openConsole();
  const { out, env } = console;
  const { runtime, agentId } = options;
  const { config, project } = await loadAndDecideRuntime(options, console);
  const labels = agentId === undefined ? {} : { [AGENT_LABEL]: agentId };
  const request = { runtime, project, labels, options: {}, env: {} };
  const resolved = await resolveSession(config, request, {
    env,
    isNew: true,
    usesVariables: true,
    hosts: allHosts,
    takesEndpoints: (decision) => takesEndpoints(decision, config, env),
  });
  const settings = explainSession(config, resolved, env);
  const rows = settings.map(({ setting, value, by }) => [setting, value, abbreviateHome(by)]);
  await out.write(
    options.format === "json"
      ? settings.map((one) => `${JSON.stringify(one)}\n`).join("")
      : `${table(rows).join("\n")}\n`,
  );
  throwIfUnwritable(console);
  return 0;
}
