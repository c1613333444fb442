import { editJsonFile } from "../../config/json/edit-json.ts";
import { trustFile } from "../../config/paths.ts";
import { directoryTrust } from "../../config/trust/directory-trust.ts";
import { fingerprint } from "../../config/trust/fingerprint.ts";
import { realDirectory } from "../../config/trust/is-trusted.ts";
import { projectSettingsIn, readTrust } from "../../config/trust/user-trust.ts";
import { HalyardError } from "../../errors/error.ts";
import type { FoundSetting } from "../../schema/project/project-setting.ts";
import { confirm } from "../console/confirm.ts";
import type { Console } from "../console/console.ts";
import { cleanLine } from "../text/clean.ts";
import { abbreviateHome } from "../text/format.ts";
import { trustPaths } from "./trust-paths.ts";

/**
 * Asks on a console whether to trust a directory whose files can run code, redirect keys or loosen permissions. Asks
 * once for the same files, and records every answer except `y` and `yes` as a no. Without a console, does not ask, and
 * the files are ignored. Throws `cancelled` and records nothing if the user cancels the question with Ctrl-C or Ctrl-D.
 */
export async function askForTrust(cwd: string, console: Console): Promise<void> {
  if (!console.isAttended) return;
  const paths = trustPaths(console);
  const found = await projectSettingsIn(cwd, paths);
  if (!found.some(dependsOnTrust)) return;
  const trust = await readTrust(paths.home);
  if ((await directoryTrust(cwd, trust, async () => found)).trusted) return;
  const real = await realDirectory(cwd);
  const hash = await fingerprint(found);
  if (hash === undefined || trust?.declined[real] === hash) return;
  const key = (await ask(found, console)) ? "answers" : "declined";
  await editJsonFile(trustFile(paths.home), [{ path: [key, real], value: hash }]);
}

/** False for a git setting that applies to the agent's commands even in an untrusted directory. */
function dependsOnTrust({ runtimes, ignoredBy }: FoundSetting): boolean {
  return ignoredBy !== undefined || !runtimes.includes("git");
}

async function ask(found: readonly FoundSetting[], console: Console): Promise<boolean> {
  const { err } = console;
  const { bold, dim, yellow } = err.colors;
  await err.write(`${yellow("This directory contains settings for agents:")}\n`);
  const lines = found.map(({ path, keys, effect }) => {
    const named = keys.length > 0 ? ` ${dim(`(${cleanLine(keys.join(", "))})`)}` : "";
    return `  ${bold(cleanLine(abbreviateHome(path)))}${named}: ${effect}\n`;
  });
  for (const line of new Set(lines)) await err.write(line);
  await err.write(
    "If you do not trust them, the agent ignores them. An agent that cannot ignore them does not start.\n",
  );
  const answer = await confirm("Do you know who wrote these files, and trust them?", console);
  if (answer !== undefined) return answer;
  throw new HalyardError(
    "cancelled",
    "The trust question was not answered. No session was started. Run the command again and answer the question.",
  );
}
