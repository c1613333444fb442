import { chownSync } from "node:fs";
import { basename, dirname } from "node:path";
import { parseAddress } from "../../dist/containers/engine/address.js";
import { createEngineRuntime } from "../../dist/containers/engine/engine-runtime.js";
import { createHostAt } from "../../dist/hosts/container/host-at.js";

/** The host of `describeHost`, for the processes that it starts; what they need to know is in their environment. */
export function createSuiteHost() {
  const { HALYARD_TEST_ENGINE, HALYARD_TEST_ENGINE_URL = "", TMPDIR = "" } = process.env;
  const name = HALYARD_TEST_ENGINE === "podman" ? "podman" : "docker";
  const engine = createEngineRuntime(parseAddress(name, HALYARD_TEST_ENGINE_URL));
  const engines = { chosen: async () => engine, open: async () => engine };
  const host = createHostAt(engines, {
    key: basename(TMPDIR).toLowerCase(),
    directory: TMPDIR,
    workspace: TMPDIR,
    project: "host-suite", // kept between tests, for speed
    options: { image: "localhost/halyard-agent:test", network: "none" },
  });
  /** @type {typeof host.spawn} */
  const spawn = (command, options) => {
    chownSync(dirname(options.runDir), 1000, 1000); // as `use-engine.ts` does
    return host.spawn(command, options);
  };
  return { ...host, spawn };
}
