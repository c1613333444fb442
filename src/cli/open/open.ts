import { rm } from "node:fs/promises";
import { findDaemon, type RunningDaemon } from "../../daemon/find.ts";
import { daemonPaths } from "../../daemon/paths.ts";
import { createSignInCode, signInUrl, signOutAll } from "../../daemon/sign-in.ts";
import { HalyardError } from "../../errors/error.ts";
import { type Console, openConsole } from "../console/console.ts";
import { daemonHome } from "../daemon/daemon-home.ts";
import { requireDaemon } from "../daemon/require-daemon.ts";
import { openOwnDaemon } from "../open-daemon.ts";
import { openBrowser } from "./browser.ts";

export interface OpenPageOptions {
  /** False for `--no-browser`. */
  readonly browser: boolean;
  readonly signOut?: boolean;
}

export async function openPage({ browser, signOut = false }: OpenPageOptions): Promise<number> {
  const console = openConsole();
  const { env, out, err } = console;
  if (signOut) return signOutBrowsers(console);
  const { code, url } = await createSignInCode(await runningDaemon(console));
  if (url === undefined)
    throw new HalyardError(
      "internal",
      'The daemon has no port for the page. Run "halyard daemon stop", and try again.',
    );
  const link = signInUrl(url, code);
  const problem = browser ? await openBrowser(link, env) : undefined;
  if (browser && problem === undefined) {
    await out.write(`${url}/\n`);
    return 0;
  }
  if (problem !== undefined) await err.write(`${problem} Open this link:\n`);
  await out.write(`${link}\n`);
  await err.write(err.colors.dim("The link is valid once, for 60 s.\n"));
  return 0;
}

/** Returns the running daemon. Starts it if it is not running. */
async function runningDaemon(console: Console): Promise<RunningDaemon> {
  await using _ = await openOwnDaemon(console);
  return await requireDaemon(console.env);
}

async function signOutBrowsers({ env, err }: Console): Promise<number> {
  const home = daemonHome(env);
  const daemon = await findDaemon(home);
  if (daemon) await signOutAll(daemon);
  else await rm(daemonPaths(home).browsers, { force: true });
  await err.write("All browsers are signed out, and all shared links are revoked.\n");
  return 0;
}
