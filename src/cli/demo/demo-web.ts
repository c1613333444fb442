import { access, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { homeDirectory, temporaryRoot } from "../../config/paths.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import { createHalyard } from "../../create-halyard.ts";
import { signInUrl } from "../../daemon/sign-in.ts";
import { SignInCode } from "../../schema/http/sign-in.ts";
import { createServer, type HalyardServer } from "../../server/index.ts";
import type { ScriptedModel } from "../../testing/scripted-model.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";
import { type Console, openConsole } from "../console/console.ts";
import { ensurePi, ensureScriptedModel } from "../install/demo-packages.ts";
import { openBrowser } from "../open/browser.ts";
import { openHalyard } from "../open-halyard.ts";
import { readVersion } from "../version.ts";
import { demoSessions, webScript } from "./web-script.ts";

export interface DemoWebOptions {
  /** False for `--no-browser`. */
  readonly browser: boolean;
}

/**
 * Shows three working agents on the page until Ctrl-C. Their files are in a temporary directory that is removed
 * afterwards.
 */
export async function demoWeb({ browser }: DemoWebOptions): Promise<number> {
  const console = openConsole();
  const { env, err } = console;
  const aimock = await ensurePackages(console);
  const stopped = untilStopped();
  const directory = await mkdtemp(join(temporaryRoot(), "halyard-demo-"));
  try {
    const home = await scratchHome(directory, console);
    await using halyard = await createHalyard({ home, env: { ...env }, store: "memory" });
    await using model = await startScriptedModel(webScript, { aimock });
    const server = createServer(halyard, { version: readVersion(), web: true });
    const listener = await server.listen({ port: 0 });
    await startSessions(halyard, model, directory);
    await showLink(await createLink(server, listener.url), console, browser);
    await stopped;
    await err.write("\nStopping the agents and removing their files.\n");
    await listener.close();
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
  return 0;
}

/** Installs Pi and the scripted model in the user's home if they are missing. Returns the model's module. */
async function ensurePackages(console: Console): Promise<string> {
  await using halyard = await openHalyard(console, { store: "memory" });
  await ensurePi(halyard, console);
  return ensureScriptedModel(console);
}

/** Creates a home without sessions, with the runtimes of the user's home. */
async function scratchHome(directory: string, { env }: Console): Promise<string> {
  const home = join(directory, "home");
  const runtimes = join(homeDirectory(env), "runtimes");
  await mkdir(home, { mode: 0o700 });
  const hasRuntimes = await access(runtimes).then(
    () => true,
    () => false, // the directory does not exist if the program that embeds Halyard depends on Pi itself
  );
  if (hasRuntimes) await symlink(runtimes, join(home, "runtimes"));
  return home;
}

async function startSessions(
  halyard: Halyard,
  model: ScriptedModel,
  directory: string,
): Promise<void> {
  for (const { name, permissions, prompt } of demoSessions) {
    const cwd = join(directory, name);
    await mkdir(cwd);
    const endpoint = model.endpoint("anthropic");
    const session = await halyard.start({ runtime: "pi", cwd, model: endpoint, permissions, name });
    session.send(prompt);
  }
}

async function createLink({ app }: HalyardServer, url: string): Promise<string> {
  const access = { isPrivate: true, isExposed: false }; // private, because this process owns the server
  const body = JSON.stringify({ lifetimeMs: LIFETIME_MS });
  const response = await app.request("/v1/sign-in-codes", { method: "POST", body }, { access });
  return signInUrl(url, SignInCode.parse(await response.json()).code);
}

/** The lifetime of the code in milliseconds: long enough to copy the link. */
const LIFETIME_MS = 600_000;

async function showLink(link: string, console: Console, browser: boolean): Promise<void> {
  const { env, out, err } = console;
  const { dim, bold } = err.colors;
  await err.write(
    `${bold("Three agents work on a scripted model, without a key or an account.")}\n`,
  );
  await err.write(dim('The session "release" waits for your permission.\n'));
  const problem = browser ? await openBrowser(link, env) : undefined;
  if (problem !== undefined) await err.write(`${problem} Open this link:\n`);
  await out.write(`${browser && problem === undefined ? new URL("/", link) : link}\n`);
  await err.write(dim("Press Ctrl-C to stop.\n"));
}

/**
 * Resolves when the process receives SIGINT, SIGTERM or SIGHUP. The listeners are not removed, because Pi's
 * libraries exit the process immediately if theirs is the only listener.
 */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => resolve());
  });
}
