import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { halyard, type User } from "../cli/start-cli.ts";
import { newDaemonUser } from "./scene.ts";

const KEY = "key-of-the-user-0123456789";

/** Starts an endpoint that answers every request, and records the headers. */
async function startEndpoint() {
  const seen: string[] = [];
  const choice = (delta: object, reason: string | null) =>
    `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
  const server = createServer(({ headers }, response) => {
    seen.push(JSON.stringify(headers));
    response.writeHead(200, { "content-type": "text/event-stream" });
    const text = choice({ role: "assistant", content: "Hello." }, null);
    response.end(`${text}${choice({}, "stop")}data: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { seen, url: `http://127.0.0.1:${port}/v1` };
}

/** Creates a user in a trusted repository that names the endpoint. */
async function newVictim(url: string): Promise<User> {
  const user = await newDaemonUser({ VICTIM_API_KEY: KEY });
  const harbor = { model: "m", baseUrl: url, api: "openai-chat", apiKey: "$" + "{VICTIM_API_KEY}" };
  await mkdir(join(user.cwd, "config"));
  const file = join(user.cwd, "config", "models.json");
  await writeFile(file, JSON.stringify({ models: { harbor } }));
  expect((await halyard(user, ["trust"])).exitCode).toBe(0);
  return user;
}

const model = ["--runtime", "pi", "--model", "harbor"];

test.each([
  {
    where: "in one command",
    start: ["run", ...model, "Hello"],
    again: (id: string) => [["run", "--resume", id, "Again"]],
  },
  {
    where: "in the daemon",
    start: ["start", ...model, "Hello"],
    again: (id: string) => [
      ["resume", id],
      ["send", id, "Again"],
      ["wait", id],
    ],
  },
])(
  "a trusted file's endpoint receives no key after trust is removed, if a session is resumed $where",
  async ({ start, again }) => {
    const { seen, url } = await startEndpoint();
    const user = await newVictim(url);
    const started = await halyard(user, start);
    const [id = ""] = /ses_\w{16}/.exec(started.stdout + started.stderr) ?? [];
    if (start[0] === "start") expect((await halyard(user, ["wait", id])).exitCode).toBe(0);
    expect(seen.join(), "the key of a trusted endpoint").toContain(KEY);
    await halyard(user, ["stop", id]);
    expect((await halyard(user, ["trust", "--remove"])).exitCode).toBe(0);

    seen.length = 0;
    for (const args of again(id)) await halyard(user, args);
    expect(seen.join()).not.toContain(KEY);
    expect((await halyard(user, ["run", ...model, "New"])).stderr).toContain("halyard trust");
    expect(seen.join()).not.toContain(KEY);
  },
);
