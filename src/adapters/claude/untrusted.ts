import type { ConnectRequest } from "../../core/adapter.ts";

type Project = Pick<ConnectRequest, "cwd" | "trusted">;

/** Has Claude Code read the CLAUDE.md of additional directories. */
export const CLAUDE_MD_VARIABLE = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD";

/**
 * Has Claude Code leave out every setting of an untrusted project, which also hides its CLAUDE.md: as an additional
 * directory the project is read for its instructions, and for nothing else.
 */
export function untrustedArguments({ cwd, trusted = false }: Project): string[] {
  return trusted ? [] : ["--setting-sources", SOURCES.join(","), "--add-dir", cwd];
}

/** The same for the Agent SDK. */
export function untrustedOptions({ cwd, trusted = false }: Project) {
  return trusted ? {} : { settingSources: SOURCES, additionalDirectories: [cwd] };
}

export function untrustedVariables({ trusted = false }: Project): Record<string, string> {
  return trusted ? {} : { [CLAUDE_MD_VARIABLE]: "1" };
}

const SOURCES = ["user"] as const;
