import { join } from "node:path";
import type { ConnectRequest } from "../../core/adapter.ts";
import { allowedEnvironment } from "../../core/environment.ts";
import type { Command } from "../../core/host.ts";
import { codexHome, KEY_VARIABLE } from "./home.ts";
import type { ModelSource } from "./model.ts";
import { isSandboxed } from "./policy.ts";

export interface CommandParts {
  readonly file: string;
  readonly source: ModelSource;
  /** Ours, of which only a part is passed on. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export function temporaryDir({ runDir }: Pick<ConnectRequest, "runDir">): string {
  return join(runDir, "tmp");
}

/** The command line of a session's own app server. */
export function toCommand(request: ConnectRequest, { file, source, env }: CommandParts): Command {
  const key = source.kind === "endpoint" ? source.apiKey : undefined;
  return {
    file,
    args: ["app-server"],
    cwd: request.cwd,
    env: allowedEnvironment(env, {
      ...request.env,
      ...(key !== undefined && { [KEY_VARIABLE]: key }),
      // The sandbox leaves a directory there, which its programs cannot write. A container has a /tmp of its own.
      ...(isSandboxed(request) &&
        request.host.name !== "container" && { TMPDIR: temporaryDir(request) }),
      CODEX_HOME: codexHome(request.stateDir),
      CODEX_INTERNAL_APP_SERVER_REMOTE_CONTROL_DISABLED: "1", // it would ask ChatGPT whether it may
    }),
  };
}
