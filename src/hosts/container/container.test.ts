import { join } from "node:path";
import { expect, test } from "vitest";
import { startFakeEngine } from "../../../test/containers/fake-engine.ts";
import { parseAddress } from "../../containers/engine/address.ts";
import { createEngineRuntime } from "../../containers/engine/engine-runtime.ts";
import { temporaryDirectory } from "../../testing/temporary-directory.ts";
import { releaseContainer } from "./container.ts";

test("a container that goes while it is looked at needs no more to be released", async () => {
  const engine = await startFakeEngine(join(await temporaryDirectory(), "engine.sock"));
  const runtime = createEngineRuntime(parseAddress("podman", engine.url));
  const body = { Image: "image", Labels: {}, Env: [] };
  engine.containers.set("gone", { name: "gone", body, execs: [], status: "running" });
  engine.loseAtNextExec();
  await releaseContainer(runtime, "gone", await temporaryDirectory());
  expect(await runtime.status("gone")).toBe("missing");
  expect([...engine.containers.keys()]).toEqual([]);
});
