import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Environment } from "../../config/paths.ts";

/**
 * Shows a text in the pager that `PAGER` names, or in `less` if `PAGER` is not set. Returns false if `PAGER` is empty or
 * `cat`, or if the pager cannot be run. Returns true if the pager fails later, because it has shown the text or an error.
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
