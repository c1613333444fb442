/**
 * Names of files and directories that a program executes, or takes its permissions from, without being asked to:
 * when a directory is opened or entered, at a git operation, at a login, when an agent starts. An edit of one of them
 * is as good as a command, so `allow-edits` asks for it. `docs/permissions.md` lists them.
 */
const names: readonly string[] = [
  // git; HEAD is what makes a directory a repository, with hooks and programs in its config
  ...[".git", "HEAD", ".gitmodules", ".gitconfig", ".githooks", ".husky"],
  ...[
    ".pre-commit-config.yaml",
    "lefthook.yml",
    "lefthook.yaml",
    ".lefthook.yml",
    ".lefthook.yaml",
  ],
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
    ".agents",
    ".gemini",
    ".qwen",
    ".cursor",
    ".windsurf",
    ".continue",
    ".aider.conf.yml",
  ],
  // Halyard
  ...["halyard.json", ".halyard", ".gastown", "factory.json", "models.json"],
  // editors and environments that run tasks when a directory is opened or entered
  ...[".vscode", ".idea", ".zed", ".fleet", ".devcontainer", ".devcontainer.json"],
  ...[".exrc", ".vimrc", ".nvimrc", ".nvim.lua", ".dir-locals.el", ".gdbinit", ".lldbinit"],
  ...[".envrc", ".mise", ".mise.toml", "mise.toml", ".tmux.conf"],
  // package managers that take a program or a registry from here
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".yarn", ".pnpmfile.cjs", ".pnpmfile.mjs"],
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
  // what a home directory holds beside them
  ...[".ssh", ".gnupg", ".aws", ".config", ".local", ".docker", ".kube", ".netrc"],
];

const folded: ReadonlySet<string> = new Set(names.map(fold));

/** Returns true if an edit of a file or directory of this name always asks. */
export function isProtectedName(name: string): boolean {
  const plain = fold(name);
  return folded.has(plain) || /^git~\d+$/.test(plain);
}

/** The name as file systems compare it that ignore case, some characters, or what follows a dot, a space or a colon. */
function fold(name: string): string {
  const [base = ""] = name.normalize("NFKC").split(":", 1);
  return base
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
}
