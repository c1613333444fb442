/** A group of files in src/ and everything that they may import. Paths are relative to src/. */
interface Layer {
  readonly files: RegExp;
  /** The paths of src/ that they may import; `$1` is replaced with the capture group of `files`. */
  readonly ours: readonly string[];
  /** The packages that they may import. Any package is allowed if omitted. Modules of Node are always allowed. */
  readonly packages?: readonly string[];
}

/** Folders that depend on no session, runtime, host or store. */
const foundation = ["schema/", "errors/", "async/", "files/", "wire/", "programs/", "contracts/"];

/**
 * Code that receives a `Halyard` may import that contract and functions that work with any implementation of it, but
 * not an implementation itself.
 */
const theInterface = [
  "async/any-signal.ts",
  "contracts/halyard.ts",
  "contracts/inspection.ts",
  "contracts/races.ts",
  "contracts/read-log.ts",
  "contracts/resume-options.ts",
  "contracts/store.ts",
  "contracts/turn.ts",
  "errors/",
  "files/",
  "halyard/",
  "schema/",
];

/** The first layer whose pattern matches applies. */
const layers: readonly Layer[] = [
  { files: /^schema\//, ours: ["schema/"], packages: ["zod"] },
  { files: /^wire\//, ours: ["wire/"], packages: [] },
  {
    files: /^errors\//,
    ours: ["errors/", "schema/", "wire/is-record.ts", "contracts/event-draft.ts"],
  },
  { files: /^async\//, ours: ["async/", "errors/", "schema/"] },
  { files: /^files\//, ours: ["files/", "errors/"] },
  { files: /^programs\//, ours: ["programs/", "errors/", "schema/"] },
  { files: /^contracts\//, ours: ["contracts/", "schema/", "errors/", "programs/"] },
  { files: /^permissions\//, ours: ["permissions/", "compat/gas-town/files/", ...foundation] },
  { files: /^log\//, ours: ["log/", ...foundation] },
  {
    files: /^halyard\//,
    ours: ["halyard/", "log/projection.ts", "permissions/edited-paths.ts", ...foundation],
  },
  { files: /^session\//, ours: ["session/", "halyard/", "log/", "permissions/", ...foundation] },
  {
    files: /^in-process\//,
    ours: ["in-process/", "session/", "halyard/", "log/", "permissions/", ...foundation],
  },
  { files: /^workspace\//, ours: ["workspace/", "permissions/", ...foundation] },
  {
    files: /^adapter-kit\//,
    ours: [
      "adapter-kit/",
      "permissions/agent-writable.ts",
      "permissions/copy-agent-files.ts",
      ...foundation,
    ],
  },
  {
    files: /^config\//,
    ours: [
      "config/",
      "compat/gas-town/files/",
      "files/make-directory.ts",
      "schema/",
      "contracts/session-request.ts",
      "programs/environment.ts",
      "errors/error.ts",
    ],
  },
  {
    files:
      /^adapters\/(registry|registry-entry|prompt-prefix|own-runtime|unavailable|installed-program|project-settings)\.ts$/,
    ours: ["adapters/", "adapter-kit/", "compat/gas-town/files/", ...foundation],
  },
  { files: /^adapters\/versions\.ts$/, ours: ["schema/"] },
  { files: /^adapters\/acp-bridge\.ts$/, ours: [] },
  { files: /^adapters\/newer-node\.ts$/, ours: ["adapters/versions.ts", "programs/"] },
  {
    files: /^adapters\/([^/]+)\//,
    ours: [
      "adapters/$1/",
      "adapters/versions.ts",
      "adapters/newer-node.ts",
      "adapters/acp-bridge.ts",
      "compat/gas-town/files/",
      "adapter-kit/",
      "claims/with-claim.ts",
      "permissions/",
      "log/redaction/secret-names.ts",
      ...foundation,
    ],
  },
  {
    files: /^hosts\/container\/(engines|image)\//,
    ours: [
      "hosts/container/engines/",
      "hosts/container/image/",
      "async/",
      "contracts/container-engine.ts",
      "errors/",
      "schema/",
      "wire/",
    ],
  },
  {
    // The programs of a tmux session are also local processes.
    files: /^hosts\/tmux\//,
    ours: ["hosts/tmux/", "hosts/local/", "hosts/recording/", "adapter-kit/", ...foundation],
  },
  {
    files: /^hosts\/([^/]+)\//,
    ours: [
      "hosts/$1/",
      "hosts/recording/",
      "adapter-kit/model-endpoint.ts",
      "session/session-secrets.ts",
      ...foundation,
    ],
  },
  { files: /^stores\//, ours: ["stores/", "log/projection.ts", ...foundation] },
  {
    files: /^halyard-options\.ts$/,
    ours: ["config/", "hooks/", ...foundation],
  },
  {
    files: /^create-halyard\.ts$/,
    ours: [
      "halyard-options.ts",
      "adapters/registry.ts",
      "adapters/project-settings.ts",
      "hosts/",
      "stores/",
      "config/",
      "compat/gas-town/labels-in.ts",
      "hooks/",
      "projects/",
      "client/owners.ts",
      "in-process/",
      "session/pauses/wake-slots.ts",
      "workspace/",
      "log/redaction/secrets.ts",
      "log/combine-audiences.ts",
      "telemetry/open-telemetry.ts",
      "telemetry/metrics/process-metrics.ts",
      ...foundation,
    ],
  },
  // Code that uses the `Halyard` interface, and works with a local and a remote instance.
  {
    files: /^acp\//,
    ours: [
      "acp/",
      "async/lanes.ts",
      "permissions/limit-halyard.ts",
      "wire/bounded-lines.ts",
      ...theInterface,
    ],
  },
  {
    // Listens for other processes of the user, which find the socket by the identity of this process.
    files: /^server\/serve-owner\.ts$/,
    ours: ["server/", "config/paths.ts", "hosts/local/process-identity.ts", ...theInterface],
  },
  { files: /^server\//, ours: ["server/", ...theInterface] },
  {
    files: /^mcp\//,
    ours: [
      "mcp/",
      "projects/",
      "permissions/limit-halyard.ts",
      "wire/bounded-lines.ts",
      "wire/is-record.ts",
      ...theInterface,
    ],
  },
  {
    // Names and formats of files that the configuration reads and that hints mention.
    files: /^compat\/gas-town\/files\//,
    ours: ["compat/gas-town/files/", "schema/"],
  },
  {
    files: /^compat\/gas-town\/cli\//,
    ours: ["compat/gas-town/", "cli/", "config/", "programs/environment.ts", ...theInterface],
  },
  {
    // These create a Halyard instance if the caller does not pass one.
    files: /^compat\//,
    ours: [
      "compat/",
      "create-halyard.ts",
      "halyard-options.ts",
      "config/",
      "async/",
      "claims/with-claim.ts",
      "log/projection.ts",
      "server/serve-owner.ts",
      "wire/backoff.ts",
      "wire/is-record.ts",
      "workspace/git/find-repository.ts",
      "workspace/git/git.ts",
      ...theInterface,
    ],
  },
  {
    // Reads and writes the store of a home directly.
    files: /^archive\//,
    ours: [
      "archive/",
      "hosts/local/process-identity.ts",
      "stores/",
      "session/attachments/",
      "log/projection.ts",
      "log/redaction/",
      ...foundation,
    ],
  },
  {
    files: /^telemetry\//,
    ours: [
      "telemetry/",
      "async/",
      "programs/environment.ts",
      "contracts/adapter.ts",
      "contracts/audience.ts",
      ...theInterface,
    ],
  },
  {
    files: /^hooks\//,
    ours: [
      "hooks/",
      "wire/",
      "contracts/audience.ts",
      "permissions/open-inside.ts",
      "permissions/path-policy.ts",
      ...theInterface,
    ],
  },
  {
    files: /^projects\//,
    ours: ["projects/", "config/", "contracts/gate.ts", "async/lanes.ts", ...theInterface],
  },
  {
    files: /^client\//,
    ours: [
      "client/",
      "async/deferred.ts",
      "contracts/host.ts",
      "contracts/halyard-parts.ts",
      "log/projection.ts",
      "wire/",
      ...theInterface,
    ],
  },
  {
    // The page runs in a browser, so it may import only the modules that the client bundles, and the types of schemas.
    files: /^web\//,
    ours: [
      "web/",
      "client/connection.ts",
      "client/embedded-log.ts",
      "contracts/",
      "errors/",
      "log/projection.ts",
      "schema/",
    ],
    packages: ["preact", "preact/hooks"],
  },
  {
    files: /^claims\//,
    ours: ["claims/", "files/", "hosts/local/process-identity.ts"],
    packages: ["zod"],
  },
  {
    files: /^daemon\//,
    ours: [
      "daemon/",
      "wire/backoff.ts",
      "claims/",
      "server/",
      "client/",
      "config/",
      "log/redaction/redaction.ts",
      "log/redaction/secrets.ts",
      "hosts/local/process-identity.ts",
      ...theInterface,
    ],
  },
  {
    // The store on NATS is part of a cluster.
    files: /^cluster\//,
    ours: [
      "cluster/",
      "stores/jetstream/",
      "client/",
      "workspace/transfer/apply-patch.ts",
      "workspace/transfer/pack-directory.ts",
      "server/",
      "hosts/local/process-identity.ts",
      "contracts/",
      "async/",
      "log/projection.ts",
      "telemetry/metrics/exposition.ts",
      ...theInterface,
    ],
  },
  {
    files: /^ssh-hosts\//,
    ours: [
      "ssh-hosts/",
      "async/",
      "claims/with-claim.ts",
      "client/",
      "daemon/socket-path.ts",
      "programs/",
      "wire/is-record.ts",
      ...theInterface,
    ],
  },
  {
    files: /^cli\//,
    ours: [
      "cli/",
      "telemetry/export-telemetry.ts",
      "archive/",
      "cluster/",
      "ssh-hosts/",
      "claims/",
      "client/",
      "workspace/transfer/apply-patch.ts",
      "workspace/transfer/pack-directory.ts",
      "compat/",
      "daemon/",
      "hooks/",
      "projects/",
      "mcp/",
      "acp/",
      "server/",
      "hosts/container/engines/",
      "hosts/container/image/",
      "config/",
      "contracts/",
      "create-halyard.ts",
      "errors/",
      "programs/",
      "session/replay.ts",
      "session/session-request.ts",
      "adapters/registry.ts",
      "adapters/installed-program.ts",
      "adapters/newer-node.ts",
      "adapters/project-settings.ts",
      "adapters/versions.ts",
      "testing/script.ts",
      "testing/scripted-model.ts",
      "wire/",
      "workspace/git/repository-programs.ts",
      ...theInterface,
    ],
  },
  {
    files: /^testing\/(describe-compat|compat-suite)/,
    ours: ["testing/", "compat/", "log/", ...foundation],
  },
  {
    files: /^testing\//,
    ours: [
      "testing/",
      "adapter-kit/",
      "log/",
      "session/session-request.ts",
      "session/pauses/reported-limit.ts",
      "session/pauses/reset-time.ts",
      ...foundation,
    ],
  },
  { files: /^index\.ts$/, ours: [""] },
];

/** Returns the imports of a file that its layer does not allow, each as a sentence. */
export function findViolations(file: string, source: string): string[] {
  const layer = layers.find(({ files }) => files.test(file));
  if (layer === undefined) return [`${file} belongs to no layer. Add one in test/layers.ts.`];
  const group = layer.files.exec(file)?.[1] ?? "";
  const ours = layer.ours.map((path) => path.replace("$1", group));
  return importsOf(source)
    .map((specifier) => (specifier.startsWith(".") ? resolve(file, specifier) : specifier))
    .filter((target) => {
      if (target.startsWith("src:")) return !ours.some((path) => target.startsWith(`src:${path}`));
      return !target.startsWith("node:") && layer.packages?.includes(target) === false;
    })
    .map((target) => `${file} imports ${target.replace("src:", "")}`);
}

/** Returns the static, dynamic and type imports of a file. */
export function importsOf(source: string): string[] {
  return [...codeOf(source).matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
    ([, specifier = ""]) => specifier,
  );
}

/** Returns the source without block comments and without lines that contain only a comment. */
export function codeOf(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

/** Returns the path with a prefix that distinguishes it from the name of a package. */
function resolve(file: string, specifier: string): string {
  const { pathname } = new URL(specifier, `file:///${file}`);
  return `src:${pathname.slice(1)}`;
}
