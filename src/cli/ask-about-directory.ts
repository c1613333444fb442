import { resolve } from "node:path";
import type { SessionFlags } from "./start-request.ts";
import type { Terminal } from "./terminal.ts";

/** Asks for trust in the directory of a new session, if a person is there to answer. A project has a directory of ours. */
export async function askAboutDirectory(
  { cwd = ".", project }: Pick<SessionFlags, "cwd" | "project">,
  terminal: Terminal,
): Promise<void> {
  if (!terminal.isAttended || project !== undefined) return;
  const { askForTrust } = await import("./ask-for-trust.ts");
  await askForTrust(resolve(cwd), terminal);
}
