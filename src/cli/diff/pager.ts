import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Environment } from "../../config/paths.ts";

/**
 * Shows a text in the user's pager, as git does: `PAGER`, otherwise `less`. Returns false if the pager is disabled
 * or cannot be run. A pager that exits with another error has shown the text, or the reason why it could not.
 */
export async function showInPager(text: string, env: Environment): Promise<boolean> {
  const { PAGER: pager = "less" } = env;
  if (pager === "" || pager === "cat") return false;
  const child = spawn(
    "sh",
    ["-c", `command -v ${pager.split(" ")[0]} >/dev/null || exit ${NOT_FOUND}; exec ${pager}`],
    {
      env: { LESS: "FRX", ...env },
      stdio: ["pipe", "inherit", "inherit"],
    },
  );
  child.stdin.on("error", () => {}); // the user closed the pager before the end of the text
  child.stdin.end(text);
  const [code] = await once(child, "exit").catch(() => [NOT_FOUND]);
  return code !== NOT_FOUND && code !== NOT_EXECUTABLE;
}

/** The exit codes of a shell that cannot run a program. */
const NOT_EXECUTABLE = 126;
const NOT_FOUND = 127;
