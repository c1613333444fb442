/**
 * Names of files and directories from which programs run code or read permissions without a request: when a directory
 * is opened or entered, in a git operation, at a login, or when an agent starts. An edit of one of them is equivalent
 * to running a command, so `allow-edits` asks for it. `docs/permissions.md` lists them.
 */
const names: readonly string[] = [
  // git. HEAD makes a directory a repository, with hooks and programs in its config
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
  // package managers that read a program or a registry from here
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
  // other private files of a home directory
  ...[".ssh", ".gnupg", ".aws", ".config", ".local", ".docker", ".kube", ".netrc"],
];

const folded: ReadonlySet<string> = new Set(names.map(fold));

/** True if an edit of a file or directory with this name always needs an answer. */
export function isProtectedName(name: string): boolean {
  const plain = fold(name);
  return folded.has(plain) || /^git~\d+$/.test(plain);
}

/**
 * Returns the name as file systems compare it that ignore case, invisible characters, or the text after a dot, space or
 * colon.
 */
function fold(name: string): string {
  const [base = ""] = name.normalize("NFKC").split(":", 1);
  return base
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[. ]+$/, "")
    .toLowerCase();
}
