import fc from "fast-check";
import { expect, test } from "vitest";
import { RuntimeDecision, RuntimeSource } from "../schema/runtimes/runtime-decision.ts";
import type { Config } from "./config.ts";
import { type RuntimeRequest, resolveRuntime } from "./resolve-runtime.ts";

const name = fc.constantFrom("claude", "codex", "droid", "opencode", "ccsdk", "my-own");
const maybe = fc.option(name, { nil: undefined });

/** The runtime that each source names, in order of precedence. */
const said = fc.record({
  request: maybe,
  session: maybe,
  project: maybe,
  rig: maybe,
  agent: maybe,
  settings: maybe,
  server: maybe,
  user: maybe,
  registry: maybe,
});
type Said = typeof said extends fc.Arbitrary<infer T> ? T : never;

test("uses the first source that names a runtime, and ignores a custom runtime from an untrusted source", () => {
  fc.assert(
    fc.property(said, (sources) => {
      const { config, request } = written(sources);
      const decision = resolveRuntime(config, request);
      const [source, runtime] = winner(sources);
      expect(RuntimeDecision.parse(decision)).toEqual(decision);
      expect([decision.source, decision.runtime]).toEqual([source, runtime]);
      expect(decision.steps.filter(({ decided }) => decided)).toEqual([
        expect.objectContaining({ source, runtime }),
      ]);
      const asked = decision.steps.map((step) => RuntimeSource.options.indexOf(step.source));
      expect(asked).toEqual(asked.toSorted((a, b) => a - b));
    }),
  );
});

test("marks a runtime as explicit unless the user's settings, the registry or the built-in default names it", () => {
  fc.assert(
    fc.property(said, (sources) => {
      const { config, request } = written(sources);
      const { source, explicit } = resolveRuntime(config, request);
      expect(explicit).toBe(!["user", "registry", "built-in"].includes(source));
    }),
  );
});

function winner(sources: Said): [string, string] {
  for (const source of RuntimeSource.options) {
    const runtime = source === "built-in" ? "pi" : sources[source];
    const isIgnored = runtime === "my-own" && untrusted.has(source);
    if (runtime !== undefined && !isIgnored) return [source, runtime];
  }
  throw new Error("no source names a runtime");
}

/** The sources that `written` marks as untrusted and that can therefore choose only one of `seedRuntimes`. */
const untrusted: ReadonlySet<string> = new Set(["rig", "agent", "settings"]);

const strange = { directory: "/", isTrusted: false };

/** Converts the sources to configuration files and a request. */
function written(sources: Said): { config: Config; request: RuntimeRequest } {
  const { request, session, project, rig, agent, settings, server, user, registry } = sources;
  const config: Config = {
    project: { path: "p", value: { ...(project && { agent_runtime: project }) }, ...strange },
    directory: { path: "r", value: { runtime: rig }, ...strange },
    settings: {
      path: "s",
      ...strange,
      value: { runtime: settings, agents: { list: [{ id: "a", runtime: agent }] } },
    },
    userSettings: { path: "u", value: { runtime: user } },
    registry: { path: "g", value: { default: registry, runtimes: {} } },
    ...(server && { server: { path: "c", value: { agent_runtime: server } } }),
  };
  return {
    config,
    request: {
      project: "p",
      agentId: "a",
      ...(request && { runtime: request }),
      ...(session && { session: { id: "ses", runtime: session } }),
    },
  };
}
