import { createInterface } from "node:readline/promises";
import { editJsonFile } from "../config/edit-json.ts";
import { trustFile } from "../config/paths.ts";
import { directoryTrust } from "../config/trust/directory-trust.ts";
import { fingerprint } from "../config/trust/fingerprint.ts";
import { readTrust, settingsIn } from "../config/trust/user-trust.ts";
import { realDirectory } from "../config/trust.ts";
import type { FoundSetting } from "../schema/project-setting.ts";
import { cleanLine } from "./output/clean.ts";
import { tilde } from "./output/words.ts";
import type { Terminal } from "./terminal.ts";
import { trustPlaces } from "./trust-places.ts";

/**
 * Asks on a console whether to trust a directory whose files could run code, redirect keys or loosen permissions. Asks once
 * for the same files, and takes everything but `yes` for a no. Without a console it asks nothing: the files are ignored.
 */
export async function askForTrust(cwd: string, terminal: Terminal): Promise<void> {
  if (!terminal.isAttended) return;
  const places = trustPlaces(terminal);
  const found = await settingsIn(cwd, places);
  if (found.length === 0) return;
  const trust = await readTrust(places.home);
  if ((await directoryTrust(cwd, trust, async () => found)).trusted) return;
  const real = await realDirectory(cwd);
  const hash = await fingerprint(found);
  if (hash === undefined || trust?.declined[real] === hash) return;
  const key = (await ask(cwd, found, terminal)) ? "answers" : "declined";
  await editJsonFile(trustFile(places.home), [{ path: [key, real], value: hash }]);
}

async function ask(
  cwd: string,
  found: readonly FoundSetting[],
  terminal: Terminal,
): Promise<boolean> {
  const { err, input } = terminal;
  const { bold, dim, yellow } = err.colors;
  await err.write(`${yellow("This directory comes with settings that")}\n`);
  for (const { path, keys, effect } of found) {
    const named = keys.length > 0 ? ` ${dim(`(${keys.join(", ")})`)}` : "";
    await err.write(`  ${bold(cleanLine(tilde(path)))}${cleanLine(named)}: ${effect}\n`);
  }
  await err.write(
    `Without your trust they are ignored, and the agent works in ${tilde(cwd)} all the same.\n`,
  );
  const reader = createInterface({ input, output: process.stderr });
  try {
    const answer = await reader.question(
      `Do you know who wrote them, and trust them? yes/${bold("no")} `,
    );
    return answer.trim().toLowerCase() === "yes";
  } catch {
    return false; // the console was closed
  } finally {
    reader.close();
  }
}
