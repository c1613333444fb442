import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runWarm } from "../../../test/cli/run-warm.ts";
import { newDaemonUser } from "../../../test/daemon/scene.ts";
import { samplePng } from "../../testing/sample-image.ts";
import { startScriptedModel } from "../../testing/scripted-model.ts";

test("run and start pass --tools and --image to the agent, and --label to the session", async () => {
  const model = await startScriptedModel([{ replies: [{ text: "Seen." }] }]);
  onTestFinished(() => model.close());
  const { id, baseUrl, api, apiKey } = model.endpoint("openai-chat");
  const user = await newDaemonUser({
    HALYARD_MODEL: id,
    HALYARD_BASE_URL: baseUrl,
    HALYARD_API: api,
    HALYARD_API_KEY: apiKey,
  });
  const pictures = ["first", "second"].map((end) =>
    Buffer.concat([Buffer.from(samplePng, "base64"), Buffer.from(end)]),
  );
  const flags = ["--runtime", "pi", "--tools", "read,grep", "--image"];
  for (const [index, picture] of pictures.entries())
    await writeFile(join(user.cwd, `${index}.png`), picture);
  const labeled = async (team: string) => {
    const list = ["sessions", "--format", "json", "--label", `team=${team}`];
    return JSON.parse((await runWarm(user, list)).stdout);
  };

  const ran = await runWarm(user, ["run", ...flags, "0.png", "--label", "team=docs", "run look"]);
  expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining("Seen.") });
  expect(await labeled("docs")).toMatchObject({ labels: { team: "docs" }, turns: 1 });
  const started = await runWarm(user, [
    "start",
    ...flags,
    "1.png",
    "--label",
    "team=web",
    "start look",
  ]);
  expect(await runWarm(user, ["wait", started.stdout.trim()])).toMatchObject({ exitCode: 0 });
  expect(await labeled("web")).toMatchObject({
    id: started.stdout.trim(),
    labels: { team: "web" },
  });
  await runWarm(user, ["stop", "--all"]);
  await runWarm(user, ["daemon", "stop"]);

  for (const prompt of ["run look", "start look"]) {
    const request = model.requests.find(({ messages }) => messages.at(-1)?.text.includes(prompt));
    expect(request?.tools.toSorted(), prompt).toEqual(["grep", "read"]);
  }
  expect(model.images).toEqual(
    pictures.map((picture) => ({ mediaType: "image/png", data: picture.toString("base64") })),
  );
});
