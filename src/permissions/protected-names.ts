import { DIRECTORY } from "../compat/gas-town/files/names.ts";

/**
 * Names of files and directories from which programs run code or read permissions without a request. Programs do so
 * when a directory is opened or entered, in a git operation, at a login, or when an agent starts. An edit of such a
 * file is equivalent to running a command, so `allow-edits` asks the user first. The list also contains private files
 * of a home directory. `docs/permissions.md` lists these names.
 */
const names: readonly string[] = [
  // git; a HEAD file turns a directory into a repository, with hooks and programs in its config
  ...[".git", "HEAD", ".gitmodules", ".gitconfig", ".githooks", ".husky"],
  ...[
    ".pre-commit-config.yaml",
    "lefthook.yml",
    "lefthook.yaml",
    ".lefthook.yml",
    ".lefthook.yaml",
  ],
  ...["lefthook-local.yml", "lefthook-local.yaml", ".lefthook-local.yml", ".lefthook-local.yaml"],
  ...[
    ".pre-commit-config.yml",
    ".overcommit.yml",
    ".simple-git-hooks.json",
    ".simple-git-hooks.js",
  ],
  // other version control systems, whose settings can name programs
  ...[".hg", ".jj", ".sl"],
  // agents and their MCP servers
  ...[
    ".claude",
    ".claude.json",
    ".codex",
    ".factory",
    ".opencode",
    "opencode.json",
    "opencode.jsonc",
  ],
  ...[
    ".pi",
    ".mcp.json",
    ".agent",
    ".agents",
    ".gemini",
    ".qwen",
    ".cursor",
    ".windsurf",
    ".continue",
    ".aider.conf.yml",
  ],
  ...[
    ".amp",
    ".augment",
    ".cline",
    ".clinerules",
    ".codebuddy",
    ".copilot",
    ".devin",
    ".goose",
    ".grok",
    ".iflow",
    ".junie",
    ".kimi",
    ".kimi-code",
    ".kiro",
  ],
  ...[".qoder", ".roo", ".trae", ".vibe", ".kilo", ".kilocode", "kilo.json", "kilo.jsonc"],
  ...[".crush", ".crush.json", "crush.json"],
  // Halyard
  ...["halyard.json", ".halyard", DIRECTORY, "factory.json", "models.json"],
  // editors and environments that run tasks when a directory is opened or entered
  ...[".vscode", ".idea", ".zed", ".fleet", ".devcontainer", ".devcontainer.json"],
  ...[".exrc", ".vimrc", ".nvimrc", ".nvim.lua", ".dir-locals.el", ".gdbinit", ".lldbinit"],
  ...[
    ".env",
    ".envrc",
    ".direnv",
    ".mise",
    ".mise.toml",
    "mise.toml",
    ".mise.local.toml",
    "mise.local.toml",
  ],
  ...[".tool-versions", ".tmux.conf"],
  // interpreters that run a file in the working directory when they start
  ...[".Rprofile", ".irbrc", ".pryrc", ".pdbrc", ".ghci", ".ocamlinit", ".iex.exs", ".octaverc"],
  ...[".perldb"],
  // package managers that read programs or registries from these files
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn", ".pnpmfile.cjs", ".pnpmfile.mjs"],
  ...["bunfig.toml", ".bunfig.toml", ".cargo", ".mvn"],
  // shells and logins
  ...[
    ".profile",
    ".login",
    ".logout",
    ".inputrc",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".pam_environment",
  ],
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases"],
  ...[
    ".zshenv",
    ".zprofile",
    ".zshrc",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".mkshrc",
    ".cshrc",
    ".tcshrc",
  ],
  // other files in a home directory that can name programs
  ...[".emacs", ".emacs.d", ".vim", ".screenrc", ".hgrc", ".pythonrc", ".sqliterc", ".psqlrc"],
  ...[".curlrc", ".wgetrc", ".mailcap", ".lessfilter", ".nix-profile"],
  // other private files in a home directory
  ...[".ssh", ".gnupg", ".aws", ".config", ".local", ".docker", ".kube", ".netrc"],
];

const folded: ReadonlySet<string> = new Set(names.map(fold));

/** Returns the first protected name among the components of a path, or undefined if there is none. */
export function protectedNameIn(names: readonly string[]): string | undefined {
  const plain = names.map(fold);
  const at = plain.findIndex((name, index) => isProtected(name) || isHooks(plain[index - 1], name));
  return names[at];
}

function isProtected(name: string): boolean {
  return folded.has(name) || patterns.some((pattern) => pattern.test(name));
}

/** The DOS short name of `.git`, mise settings for one environment, and VS Code workspaces, which contain tasks. */
const patterns: readonly RegExp[] = [/^git~\d+$/, /^\.?mise\..+\.toml$/, /\.code-workspace$/];

/** True for the one protected directory inside `.github`, which otherwise contains ordinary files. */
function isHooks(parent: string | undefined, name: string): boolean {
  return parent === ".github" && name === "hooks";
}

/**
 * Normalizes a name the way some file systems compare names: without case, invisible characters, the text after a colon,
 * and trailing dots and spaces.
 */
function fold(name: string): string {
  const [base = ""] = name.normalize("NFKC").split(":", 1);
  return base
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
}
