import { REGISTRY } from "../compat/gas-town/files/names.ts";
import type { Adapter } from "../contracts/adapter.ts";
import { probeProgram } from "../programs/program.ts";
import type { RuntimeEntry } from "../schema/runtimes/runtime-entry.ts";
import type { Preset } from "./acp/agent/presets.ts";
import { settingsOfProgram as settingsOf } from "./project-settings.ts";
import { withEntry } from "./registry-entry.ts";
import { unavailableAdapter } from "./unavailable.ts";

/** The environment and the preset for a registered runtime. */
interface Origin {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The preset with this name, if there is one. */
  readonly preset?: Preset | undefined;
}

/**
 * Creates the adapter for a runtime that the user has registered: an ACP agent, or a program on a screen. If neither the
 * entry nor a preset names the program, the adapter reports that the runtime is unavailable.
 */
export async function ownRuntime(
  name: string,
  entry: RuntimeEntry,
  { env, preset }: Origin,
): Promise<Adapter> {
  const [program, ...usual] = preset?.command ?? [];
  // For a registered runtime, `delivery: rpc` means ACP. The delivery is not passed on, because ACP agents read stdin.
  const { bin = program, args = usual, delivery: _delivery, ...rest } = entry;
  const isAcp = entry.protocol === "acp" || (entry.delivery ?? (preset && "rpc")) === "rpc";
  if (bin === undefined)
    return unavailableAdapter(
      name,
      `its entry in ${REGISTRY} has no "bin"`,
      `set "bin" for ${name} in ${REGISTRY} to the path of its program`,
    );
  if (!isAcp) {
    const { terminalAdapter } = await import("./terminal/index.ts");
    const { args: _, ...own } = entry;
    const projectSettings = settingsOf(bin);
    return withEntry(terminalAdapter({ name, bin, args, env, entry, projectSettings }), own);
  }
  const [{ presetAdapter }, { programSearch }] = await Promise.all([
    import("./acp/index.ts"),
    import("./acp/agent/agent-command.ts"),
  ]);
  const hint = `correct "bin" for ${name} in ${REGISTRY}`;
  const { displayName = name } = preset ?? {};
  const command = [bin, ...args] as const;
  const search = { ...programSearch(command, env, hint), bin }; // the search also finds the program by its path
  const adapter = presetAdapter({ name, displayName, command, hint }, { env, settingsOf });
  return withEntry({ ...adapter, probe: () => probeProgram(search) }, rest);
}
