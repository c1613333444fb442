import { resolve } from "node:path";
import type { Console } from "../console/console.ts";
import type { SessionFlags } from "../start-request.ts";

/** Asks whether to trust the directory of a new session, if a person can answer. Does not ask for a project. */
export async function askAboutDirectory(
  { cwd = ".", project }: Pick<SessionFlags, "cwd" | "project">,
  console: Console,
): Promise<void> {
  if (!console.isAttended || project !== undefined) return;
  const { askForTrust } = await import("./ask-for-trust.ts");
  await askForTrust(resolve(cwd), console);
}
