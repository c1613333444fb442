/** A user of the built command, for pictures of real consoles. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const HALYARD = fileURLToPath(new URL("../dist/bin/halyard.js", import.meta.url));

/**
 * Creates a user with a scripted model and an empty working directory. `close` stops the sessions of the user, closes the
 * model and removes all files.
 * @param {string} project name of the working directory
 * @param {import("../dist/testing/scripted-model.js").ScriptedModel} model
 */
export function newPictureUser(project, model) {
  const directory = mkdtempSync(join(tmpdir(), "halyard-"));
  const [cwd = "", bin = "", home = ""] = [project, "bin", "halyard"].map((name) => {
    const path = join(directory, name);
    mkdirSync(path, { mode: 0o700 });
    return path;
  });
  const wrapper = `#!/bin/sh\nexec '${process.execPath}' '${HALYARD}' "$@"\n`;
  writeFileSync(join(bin, "halyard"), wrapper, { mode: 0o700 });
  const { id, baseUrl, api, apiKey } = model.endpoint("openai-chat");
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: directory,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    PS1: "$ ",
    GIT_PAGER: "cat",
    HALYARD_HOME: home,
    HALYARD_MODEL: id,
    HALYARD_BASE_URL: baseUrl,
    HALYARD_API: api,
    HALYARD_API_KEY: apiKey ?? "",
  };
  return {
    directory,
    cwd,
    home,
    env,
    async close() {
      // Agents continue after "daemon stop", so their sessions are stopped first.
      for (const args of [
        ["stop", "--all"],
        ["daemon", "stop"],
      ])
        execFileSync(process.execPath, [HALYARD, ...args], { env, stdio: "ignore" });
      await model.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
