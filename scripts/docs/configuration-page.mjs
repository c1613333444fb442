import { builtInProjectSettings } from "../../dist/adapters/project-settings.js";
import { RuntimeSource } from "../../dist/schema/runtime-decision.js";
import { fieldComment, readBuilt } from "./comments.mjs";
import { configurationFiles } from "./configuration-files.mjs";
import { keysOf } from "./keys-of.mjs";
import { generatedFrom, table } from "./table.mjs";

function projectSettingsTable() {
  const byRow = new Map();
  for (const { runtime, settings } of builtInProjectSettings)
    for (const { path, keys = [], effect, ignoredBy = "refuses to start" } of settings) {
      const file = `\`${path}\`${keys.length > 0 ? ` (${keys.join(", ")})` : ""}`;
      const how = ignoredBy === "refuses to start" ? ignoredBy : `\`${ignoredBy}\``;
      const row = JSON.stringify([file, effect, how]);
      byRow.set(row, [...(byRow.get(row) ?? []), runtime]);
    }
  const rows = [...byRow].map(([row, runtimes]) => [runtimes.join(", "), ...JSON.parse(row)]);
  return table(["runtime", "project setting", "what it does", "in an untrusted directory"], rows);
}

/** docs/configuration.md: every file, every key, and who goes before whom. */
export function configurationPage() {
  return `# Configuration

${generatedFrom("the schemas in src/config/ and scripts/docs/configuration-files.mjs")}

Halyard reads the files of Oubliette and Gas Town beside its own; \`agents\` in \`halyard.json\` has the form of OpenClaw's. All
files are optional. The command line, the daemon and the [facades](facades.md) read them; \`createHalyard\` reads none
unless it gets a reader:

\`\`\`js
import { createConfigReader, createHalyard } from "halyard";

const halyard = await createHalyard({ config: createConfigReader() });
\`\`\`

- Comments and trailing commas are fine everywhere. A key that nobody knows is a warning; a wrong value is an error that
  names the file, the line, the key and what was expected, and never repeats the value.
- The files are read afresh for every session: a change holds for the next one, without a restart. A file that is broken
  at that moment, half-written or mistaken, stays as it last was good, and a warning says so.
- Keys are in no output: not in \`explain\`, not in events, not in errors.

## Which runtime

The first that names a runtime decides.

${table(["", "who", "says it by", "where it cannot run"], precedence())}

Other names that people use are understood in each of these places: \`claude-sdk\` is \`ccsdk\`, \`claude-code\` is
\`claude\`, \`factory\` is \`droid\`. A runtime registered under such a name goes before it.

\`halyard runtime explain\` prints every step, with the file and why it did or did not decide; \`--runtime\`, \`--project\`,
\`--agent-id\` and \`--cwd\` ask as if, \`--format json\` is for programs: \`{ runtime, source, explicit, steps }\`.

What somebody chose fails with the reason where it cannot run. What is only a default is replaced by \`pi\` before anything
ran: the session has \`fallback: { from, reason }\`, each of its outcomes has it as \`metadata.fallback\`, and \`halyard run\`
warns. An agent of \`agents.list\` is named by a session's label \`agent\`.

\`auto\` is droid where \`config/factory.json\` holds a key, and opencode in every other case.

## Which host

What the request says (\`--host\`); then \`host\` of the project, of the rig, of the agent, and of \`halyard.json\`; then
tmux, where \`~/.gastown/runtimes.json\` has the runtime with \`delivery: tmux\`; then \`host\` of the user's
\`config.json\`; then \`local\`. If that host does not exist here, the session is refused and the
error names who chose it.

## Which model

What the request says; then the agent's \`model\`; then the project's; then, for droid, \`droid.default_model\`; then
\`model\` of \`halyard.json\`, then of the user's \`config.json\`; then \`defaults.session_model\` of \`models.json\`; then
the runtime's own choice. A name out of \`models.json\` brings its endpoint and key. [Model endpoints](models.md) has the
rest.

## Whom to trust

The files of a directory come from whoever wrote them. In a directory that you do not trust they decide nothing but the name of
a built-in runtime and of a model, under every policy: \`allow-all\` is about the tools that the model calls. To trust a directory:

\`\`\`sh
halyard trust [DIRECTORY]             # with all below it; --remove takes it back
halyard trust --explain [DIRECTORY]   # what its files would do, and which of them are ignored; --format json
\`\`\`

On a console \`halyard run\` and \`halyard start\` list the settings that they find and ask once. Every answer but
\`y\` and \`yes\` means no, and text typed before the question is discarded.
\`trust.json\` keeps the answer with a hash of the settings, so that Halyard asks again when they change. The hash covers the
settings, not the programs that they start. Without a console nothing is asked, and the session begins with a warning for each
file that it ignores. A program vouches for a directory with \`trust: true\` in the request or with \`createHalyard({ trust: [DIRECTORY] })\`.
A directory is trusted only together with the directories above it that have settings. Your home and what is above it hold your
own settings.

In an untrusted directory:

- the runtime starts without the project settings in the table below, or refuses to start with \`untrusted_directory\` and names
  the file. \`AGENTS.md\` and \`CLAUDE.md\` still reach the model;
- \`git\` runs without \`core.fsmonitor\` of the repository;
- \`permissions\` of \`halyard.json\` count only if they are stricter than yours. Its \`host\`, \`hooks\` and options of agents are
  ignored;
- \`runtime\` of \`halyard.json\` and \`.gastown/runtime.json\`, a runtime of \`agents\` and \`agent_runtime\` of \`config/server.json\`
  can only name \`claude\`, \`codex\`, \`droid\`, \`opencode\`, \`pi\` or \`ccsdk\`. Another name, such as an ACP agent or a runtime that
  you registered, is ignored with a warning;
- a name in \`models.json\` is refused, wherever its endpoint is. It cannot shadow the name of a model;
- the key in \`factory.json\` is ignored.

A session records the directory that its endpoint came from. If you trust the directory no longer, the endpoint gets no key when
the session is resumed. A config directory that \`HALYARD_CONFIG\` names is yours. A file above the working directory that belongs
to another user is ignored with a warning.

${projectSettingsTable()}

An agent that you run over ACP or in a terminal reads its own project files, which Halyard does not control.

## The files

${configurationFiles.map(section).join("\n\n")}

## The environment

| variable | is |
| --- | --- |
| \`HALYARD_HOME\` | where Halyard keeps sessions, installed runtimes, \`config.json\` and \`trust.json\`: \`~/.halyard\` |
| \`HALYARD_CONFIG\` | the config directory: \`config\` in the working directory |
| \`HALYARD_MODEL\`, \`HALYARD_BASE_URL\`, \`HALYARD_API\`, \`HALYARD_API_KEY\` | [the model](models.md), before the files and after the options |

## The commands

| command | does |
| --- | --- |
| \`halyard explain\` | shows runtime, model, keys, permissions and host of a session started here, and what decides each |
| \`halyard runtime explain\` | tells which agent a session would get, and why |
| \`halyard runtime list\` | lists the agents, and marks that one |
| \`halyard runtime set default NAME\` | writes \`runtime\` into \`config.json\` of Halyard's home, and leaves all else in it as it is |
| \`halyard gt runtime set default NAME\` | writes \`default\` into \`~/.gastown/runtimes.json\`, as does \`runtime set default NAME --gas-town\` |
| \`halyard runtime import FILE\` | takes over the agents of Gas Town's \`settings/agents.json\` |
| \`halyard gt preset\` | is one of Halyard's agents for that file ([facades.md](facades.md#halyardari)) |
| \`halyard trust [DIRECTORY]\` | trusts a directory's files |
`;
}

const defaults = new Set(["user", "registry"]);

function precedence() {
  const source = readBuilt("schema/runtime-decision.js");
  return RuntimeSource.options.map((name, index) => [
    String(index + 1),
    `\`${name}\``,
    fieldComment(source, "RuntimeSource", name),
    instead(name),
  ]);
}

function instead(name) {
  if (name === "settings") return "an error; for `agents.defaults`, pi";
  if (name === "server") return "an error; for `auto`, pi";
  return defaults.has(name) ? "pi" : "an error";
}

function section({ name, where, about, schema, sources, leftOut, example }) {
  const text = sources.map(readBuilt).join("\n");
  const keys = keysOf(schema, text).filter(({ key }) => !key.startsWith(`${leftOut}.`));
  const rows = keys.map(({ key, type, comment }) => [`\`${key}\``, type, comment]);
  return `### ${name}

${where} ${about}

${table(["key", "type", ""], rows)}

\`\`\`jsonc
// ${example.file}
${example.text}
\`\`\``;
}
