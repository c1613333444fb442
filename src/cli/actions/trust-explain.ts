import { directoryTrust } from "../../config/trust/directory-trust.ts";
import { readTrust, settingsIn } from "../../config/trust/user-trust.ts";
import { realDirectory } from "../../config/trust.ts";
import type { FoundSetting } from "../../schema/project-setting.ts";
import { table } from "../output/table.ts";
import { tilde } from "../output/words.ts";
import { openTerminal, throwIfUnwritable } from "../terminal.ts";
import { trustPlaces } from "../trust-places.ts";

export interface ExplainOptions {
  readonly format: "text" | "json";
}

/** Lists the settings of a directory, what each of them would do, and what becomes of it. */
export async function explainTrust(directory: string, { format }: ExplainOptions): Promise<number> {
  const terminal = openTerminal();
  const places = trustPlaces(terminal);
  const real = await realDirectory(directory);
  const found = await settingsIn(real, places);
  const trust = await directoryTrust(real, await readTrust(places.home), async () => found);
  const settings = found.map((one) => ({ ...one, use: useOf(one, trust.trusted) }));
  if (format === "json") {
    await terminal.out.write(`${JSON.stringify({ directory: real, ...trust, settings })}\n`);
  } else {
    const state = trust.trusted ? `is trusted${because(trust)}` : "is not trusted";
    const rows = settings.map(({ path, keys, runtimes, effect, use }) => [
      tilde(path),
      runtimes.join(", "),
      `${effect}${keys.length > 0 ? `: ${keys.join(", ")}` : ""}`,
      use,
    ]);
    const lines = rows.length > 0 ? table(rows) : ["It has no settings that could do harm."];
    await terminal.out.write(
      [`${tilde(real)} ${state}`, ...lines.map((line) => `  ${line}`), ""].join("\n"),
    );
    if (!trust.trusted && rows.length > 0)
      await terminal.out.write(`  If you know who wrote them: halyard trust ${tilde(real)}\n`);
  }
  throwIfUnwritable(terminal);
  return 0;
}

function because(trust: Awaited<ReturnType<typeof directoryTrust>>): string {
  if (!trust.trusted) return "";
  return trust.by === "list" ? ` because of ${tilde(trust.directory)}` : " as you answered";
}

function useOf({ ignoredBy }: FoundSetting, trusted: boolean): string {
  if (trusted) return "used";
  return ignoredBy === undefined ? "the runtime refuses to start" : `ignored by ${ignoredBy}`;
}
