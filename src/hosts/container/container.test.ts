import { join } from "node:path";
import { expect, test } from "vitest";
import { startFakeEngine } from "../../../test/containers/fake-engine.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { releaseContainer } from "./container.ts";
import { parseAddress } from "./engines/docker-api/address.ts";
import { createDockerEngine } from "./engines/docker-api/docker-engine.ts";

test("does not release a container whose label does not contain the container directory", async () => {
  const engine = await startFakeEngine(join(await temporaryDirectory(), "engine.sock"));
  const runtime = createDockerEngine(parseAddress("docker", engine.url));
  for (const [name, Labels] of Object.entries({
    foreign: {},
    another: { "halyard.directory": "/another/plan" },
  }))
    engine.containers.set(name, {
      name,
      body: { Image: "image", Labels, Env: [] },
      execs: [],
      status: "created",
    });
  const directory = await temporaryDirectory();
  for (const name of ["foreign", "another"]) await releaseContainer(runtime, name, directory);
  expect([...engine.containers.keys()]).toEqual(["foreign", "another"]);
});

test("treats a container that disappears during the check as released", async () => {
  const engine = await startFakeEngine(join(await temporaryDirectory(), "engine.sock"));
  const runtime = createDockerEngine(parseAddress("podman", engine.url));
  const directory = await temporaryDirectory();
  const body = { Image: "image", Labels: { "halyard.directory": directory }, Env: [] };
  engine.containers.set("gone", { name: "gone", body, execs: [], status: "running" });
  engine.loseAtNextExec();
  await releaseContainer(runtime, "gone", directory);
  expect(await runtime.status("gone")).toBe("missing");
  expect([...engine.containers.keys()]).toEqual([]);
});
