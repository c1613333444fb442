import { afterAll, beforeAll, expect, test } from "vitest";
import { piProgram } from "../../../test/real/runtimes-dir.ts";
import { createScene, type Scene } from "../../../test/real/scene.ts";
import { embeddedPiPackage, piPackage } from "../versions.ts";
import { piAdapter } from "./index.ts";

let scene: Scene;
beforeAll(async () => {
  scene = await createScene((places) => [
    { ...piAdapter({ ...places, mode: "rpc" }), name: "embedded" },
    { ...piAdapter({ ...places, bin: piProgram }), name: "newest" },
  ]);
});
afterAll(() => scene[Symbol.asyncDispose]());

test.each([
  ["embedded", embeddedPiPackage.version],
  ["newest", piPackage.version],
])(
  "the %s Pi, version %s, sends its session's key if it runs as a process",
  async (runtime, version) => {
    const { halyard, cwd, model } = scene;
    const { availability } = await halyard.inspect(runtime);
    expect(availability).toMatchObject({ available: true, version });
    model.on("greet", { text: "Hello." });
    for (const apiKey of [model.endpoint("openai-chat").apiKey, "sk-other"]) {
      const endpoint = { ...model.endpoint("openai-chat"), apiKey };
      await using session = await halyard.start({ runtime, cwd, model: endpoint });
      const isOwn = apiKey !== "sk-other";
      expect(await session.send("greet me").outcome).toMatchObject(
        isOwn ? { text: "Hello." } : { status: "failed", error: { code: "not_signed_in" } },
      );
      expect(model.takeRejected()).toHaveLength(isOwn ? 0 : 1);
    }
  },
);
