import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { SessionRequest } from "../contracts/session-request.ts";
import { SealedSecrets, sealSecrets } from "../log/redaction/sealed-secrets.ts";
import { secretsIn } from "../log/redaction/secrets.ts";
import type { SessionInfo } from "../schema/session.ts";
import { findProcess } from "./recovery/recovery.ts";

/** Returns the keys in a session's request. */
export function secretsOf({ model, env, credentials, options }: SessionRequest): string[] {
  const key = model?.apiKey ? [model.apiKey] : [];
  return [...key, ...secretsIn({ ...credentials }), ...secretsIn(env), ...secretsIn(options)];
}

/**
 * Stores hashes of the session's keys while its runtime runs, so that another process can redact them. The keys
 * themselves are never stored.
 */
export function writeSealed(runDir: string, secrets: readonly string[]): void {
  if (secrets.length === 0) return;
  writeFileSync(fileIn(runDir), JSON.stringify(sealSecrets(secrets)), { mode: 0o600 });
}

/**
 * Returns the secrets of a runtime that another process started: the keys in its environment, if the host can read it, and
 * the hashes that `writeSealed` stored, if there are any.
 */
export async function secretsOfRunning(
  parts: HalyardParts,
  info: SessionInfo,
): Promise<{ known: string[]; sealed: SealedSecrets | undefined }> {
  const { run } = parts.directories(info.id, info);
  const process = await findProcess(parts, info);
  await process?.detach();
  const host = parts.hosts.get(info.host);
  const env = process ? await host?.environment?.(process.identity) : undefined;
  return { known: secretsIn(env ?? {}), sealed: await readSealed(run) };
}

async function readSealed(runDir: string): Promise<SealedSecrets | undefined> {
  try {
    return SealedSecrets.parse(JSON.parse(await readFile(fileIn(runDir), "utf8")));
  } catch {
    // the session has no keys, an older version of Halyard started it, or a process died while it wrote the file
    return undefined;
  }
}

/** The name of the file in a run directory that contains the hashes of the session's keys. */
export const SECRETS_FILE = "secrets.json";

const fileIn = (runDir: string): string => join(runDir, SECRETS_FILE);
