import { resolve } from "node:path";
import type { Console } from "../console/console.ts";
import type { SessionFlags } from "../start-request.ts";

/** Asks whether to trust the directory of a new session, if a user can answer. Does not ask if a project is given. */
export async function askAboutDirectory(
  { cwd = ".", project }: Pick<SessionFlags, "cwd" | "project">,
  console: Console,
): Promise<void> {
  if (!console.isAttended || project !== undefined) return;
  const { askForTrust } = await import("./ask-for-trust.ts");
  await askForTrust(resolve(cwd), console);
}
