import { join } from "node:path";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import type { Command } from "../../contracts/host.ts";
import { allowedEnvironment } from "../../programs/environment.ts";
import { codexHome, KEY_VARIABLE } from "./home/home.ts";
import type { ModelSource } from "./model.ts";
import { isSandboxed } from "./policy.ts";

/** The parts of the command line that do not come from the request. */
export interface CommandParts {
  readonly file: string;
  readonly source: ModelSource;
  /** The environment of this process. Only a part of it is passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns Codex's temporary directory in the run directory. */
export function temporaryDir({ runDir }: Pick<ConnectRequest, "runDir">): string {
  return join(runDir, "tmp");
}

/** Builds the command line and environment of the session's app server. */
export function toCommand(request: ConnectRequest, { file, source, env }: CommandParts): Command {
  const key = source.kind === "endpoint" ? source.apiKey : undefined;
  return {
    file,
    args: ["app-server"],
    cwd: request.cwd,
    env: allowedEnvironment(env, {
      ...request.env,
      ...(key !== undefined && { [KEY_VARIABLE]: key }),
      // The sandbox creates a directory in TMPDIR that its programs cannot write to, so the session needs its own
      // TMPDIR. A container has its own /tmp.
      ...(isSandboxed(request) &&
        request.host.name !== "container" && { TMPDIR: temporaryDir(request) }),
      CODEX_HOME: codexHome(request.stateDir),
      CODEX_INTERNAL_APP_SERVER_REMOTE_CONTROL_DISABLED: "1", // otherwise, Codex contacts ChatGPT
    }),
  };
}
