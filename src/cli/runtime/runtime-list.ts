import { resolveRuntime } from "../../config/resolve-runtime.ts";
import type { ListedRuntime } from "../../schema/runtimes/runtime-info.ts";
import { openConsole, throwIfUnwritable, warn } from "../console/console.ts";
import { openHalyard } from "../open-halyard.ts";
import type { Colors } from "../text/colors.ts";
import { loadSessionConfig } from "../trust/session-config.ts";

export interface RuntimeListOptions {
  readonly format: "text" | "json";
}

export async function runtimeList({ format }: RuntimeListOptions): Promise<number> {
  const console = openConsole();
  const { out } = console;
  await using halyard = await openHalyard(console, { store: "memory" });
  const config = await loadSessionConfig({ cwd: process.cwd() }, console);
  await warn(console, config.warnings ?? []);
  const { runtime } = resolveRuntime(config);
  const absent: string[] = [];
  for (const info of await halyard.runtimes()) {
    const listed = { ...info, isDefault: info.name === runtime };
    if (format === "json") await out.write(`${JSON.stringify(listed)}\n`);
    else if (isSummarized(listed)) absent.push(info.name);
    else await out.write(describe(listed, out.colors));
  }
  if (absent.length > 0) await out.write(out.colors.dim(`not installed: ${absent.join(", ")}\n`));
  throwIfUnwritable(console);
  return 0;
}

/** True for an unavailable agent of a shared protocol that is not the default. The list shows such agents on one line. */
function isSummarized({ protocol, availability, isDefault }: ListedRuntime): boolean {
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
