import { spawn } from "node:child_process";
import type { Environment } from "../../config/paths.ts";

/** Opens an address in the user's browser. Returns the reason if that fails, and otherwise undefined. */
export async function openBrowser(url: string, env: Environment): Promise<string | undefined> {
  const isMac = process.platform === "darwin";
  if (!isMac && !env.DISPLAY && !env.WAYLAND_DISPLAY && !env.BROWSER && !env.WSL_DISTRO_NAME)
    return "No display is available for a browser.";
  const command = isMac ? "open" : "xdg-open";
  const child = spawn(command, [url], { env, detached: true, stdio: "ignore" });
  child.unref();
  return new Promise((resolve) => {
    const settle = (problem?: string): void => {
      clearTimeout(timer);
      resolve(problem);
    };
    const timer = setTimeout(settle, LONGEST_MS); // some browsers run in the foreground, so do not wait for their exit
    child.once("error", ({ message }) => settle(`The browser cannot be started: ${message}.`));
    child.once("exit", (code) =>
      settle(code === 0 ? undefined : `${command} failed with exit code ${code}.`),
    );
  });
}

const LONGEST_MS = 2_000;
