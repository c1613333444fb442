import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeDirectory } from "../files/make-directory.ts";
import { healthOfProcess, ownIdentity } from "../hosts/local/process-identity.ts";
import { Identity } from "./identity.ts";
import { readClaimFile, writeJson } from "./json-file.ts";

/**
 * Claims a directory for a process. Returns the function that releases the claim, or undefined if another living
 * process has a claim.
 *
 * A process writes its claim first and then reads the others: the later of two processes always sees the earlier one.
 * Two processes that see each other both remove their claims, so callers must retry after random delays.
 */
export async function claimDirectory(
  directory: string,
  identity: Identity = ownIdentity(),
): Promise<(() => Promise<void>) | undefined> {
  await makeDirectory(directory, { mode: 0o700 });
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

/** Returns false only if the process is known to be dead, and true if its state cannot be determined. */
export function isAlive(identity: Identity): boolean {
  return healthOfProcess(identity) !== "dead";
}

interface Claim {
  readonly name: string;
  /** Undefined if the file is empty or incomplete, for example after a power failure. */
  readonly identity: Identity | undefined;
}

/** Reads all claims. A claim file is written once and never replaced, so a reader cannot miss it. */
async function readClaims(directory: string): Promise<Claim[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".claim"));
  return Promise.all(
    names.map(async (name) => ({
      name,
      identity: await readClaimFile(join(directory, name), Identity),
    })),
  );
}
