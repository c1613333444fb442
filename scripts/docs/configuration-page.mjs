import { builtInProjectSettings } from "../../dist/adapters/project-settings.js";
import { RuntimeSource } from "../../dist/schema/runtimes/runtime-decision.js";
import { fieldComment, readBuilt } from "./comments.mjs";
import { configurationFiles } from "./configuration-files.mjs";
import { keysOf } from "./keys-of.mjs";
import { generatedFrom, table } from "./table.mjs";

function projectSettingsTable() {
  const byRow = new Map();
  for (const { runtime, settings } of builtInProjectSettings)
    for (const { path, keys = [], effect, ignoredBy = "refuses to start" } of settings) {
      const file = `\`${path}\`${keys.length > 0 ? ` (${keys.join(", ")})` : ""}`;
      const isCode = /^--|=/.test(ignoredBy);
      const how = isCode ? `\`${ignoredBy}\`` : ignoredBy;
      const row = JSON.stringify([file, effect, how]);
      byRow.set(row, [...(byRow.get(row) ?? []), runtime]);
    }
  const rows = [...byRow].map(([row, runtimes]) => [runtimes.join(", "), ...JSON.parse(row)]);
  return table(["runtime", "project setting", "effect", "in an untrusted directory"], rows);
}

/** Returns docs/reference/configuration.md: every file, every key, and the order of precedence. */
export function configurationPage() {
  return `# Configuration

${generatedFrom("the schemas in src/config/ and scripts/docs/configuration-files.mjs")}

Halyard reads settings from JSON files and environment variables. Every file is optional. The command line, the daemon and
the [compatibility interfaces](../coming-from.md) read the files. The library reads none unless you pass a reader:

\`\`\`js
import { createConfigReader, createHalyard } from "halyard";

const halyard = await createHalyard({ config: createConfigReader() });
\`\`\`

- The files may contain comments and trailing commas. An unknown key produces a warning. An invalid value is an error that
  names the file, the line, the key and the expected type, and does not repeat the value.
- Halyard reads the files again for every session, so a change applies to the next session without a restart. If a file is
  invalid at that moment, Halyard uses its last valid content and prints a warning.
- Halyard never prints keys: not in \`halyard explain\`, not in events, not in errors.

Run \`halyard explain\` to see the settings that apply in the current directory and the file that each one comes from.

## Choosing a runtime

Halyard uses the first source that names a runtime.

${table(["order", "source", "set by", "if the runtime is unavailable"], precedence())}

Every source accepts these aliases: \`claude-sdk\` for \`ccsdk\`, \`claude-code\` for \`claude\`, and \`factory\` for \`droid\`. A
runtime that you registered under such a name takes precedence over the alias.

\`halyard runtime explain\` prints each source with its file and the reason why it did or did not decide. Pass \`--runtime\`,
\`--project\`, \`--agent-id\` or \`--cwd\` to evaluate another case. \`--format json\` prints \`{ runtime, source, explicit, steps }\`.

If an explicitly chosen runtime is unavailable, the start fails with the reason. If a default is unavailable, Halyard starts
\`pi\` instead: the session has \`fallback: { from, reason }\`, every outcome has it as \`metadata.fallback\`, and \`halyard run\`
prints a warning. The label \`agent\` of a session selects an entry of \`agents.list\`.

The value \`auto\` means \`droid\` if \`config/factory.json\` contains a key, and \`opencode\` otherwise.

## Choosing a host

Halyard uses the first of these that names a host:

1. the request (\`--host\`),
2. \`host\` in the \`metadata.json\` of the project,
3. \`host\` in \`.gastown/runtime.json\`,
4. \`host\` of the agent in \`agents.list\`,
5. \`host\` in \`halyard.json\`,
6. \`delivery: tmux\` of the runtime in \`~/.gastown/runtimes.json\`, which selects \`tmux\`,
7. \`host\` in the \`config.json\` of the user,
8. the default, \`local\`.

If the host does not exist on this machine, the start fails and the error names the file that chose it.

## Choosing a model

Halyard uses the first of these that names a model:

1. the request (\`--model\`),
2. \`model\` of the agent in \`agents.list\`,
3. \`model\` of the project,
4. for Droid, \`droid.default_model\` in \`config/server.json\`,
5. \`model\` in \`halyard.json\`,
6. \`model\` in the \`config.json\` of the user,
7. \`defaults.session_model\` in \`models.json\`,
8. the default of the runtime.

A name from \`models.json\` selects an endpoint and a key together with the model. See [Model endpoints](../models.md).

## Choosing a policy

Halyard uses the first of these that names a policy:

1. the request (\`--permissions\`),
2. \`permissions\` in \`halyard.json\`. If the directory is not trusted, the value applies only if it is stricter than the policy
   of the user,
3. \`permissions\` in the \`config.json\` of the user,
4. the default: \`allow-all\` on the container host, \`ask\` on the other hosts.

See [Permissions](../permissions.md) for what each policy allows.

## Trusted directories

The files of a repository come from its authors, not from you. Halyard therefore distinguishes between trusted and untrusted
directories. In a trusted directory, project files may run code, loosen permissions, choose hosts and endpoints, and use your
keys. In an untrusted directory, they may choose a model, choose a built-in runtime and tighten permissions, and nothing else.
The policy of the session does not change this: \`allow-all\` applies to the tools that the model calls, not to project files.

\`\`\`sh
halyard trust [DIRECTORY]             # trust a directory and everything below it; --remove revokes this
halyard trust --explain [DIRECTORY]   # list what its files would do and which of them are ignored; --format json
\`\`\`

On a console, \`halyard run\` and \`halyard start\` list the settings that they find, and ask once whether you trust the directory.
Every answer except \`y\` and \`yes\` means no. Text typed before the question is discarded. \`trust.json\` stores the answer with a
hash of the settings, and Halyard asks again when the settings change. The hash covers the settings, not the programs that they
start. Of \`.git/config\`, the hash covers the settings that name programs. Without a console, Halyard does not ask: the session
starts with one warning for each ignored file. A program trusts a directory with \`trust: true\` in the request or with
\`createHalyard({ trust: [DIRECTORY] })\`.

A directory is trusted only if every parent directory with settings is trusted, too. Files in your home directory and above it
count as your own.

In an untrusted directory:

- The runtime starts without the project settings in the table below. If it cannot ignore them, it does not start: the error is
  \`untrusted_directory\` and names the file. \`AGENTS.md\` and \`CLAUDE.md\` still reach the model.
- \`git\` runs without the file monitor, the filters and the signature program that the configuration of the repository names, and
  ignores a repository among the files of another one. Filters in your own configuration, and those of Git LFS, still run.
  Hooks, aliases, editors, and diff, merge and SSH programs of the repository run if a git command of the agent uses them;
  \`halyard trust --explain\` lists them.
- \`permissions\` in \`halyard.json\` applies only if it is stricter than your policy. \`host\`, \`hooks\` and the options of agents
  are ignored.
- \`runtime\` in \`halyard.json\` and \`.gastown/runtime.json\`, the runtime of an agent, and \`agent_runtime\` in
  \`config/server.json\` may only name \`claude\`, \`codex\`, \`droid\`, \`opencode\`, \`pi\` or \`ccsdk\`. Other names, such as an ACP agent
  or a runtime that you registered, are ignored with a warning.
- The names in \`models.json\` are rejected, wherever their endpoints are. They cannot shadow the name of a model.
- The key in \`factory.json\` is ignored.

A session records the directory that its endpoint came from. If you revoke trust in that directory, the endpoint receives no key
when the session is resumed. A config directory that \`HALYARD_CONFIG\` names counts as your own. Halyard ignores a file above the
working directory that belongs to another user, and prints a warning.

${projectSettingsTable()}

An ACP agent, such as \`gemini\` or one of \`--command\`, and a program in a terminal cannot ignore project settings. They do not start
in an untrusted directory that contains their settings. Halyard recognizes a program by its file name. An unknown program may read
every file of the table and the files of all ACP agents. A remote agent (\`--url\`) decides itself which files it trusts.

## Files

${configurationFiles.map(section).join("\n\n")}

## Environment variables

| variable | description |
| --- | --- |
| \`HALYARD_HOME\` | the directory for sessions, installed runtimes, \`config.json\` and \`trust.json\`; defaults to \`~/.halyard\` |
| \`HALYARD_CONFIG\` | the config directory; defaults to \`config\` in the working directory |
| \`HALYARD_MODEL\`, \`HALYARD_BASE_URL\`, \`HALYARD_API\`, \`HALYARD_API_KEY\` | the [model endpoint](../models.md); they override the files, and options override them |

## Commands

| command | description |
| --- | --- |
| \`halyard explain\` | show the runtime, model, keys, permissions and host of a session started here, and the source of each |
| \`halyard runtime explain\` | show which runtime a session started here uses, and why |
| \`halyard runtime list\` | list the runtimes and mark the selected one |
| \`halyard runtime set default NAME\` | write \`runtime\` to \`config.json\` in Halyard's home; other keys do not change |
| \`halyard gt runtime set default NAME\` | write \`default\` to \`~/.gastown/runtimes.json\`; same as \`halyard runtime set default NAME --gas-town\` |
| \`halyard runtime import FILE\` | import agents from a \`settings/agents.json\` ([details](../coming-from.md#halyardcompatgas-town)) |
| \`halyard gt preset\` | print an agent entry for that file ([details](../coming-from.md#halyardcompatgas-town)) |
| \`halyard trust [DIRECTORY]\` | trust the files of a directory |
`;
}

const defaults = new Set(["user", "registry"]);

function precedence() {
  const source = readBuilt("schema/runtimes/runtime-decision.js");
  return RuntimeSource.options.map((name, index) => [
    String(index + 1),
    `\`${name}\``,
    fieldComment(source, "RuntimeSource", name),
    instead(name),
  ]);
}

function instead(name) {
  if (name === "settings") return "error; `pi` if `agents.defaults` chose it";
  if (name === "server") return "error; `pi` if the value is `auto`";
  return defaults.has(name) ? "`pi`" : "error";
}

function section({ name, where, about, schema, sources, leftOut, example }) {
  const text = sources.map(readBuilt).join("\n");
  const keys = keysOf(schema, text).filter(({ key }) => !key.startsWith(`${leftOut}.`));
  const rows = keys.map(({ key, type, comment }) => [`\`${key}\``, type, comment]);
  return `### ${name}

${where} ${about}

${table(["key", "type", "description"], rows)}

\`\`\`jsonc
// ${example.file}
${example.text}
\`\`\``;
}
