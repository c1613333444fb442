/** Some files of src/, and all they may import. Paths are relative to src/. */
interface Layer {
  readonly files: RegExp;
  /** What they may import of ours; `$1` stands for the group of `files`. */
  readonly ours: readonly string[];
  /** What they may import of others, where that matters. */
  readonly packages?: readonly string[];
}

/** What those see who take a `Halyard`: its contract, the schemas, the errors and the ids. */
const theInterface = [
  "core/availability.ts",
  "core/halyard.ts",
  "core/error.ts",
  "core/find-session.ts",
  "core/id.ts",
  "core/store.ts",
  "core/parse-input.ts",
  "core/turn-results.ts",
  "schema/",
];

/** The first that fits decides. */
const layers: readonly Layer[] = [
  { files: /^schema\//, ours: ["schema/"], packages: ["zod"] },
  { files: /^wire\//, ours: ["wire/"], packages: [] },
  { files: /^core\//, ours: ["core/", "schema/", "wire/"] },
  { files: /^config\//, ours: ["config/", "schema/", "core/environment.ts", "core/error.ts"] },
  {
    files:
      /^adapters\/(registry|registry-entry|prompt-prefix|own-runtime|unavailable|installed-program|project-settings)\.ts$/,
    ours: ["adapters/", "core/", "schema/"],
  },
  { files: /^adapters\/versions\.ts$/, ours: ["schema/"] },
  {
    files: /^adapters\/([^/]+)\//,
    ours: ["adapters/$1/", "adapters/versions.ts", "core/", "schema/", "wire/"],
  },
  { files: /^containers\//, ours: ["containers/", "core/error.ts", "schema/", "wire/"] },
  {
    files: /^hosts\/container\//,
    ours: ["hosts/container/", "hosts/recording/", "containers/", "core/", "schema/", "wire/"],
  },
  {
    // A terminal's programs are processes of this machine like any other.
    files: /^hosts\/tmux\//,
    ours: ["hosts/tmux/", "hosts/local/", "hosts/recording/", "core/", "schema/", "wire/"],
  },
  {
    files: /^hosts\/([^/]+)\//,
    ours: ["hosts/$1/", "hosts/recording/", "core/", "schema/", "wire/"],
  },
  { files: /^stores\//, ours: ["stores/", "core/", "schema/", "wire/"] },
  {
    files: /^create-halyard\.ts$/,
    ours: [
      "adapters/registry.ts",
      "adapters/project-settings.ts",
      "containers/",
      "hosts/",
      "stores/",
      "config/",
      "hooks/",
      "projects/",
      "client/owners.ts",
      "core/",
      "schema/",
    ],
  },
  { files: /^session-files\//, ours: ["session-files/", "core/error.ts", "schema/", "wire/"] },
  // What stands on the interface alone, and cannot tell which Halyard it has.
  {
    files: /^acp\//,
    ours: [
      "acp/",
      "core/lanes.ts",
      "core/limit-halyard.ts",
      "wire/bounded-lines.ts",
      ...theInterface,
    ],
  },
  { files: /^server\//, ours: ["server/", ...theInterface] },
  {
    files: /^mcp\//,
    ours: [
      "mcp/",
      "projects/",
      "core/limit-halyard.ts",
      "core/path-policy.ts",
      "wire/bounded-lines.ts",
      ...theInterface,
    ],
  },
  {
    // Whoever has no Halyard gets one made, by the rules of choice and from the files that hold for everybody.
    files: /^facades\//,
    ours: [
      "facades/",
      "create-halyard.ts",
      "config/",
      "core/lanes.ts",
      "core/home-error.ts",
      "core/projection.ts",
      "core/unless-aborted.ts",
      "core/watchdog.ts",
      "claims/with-claim.ts",
      "session-files/",
      "wire/backoff.ts",
      ...theInterface,
    ],
  },
  {
    files: /^hooks\//,
    ours: [
      "hooks/",
      "wire/",
      "core/audience.ts",
      "core/open-inside.ts",
      "core/path-policy.ts",
      ...theInterface,
    ],
  },
  {
    files: /^projects\//,
    ours: ["projects/", "config/", "core/gate.ts", "core/lanes.ts", ...theInterface],
  },
  {
    files: /^client\//,
    ours: [
      "client/",
      ...theInterface,
      "core/deferred.ts",
      "core/host.ts",
      "core/machine.ts",
      "core/projection.ts",
      "core/refused-turn.ts",
      "wire/",
    ],
  },
  { files: /^claims\//, ours: ["claims/", "hosts/local/process-identity.ts"], packages: ["zod"] },
  {
    files: /^daemon\//,
    ours: [
      "daemon/",
      "claims/",
      "server/",
      "client/",
      "config/",
      ...theInterface,
      "core/home-error.ts",
      "core/redaction.ts",
      "core/secrets.ts",
      "hosts/local/process-identity.ts",
    ],
  },
  {
    files: /^cli\//,
    ours: [
      "cli/",
      "claims/",
      "client/",
      "daemon/",
      "facades/",
      "hooks/",
      "projects/",
      "mcp/",
      "acp/",
      "server/",
      "containers/",
      "config/",
      "schema/",
      "wire/",
      "create-halyard.ts",
      "core/halyard.ts",
      "core/did-you-mean.ts",
      "core/environment.ts",
      "core/error.ts",
      "core/find-session.ts",
      "core/turn-results.ts",
      "core/draft.ts",
      "core/replay.ts",
      "adapters/registry.ts",
      "adapters/installed-program.ts",
      "core/home-error.ts",
      "core/platform.ts",
      "core/program-version.ts",
      "adapters/project-settings.ts",
      "adapters/versions.ts",
      "testing/script.ts",
      "testing/scripted-model.ts",
    ],
  },
  // Serves the fake's own tests, which need somewhere to run it.
  {
    files: /^testing\/(describe-facades|facade-suite)/,
    ours: ["testing/", "facades/", "core/", "schema/"],
  },
  {
    files: /^testing\//,
    ours: ["testing/", "containers/container-runtime.ts", "core/", "schema/", "wire/"],
  },
  { files: /^index\.ts$/, ours: [""] },
];

/** What a file imports that its layer may not, each as a sentence. */
export function findTrespasses(file: string, source: string): string[] {
  const layer = layers.find(({ files }) => files.test(file));
  if (layer === undefined) return [`${file} belongs to no layer: give it one in test/layers.ts`];
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

/** What the file imports, by a statement, lazily or as a type. */
export function importsOf(source: string): string[] {
  return [...codeOf(source).matchAll(/\b(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
    ([, specifier = ""]) => specifier,
  );
}

/** Without its comments. */
export function codeOf(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

/** Marked, so that no package can be mistaken for a folder of ours. */
function resolve(file: string, specifier: string): string {
  const { pathname } = new URL(specifier, `file:///${file}`);
  return `src:${pathname.slice(1)}`;
}
