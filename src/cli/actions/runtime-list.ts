import { loadConfig } from "../../config/load.ts";
import { homeDirectory } from "../../config/paths.ts";
import { resolveRuntime } from "../../config/resolve-runtime.ts";
import type { ListedRuntime } from "../../schema/runtime-info.ts";
import { openHalyard } from "../open-halyard.ts";
import type { Colors } from "../output/colors.ts";
import { openTerminal, throwIfUnwritable, warn } from "../terminal.ts";

export interface RuntimeListOptions {
  readonly format: "text" | "json";
}

export async function runtimeList({ format }: RuntimeListOptions): Promise<number> {
  const terminal = openTerminal();
  const { out, env } = terminal;
  await using halyard = await openHalyard(terminal, { store: "memory" });
  const config = await loadConfig({ env, cwd: process.cwd(), home: homeDirectory(env) });
  await warn(terminal, config.warnings ?? []);
  const { runtime } = resolveRuntime(config);
  const absent: string[] = [];
  for (const info of await halyard.runtimes()) {
    const listed = { ...info, isDefault: info.name === runtime };
    if (format === "json") await out.write(`${JSON.stringify(listed)}\n`);
    else if (isOneOfMany(listed)) absent.push(info.name);
    else await out.write(describe(listed, out.colors));
  }
  if (absent.length > 0) await out.write(out.colors.dim(`not installed: ${absent.join(", ")}\n`));
  throwIfUnwritable(terminal);
  return 0;
}

/** Agents that share a protocol and are not here are many: one line will do for them all. */
function isOneOfMany({ protocol, availability, isDefault }: ListedRuntime): boolean {
  return protocol !== undefined && !availability.available && !isDefault;
}

function describe(info: ListedRuntime, colors: Colors): string {
  const { name, displayName, capabilities, availability, isDefault } = info;
  const mark = isDefault ? colors.cyan(" · default") : "";
  const title = `${colors.bold(name.padEnd(10))} ${displayName}`;
  const can = capabilities.length > 0 ? `  ${colors.dim(`can: ${capabilities.join(", ")}`)}\n` : "";
  if (availability.available) {
    const version = availability.version ? ` ${availability.version}` : "";
    return `${colors.green("✓")} ${title}${version}${mark}\n${can}`;
  }
  const { reason, hint } = availability;
  return `${colors.red("✗")} ${title}${mark}\n  ${colors.red(reason)}\n  ${hint}\n${can}`;
}
