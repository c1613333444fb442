import type { Adapter } from "../core/adapter.ts";
import { probeProgram } from "../core/program.ts";
import type { RuntimeEntry } from "../schema/runtime-entry.ts";
import type { Preset } from "./acp/presets.ts";
import { withEntry } from "./registry-entry.ts";
import { unavailableAdapter } from "./unavailable.ts";

/** Where such a runtime comes from. */
interface Origin {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What is known of an agent of that name, where something is. */
  readonly preset?: Preset | undefined;
}

/** A runtime that the user has registered by a name of its own: one that speaks ACP, or a program in a terminal. */
export async function ownRuntime(
  name: string,
  entry: RuntimeEntry,
  { env, preset }: Origin,
): Promise<Adapter> {
  const [program, ...usual] = preset?.command ?? [];
  // For a runtime of the user's own, `delivery: rpc` means that it speaks ACP. ACP agents read standard input.
  const { bin = program, args = usual, delivery: _delivery, ...rest } = entry;
  const isAcp = entry.protocol === "acp" || (entry.delivery ?? (preset && "rpc")) === "rpc";
  if (bin === undefined) return unavailableAdapter(name, "its entry names no bin");
  if (!isAcp) {
    const { terminalAdapter } = await import("./terminal/index.ts");
    const { args: _, ...own } = entry;
    return withEntry(terminalAdapter({ name, bin, args, env, entry }), own);
  }
  const [{ presetAdapter }, { programSearch }] = await Promise.all([
    import("./acp/index.ts"),
    import("./acp/agent-command.ts"),
  ]);
  const hint = `correct bin of ${name} in ~/.gastown/runtimes.json`;
  const { displayName = name } = preset ?? {};
  const command = [bin, ...args] as const;
  const search = { ...programSearch(command, env, hint), bin }; // by its path, too
  const adapter = presetAdapter({ name, displayName, command, hint }, { env });
  return withEntry({ ...adapter, probe: () => probeProgram(search) }, rest);
}
