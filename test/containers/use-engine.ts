import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll } from "vitest";
import type { ContainerEngine } from "../../src/contracts/container-engine.ts";
import type { Host } from "../../src/contracts/host.ts";
import { parseAddress } from "../../src/hosts/container/engines/docker-api/address.ts";
import { createDockerEngine } from "../../src/hosts/container/engines/docker-api/docker-engine.ts";
import { createOwnContainerHost } from "../../src/hosts/container/own-container-host.ts";
import type { HostUnderTest } from "../../src/testing/host-suite/host-test.ts";
import type { TestEngine } from "./engines.ts";
import { TEST_IMAGE } from "./test-image.ts";

export interface EngineUnderTest {
  readonly runtime: ContainerEngine;
  /** The environment that makes Halyard use this engine. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The host for `describeHost`: one container for all tests, with one directory per test. */
  readonly suiteHost: HostUnderTest;
}

/** Returns the engine that the setup started, for the calling test file. */
export function useEngine(name: TestEngine["name"]): EngineUnderTest {
  const url = process.env[`HALYARD_TEST_${name.toUpperCase()}`];
  if (url === undefined) throw new Error(`${name} was not started. Run "npm run test:containers".`);
  const runtime = createDockerEngine(parseAddress(name, url));
  const directory = mkdtempSync(join(tmpdir(), "halyard-ct-"));
  chownSync(directory, 1000, 1000);
  process.env.TMPDIR = directory; // the suite creates its directories in this directory
  process.env.HALYARD_TEST_ENGINE = name;
  process.env.HALYARD_TEST_ENGINE_URL = url;
  afterAll(async () => {
    for (const { id } of await runtime.list({ "halyard.directory": directory }))
      await runtime.remove(id);
    rmSync(directory, { recursive: true, force: true });
  });
  const variable = name === "docker" ? "DOCKER_HOST" : "CONTAINER_HOST";
  const env = { PATH: process.env.PATH, CONTAINER_RUNTIME: name, [variable]: url };
  const engines = { chosen: async () => runtime, open: async () => runtime };
  const place = {
    key: basename(directory).toLowerCase(),
    directory,
    workspace: directory,
    project: "host-suite",
    options: { image: TEST_IMAGE, network: "none" },
  };
  const module = {
    url: new URL("./suite-host.mjs", import.meta.url),
    exportName: "createSuiteHost",
  };
  const createHost = () => givingAway(createOwnContainerHost(engines, place));
  return { runtime, env, suiteHost: { createHost, module } };
}

/** Returns a host that changes the owner of the suite's directories from root to the user of the container. */
function givingAway(host: Host): Host {
  return {
    ...host,
    spawn(command, options) {
      chownSync(dirname(options.runDir), 1000, 1000);
      return host.spawn(command, options);
    },
  };
}
