/** A package of somebody else's that is fetched on demand, at the one version we know to work. */
export interface PinnedPackage {
  readonly name: string;
  readonly version: string;
}

/** The last release of Pi that runs on Node 20. */
export const piPackage: PinnedPackage = {
  name: "@earendil-works/pi-coding-agent",
  version: "0.74.2",
};

/** Node is needed to install it, not to run it. */
export const codexPackage: PinnedPackage = {
  name: "@openai/codex",
  version: "0.166.0",
};

/** What the scripted model of `halyard demo` and of the tests is made of. */
export const scriptedModelPackage: PinnedPackage = {
  name: "@copilotkit/aimock",
  version: "1.43.0",
};

/** What `halyard runtime install` can fetch, by the runtime's name. */
export const runtimePackages: ReadonlyMap<string, PinnedPackage> = new Map([
  ["codex", codexPackage],
  ["pi", piPackage],
]);
