import { directoryTrust } from "../../config/trust/directory-trust.ts";
import { realDirectory } from "../../config/trust/is-trusted.ts";
import { projectSettingsIn, readTrust } from "../../config/trust/user-trust.ts";
import type { FoundSetting } from "../../schema/project/project-setting.ts";
import { openConsole, throwIfUnwritable } from "../console/console.ts";
import { abbreviateHome } from "../text/format.ts";
import { table } from "../text/table.ts";
import { trustPaths } from "./trust-paths.ts";

export interface ExplainOptions {
  readonly format: "text" | "json";
}

/** Lists the settings in a directory, their effects, and whether they are used or ignored. */
export async function explainTrust(directory: string, { format }: ExplainOptions): Promise<number> {
  const console = openConsole();
  const paths = trustPaths(console);
  const real = await realDirectory(directory);
  const found = await projectSettingsIn(real, paths);
  const trust = await directoryTrust(real, await readTrust(paths.home), async () => found);
  const settings = found.map((one) => ({ ...one, use: useOf(one, trust.trusted) }));
  if (format === "json") {
    await console.out.write(`${JSON.stringify({ directory: real, ...trust, settings })}\n`);
  } else {
    const state = trust.trusted ? `is trusted${because(trust)}` : "is not trusted";
    const rows = settings.map(({ path, keys, runtimes, effect, use }) => [
      abbreviateHome(path),
      runtimes.join(", "),
      `${effect}${keys.length > 0 ? `: ${keys.join(", ")}` : ""}`,
      use,
    ]);
    const lines = rows.length > 0 ? table(rows) : ["It has no settings that need trust."];
    await console.out.write(
      [`${abbreviateHome(real)} ${state}`, ...lines.map((line) => `  ${line}`), ""].join("\n"),
    );
    if (!trust.trusted && rows.length > 0)
      await console.out.write(
        `  If you know who wrote them, run "halyard trust ${abbreviateHome(real)}" to trust them.\n`,
      );
  }
  throwIfUnwritable(console);
  return 0;
}

function because(trust: Awaited<ReturnType<typeof directoryTrust>>): string {
  if (!trust.trusted) return "";
  return trust.by === "list"
    ? ` because of ${abbreviateHome(trust.directory)}`
    : " because you confirmed it";
}

function useOf({ ignoredBy, runtimes }: FoundSetting, trusted: boolean): string {
  if (trusted) return "used";
  if (ignoredBy === undefined && runtimes.includes("git")) return "used by the agent's commands";
  return ignoredBy === undefined ? "the runtime refuses to start" : `ignored by ${ignoredBy}`;
}
