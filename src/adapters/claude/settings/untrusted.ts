import type { ConnectRequest } from "../../../contracts/adapter.ts";

type Project = Pick<ConnectRequest, "cwd" | "trusted">;

/** The variable that makes Claude Code read CLAUDE.md in additional directories. */
export const CLAUDE_MD_VARIABLE = "CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD";

/**
 * Returns the arguments that make Claude Code ignore all settings of an untrusted project. Without the settings, Claude
 * also ignores the project's CLAUDE.md. Therefore, the arguments add the project as an additional directory, from which
 * Claude reads only the instructions. Returns no arguments for a trusted project.
 */
export function untrustedArguments({ cwd, trusted = false }: Project): string[] {
  return trusted ? [] : ["--setting-sources", SOURCES.join(","), "--add-dir", cwd];
}

/** Returns the Agent SDK options that are equivalent to `untrustedArguments`. */
export function untrustedOptions({ cwd, trusted = false }: Project) {
  return trusted ? {} : { settingSources: SOURCES, additionalDirectories: [cwd] };
}

/** Returns the variable that makes Claude Code read an untrusted project's CLAUDE.md, or none for a trusted project. */
export function untrustedVariables({ trusted = false }: Project): Record<string, string> {
  return trusted ? {} : { [CLAUDE_MD_VARIABLE]: "1" };
}

const SOURCES = ["user"] as const;
