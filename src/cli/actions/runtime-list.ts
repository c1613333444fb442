import type { RuntimeInfo } from "../../schema/runtime.ts";
import { openHalyard } from "../open-halyard.ts";
import type { Colors } from "../output/colors.ts";
import { openTerminal, throwIfUnwritable } from "../terminal.ts";

export interface RuntimeListOptions {
  readonly format: "text" | "json";
}

export async function runtimeList({ format }: RuntimeListOptions): Promise<number> {
  const terminal = openTerminal();
  const { out } = terminal;
  await using halyard = await openHalyard(terminal, { store: "memory" });
  for (const info of await halyard.runtimes())
    await out.write(format === "json" ? `${JSON.stringify(info)}\n` : describe(info, out.colors));
  throwIfUnwritable(terminal);
  return 0;
}

function describe(info: RuntimeInfo, colors: Colors): string {
  const { name, displayName, capabilities, availability } = info;
  const title = `${colors.bold(name.padEnd(10))} ${displayName}`;
  const can = `  ${colors.dim(`can: ${capabilities.join(", ")}`)}\n`;
  if (availability.available) {
    const version = availability.version ? ` ${availability.version}` : "";
    return `${colors.green("✓")} ${title}${version}\n${can}`;
  }
  const { reason, hint } = availability;
  return `${colors.red("✗")} ${title}\n  ${colors.red(reason)}\n  ${hint}\n${can}`;
}
