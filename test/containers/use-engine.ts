import { chownSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll } from "vitest";
import type { ContainerRuntime } from "../../src/containers/container-runtime.ts";
import { parseAddress } from "../../src/containers/engine/address.ts";
import { createEngineRuntime } from "../../src/containers/engine/engine-runtime.ts";
import type { Host } from "../../src/core/host.ts";
import { createHostAt } from "../../src/hosts/container/host-at.ts";
import type { HostUnderTest } from "../../src/testing/host-suite/host-test.ts";
import type { TestEngine } from "./engines.ts";
import { TEST_IMAGE } from "./test-image.ts";

export interface EngineUnderTest {
  readonly runtime: ContainerRuntime;
  /** What a Halyard is told of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For `describeHost`: one container for all of its tests, each in a directory of its own. */
  readonly suiteHost: HostUnderTest;
}

/** The engine that was started for the tests, for the file that calls this. */
export function useEngine(name: TestEngine["name"]): EngineUnderTest {
  const url = process.env[`HALYARD_TEST_${name.toUpperCase()}`];
  if (url === undefined) throw new Error(`${name} was not started: run npm run test:containers`);
  const runtime = createEngineRuntime(parseAddress(name, url));
  const directory = mkdtempSync(join(tmpdir(), "halyard-ct-"));
  chownSync(directory, 1000, 1000);
  process.env.TMPDIR = directory; // where the suite makes its directories
  process.env.HALYARD_TEST_ENGINE = name;
  process.env.HALYARD_TEST_ENGINE_URL = url;
  afterAll(async () => {
    for (const { id } of await runtime.list({ "halyard.place": directory }))
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
  const createHost = () => givingAway(createHostAt(engines, place));
  return { runtime, env, suiteHost: { createHost, module } };
}

/** The suite's directories are root's; in a session they are in a directory of the container's user. */
function givingAway(host: Host): Host {
  return {
    ...host,
    spawn(command, options) {
      chownSync(dirname(options.runDir), 1000, 1000);
      return host.spawn(command, options);
    },
  };
}
