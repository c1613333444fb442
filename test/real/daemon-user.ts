import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ModelApi } from "../../src/schema/model.ts";
import type { ScriptedModel } from "../../src/testing/scripted-model.ts";
import { halyard, type User } from "../cli/start-cli.ts";
import { newDaemonUser } from "../daemon/scene.ts";
import { runtimesDir } from "./runtimes-dir.ts";

/**
 * Creates a user with the real runtimes and a running daemon. The user's `models.json` contains the scripted model,
 * because a session whose agent was killed reads its key again.
 */
export async function newRealDaemonUser(
  model: ScriptedModel,
  apis: readonly ModelApi[],
): Promise<User> {
  const user = await newDaemonUser();
  await mkdir(user.home, { recursive: true });
  await symlink(runtimesDir, join(user.home, "runtimes"));
  const entries = apis.map((api) => {
    const { apiKey, id, baseUrl } = model.endpoint(api);
    return [`scripted-${api}`, { model: id, baseUrl, api, apiKey }];
  });
  const models = Object.fromEntries(entries);
  await writeFile(join(user.home, "models.json"), JSON.stringify({ models }));
  await startDaemon(user);
  return user;
}

/** Starts the daemon of a user if it is not running. */
export async function startDaemon(user: User): Promise<void> {
  await halyard(user, ["wait", "none"]);
}
