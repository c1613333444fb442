import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { isSameProcess, ownIdentity } from "../hosts/local/process-identity.ts";
import { Identity } from "./identity.ts";
import { readJson, writeJson } from "./json-file.ts";

/**
 * Claims a directory for a process. Returns the function that gives the claim up, or undefined if another living process
 * has a claim.
 *
 * A process writes its claim first and then reads the others: of two processes, the later one sees the earlier. Two that
 * see each other both take their claims back and try again after pauses of different lengths.
 */
export async function claimDirectory(
  directory: string,
  identity: Identity = ownIdentity(),
): Promise<(() => Promise<void>) | undefined> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const name = `${randomUUID()}.claim`;
  const claim = join(directory, name);
  await writeJson(claim, identity);
  const others = (await readClaims(directory)).filter((other) => other.name !== name);
  if (others.some(({ identity: other }) => other && isAlive(other))) {
    await rm(claim);
    return undefined;
  }
  for (const dead of others) await rm(join(directory, dead.name), { force: true });
  return () => rm(claim, { force: true });
}

/** False only if the process is known to be dead: an unknown one may still live. */
export function isAlive(identity: Identity): boolean {
  return isSameProcess(identity) !== "dead";
}

interface Claim {
  readonly name: string;
  /** Undefined if a power cut left nothing to read. */
  readonly identity: Identity | undefined;
}

/** A claim is written once and never again, so that no reader can miss it. */
async function readClaims(directory: string): Promise<Claim[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".claim"));
  return Promise.all(
    names.map(async (name) => ({
      name,
      identity: await readJson(join(directory, name), Identity),
    })),
  );
}
