import { join } from "node:path";
import { expect, test } from "vitest";
import { startFakeEngine } from "../../../test/containers/fake-engine.ts";
import { parseAddress } from "../../containers/engine/address.ts";
import { createEngineRuntime } from "../../containers/engine/engine-runtime.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { releaseContainer } from "./container.ts";

test("leaves a container alone that is not the one of the place", async () => {
  const engine = await startFakeEngine(join(await temporaryDirectory(), "engine.sock"));
  const runtime = createEngineRuntime(parseAddress("docker", engine.url));
  for (const [name, Labels] of Object.entries({
    foreign: {},
    another: { "halyard.place": "/another/place" },
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

test("a container that goes while it is looked at needs no more to be released", async () => {
  const engine = await startFakeEngine(join(await temporaryDirectory(), "engine.sock"));
  const runtime = createEngineRuntime(parseAddress("podman", engine.url));
  const directory = await temporaryDirectory();
  const body = { Image: "image", Labels: { "halyard.place": directory }, Env: [] };
  engine.containers.set("gone", { name: "gone", body, execs: [], status: "running" });
  engine.loseAtNextExec();
  await releaseContainer(runtime, "gone", directory);
  expect(await runtime.status("gone")).toBe("missing");
  expect([...engine.containers.keys()]).toEqual([]);
});
