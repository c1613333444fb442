import { homeDirectory, hostsFile } from "../../config/paths.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import { didYouMean } from "../../errors/did-you-mean.ts";
import { HalyardError, reasonOf } from "../../errors/error.ts";
import { makeHome } from "../../files/make-home.ts";
import { liveStates } from "../../schema/session/session-state.ts";
import { newHost, readHosts, type SshHost, writeHosts } from "../../ssh-hosts/host-list.ts";
import { closeHost, openHost } from "../../ssh-hosts/open-host.ts";
import { type Console, openConsole, throwIfUnwritable } from "../console/console.ts";
import { table } from "../text/table.ts";
import { tunnelOptions } from "./open-hosts.ts";

export interface HostAddOptions {
  readonly command?: string;
  /** False for `--no-check`. */
  readonly check: boolean;
}

export interface HostListOptions {
  readonly format: "text" | "json";
}

/**
 * Adds a machine to the list. Rejects if the name or address is invalid, or if the name is in use. Unless `check` is
 * false, also rejects if the machine does not respond.
 */
export async function hostAdd(
  name: string,
  address: string,
  { command, check }: HostAddOptions,
): Promise<number> {
  const console = openConsole();
  const file = hostsFile(await makeHome(homeDirectory(console.env)));
  const known = await readHosts(file);
  const host = newHost({ name, address, ...(command !== undefined && { command }) }, known);
  const live = check ? await liveSessions(host, console) : undefined;
  await writeHosts(file, [...(await readHosts(file)), host]);
  const state = live === undefined ? "It was not checked." : `It runs ${count(live)}.`;
  await console.out.write(`${name} added. ${state}\n`);
  return 0;
}

/** Lists the machines with their state. A machine that does not respond is listed as well. */
export async function hostList({ format }: HostListOptions): Promise<number> {
  const console = openConsole();
  const { out, err } = console;
  const hosts = await readHosts(hostsFile(homeDirectory(console.env)));
  const rows = await Promise.all(hosts.map((host) => describe(host, console)));
  if (format === "json") for (const row of rows) await out.write(`${JSON.stringify(row)}\n`);
  else if (rows.length === 0)
    await err.write('No machines. Run "halyard host add NAME ssh://user@host" to add one.\n');
  else {
    const cells = rows.map(({ name, address, state, sessions, problem }) => [
      name,
      address,
      state,
      sessions === undefined ? "" : String(sessions),
      problem ?? "",
    ]);
    const columns = out.isTTY ? out.columns : Number.POSITIVE_INFINITY;
    const [heading = "", ...lines] = table([HEADINGS, ...cells], { columns });
    await out.write(`${out.colors.bold(heading)}\n`);
    for (const line of lines) await out.write(`${line}\n`);
  }
  throwIfUnwritable(console);
  return 0;
}

/** Removes a machine from the list and closes the connection to it. Rejects if no machine has this name. */
export async function hostRemove(name: string): Promise<number> {
  const console = openConsole();
  const file = hostsFile(homeDirectory(console.env));
  const known = await readHosts(file);
  const host = known.find((one) => one.name === name);
  if (host === undefined)
    throw new HalyardError(
      "invalid_input",
      `No machine is named "${name}".${didYouMean(
        name,
        known.map((one) => one.name),
      )} Run "halyard host list" to list machines.`,
    );
  await writeHosts(
    file,
    known.filter((one) => one !== host),
  );
  await closeHost(host, tunnelOptions(console));
  await console.out.write(`${name} removed. Its sessions continue.\n`);
  return 0;
}

const HEADINGS = ["HOST", "ADDRESS", "STATE", "LIVE", "PROBLEM"];

interface HostRow {
  readonly name: string;
  readonly address: string;
  readonly state: "connected" | "unreachable";
  /** The number of live sessions. */
  readonly sessions?: number;
  readonly problem?: string;
}

async function describe(host: SshHost, console: Console): Promise<HostRow> {
  const { name, address } = host;
  try {
    return { name, address, state: "connected", sessions: await liveSessions(host, console) };
  } catch (error) {
    return { name, address, state: "unreachable", problem: reasonOf(error) };
  }
}

async function liveSessions(host: SshHost, console: Console): Promise<number> {
  await using halyard: Halyard = await openHost(host, tunnelOptions(console)).retry();
  return (await halyard.sessions({ states: liveStates })).length;
}

function count(sessions: number): string {
  return `${sessions} live session${sessions === 1 ? "" : "s"}`;
}
