import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SessionInfo } from "../schema/session.ts";
import type { Machine } from "./machine.ts";
import { findProcess } from "./recovery.ts";
import { SealedSecrets, sealSecrets } from "./sealed-secrets.ts";
import { secretsIn } from "./secrets.ts";
import type { SessionRequest } from "./session-request.ts";

/** The keys that a session was given. */
export function secretsOf({ model, env, credentials, options }: SessionRequest): string[] {
  const key = model?.apiKey ? [model.apiKey] : [];
  return [...key, ...secretsIn({ ...credentials }), ...secretsIn(env), ...secretsIn(options)];
}

/** Keys are never on record: what is kept, for as long as the runtime runs, is what it takes to recognise them. */
export function keepSealed(runDir: string, secrets: readonly string[]): void {
  if (secrets.length === 0) return;
  writeFileSync(fileIn(runDir), JSON.stringify(sealSecrets(secrets)), { mode: 0o600 });
}

/** Those of a runtime that somebody else started: it shows what is in its environment, and the rest can be recognised. */
export async function secretsOfRunning(
  machine: Machine,
  info: SessionInfo,
): Promise<{ known: string[]; sealed: SealedSecrets | undefined }> {
  const { run } = machine.directories(info.id, info);
  const process = await findProcess(machine, info);
  await process?.detach();
  const host = machine.hosts.get(info.host);
  const env = process ? await host?.environment?.(process.identity) : undefined;
  return { known: secretsIn(env ?? {}), sealed: await readSealed(run) };
}

async function readSealed(runDir: string): Promise<SealedSecrets | undefined> {
  try {
    return SealedSecrets.parse(JSON.parse(await readFile(fileIn(runDir), "utf8")));
  } catch {
    return undefined; // it was given none, or by a Halyard that did not keep them or died while it did, before all else
  }
}

/** The name of that file in a run directory. */
export const SECRETS_FILE = "secrets.json";

const fileIn = (runDir: string): string => join(runDir, SECRETS_FILE);
