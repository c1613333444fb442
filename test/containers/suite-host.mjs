import { chownSync } from "node:fs";
import { basename, dirname } from "node:path";
import { parseAddress } from "../../dist/hosts/container/engines/docker-api/address.js";
import { createDockerEngine } from "../../dist/hosts/container/engines/docker-api/docker-engine.js";
import { createOwnContainerHost } from "../../dist/hosts/container/own-container-host.js";

/** Creates the container host for the processes that `describeHost` starts. Environment variables configure it. */
export function createSuiteHost() {
  const { HALYARD_TEST_ENGINE, HALYARD_TEST_ENGINE_URL = "", TMPDIR = "" } = process.env;
  const name = HALYARD_TEST_ENGINE === "podman" ? "podman" : "docker";
  const engine = createDockerEngine(parseAddress(name, HALYARD_TEST_ENGINE_URL));
  const engines = { chosen: async () => engine, open: async () => engine };
  const host = createOwnContainerHost(engines, {
    key: basename(TMPDIR).toLowerCase(),
    directory: TMPDIR,
    workspace: TMPDIR,
    project: "host-suite", // a project container is kept between tests, which saves time
    options: { image: "localhost/halyard-agent:test", network: "none" },
  });
  /** @type {typeof host.spawn} */
  const spawn = (command, options) => {
    chownSync(dirname(options.runDir), 1000, 1000); // changes the owner as `use-engine.ts` does
    return host.spawn(command, options);
  };
  return { ...host, spawn };
}
