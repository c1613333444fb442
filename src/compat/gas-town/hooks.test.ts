import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openUser } from "../../../test/compat/gas-town-user.ts";
import { HookPayload } from "../../schema/hook.ts";

test("hooks report a session with the seed's events and payload format", async () => {
  const { home, rig, runtime } = await openUser();
  const file = join(home, "hooks.jsonl");
  await writeFile(join(home, ".halyard", "config.json"), JSON.stringify({ hooks: [{ file }] }));
  const env = {
    GT_SESSION_ID: "gt-abc123",
    GT_ROLE: "polecat",
    GT_RIG: "greenplace",
    GT_POLECAT: "ivy",
    GT_BEAD: "gp-123",
  };
  const options = { workDir: rig, mode: "minimal", initialPrompt: "say hello" } as const;
  const handle = await runtime.start({ ...options, env });
  await runtime.sendMessage(handle, { text: "fail out of cheese", timeout: 20_000 });
  await runtime.sendMessage(handle, { text: "say over", timeout: 20_000 });
  const received = async () => {
    const text = await readFile(file, "utf8").catch(() => ""); // the first delivery creates the file
    return text
      .split("\n")
      .filter(Boolean)
      .map((line) => HookPayload.parse(JSON.parse(line)));
  };
  await expect.poll(async () => (await received()).at(-1)?.data.message).toBe("over");
  await runtime.stop(handle, "all done");
  await expect.poll(async () => (await received()).at(-1)?.event).toBe("SessionStop");
  const common = {
    runtime: "claude",
    session_id: "gt-abc123",
    workdir: rig,
    rig: "greenplace",
    role: "polecat",
    bead: "gp-123",
    actor: "greenplace/polecats/ivy",
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
  };
  const said = (role: string, message: string) => ({ event: "OnMessage", data: { role, message } });
  const payloads = await received();
  expect(payloads).toMatchObject(
    [
      { event: "SessionStart", data: { opened: "started" } },
      said("user", "say hello"),
      said("assistant", "hello"),
      said("user", "fail out of cheese"),
      { event: "OnError", data: { code: "agent_failed", message: "out of cheese" } },
      said("user", "say over"),
      said("assistant", "over"),
      { event: "SessionStop", data: { reason: "all done", state: "stopped" } },
    ].map((payload) => ({ ...common, ...payload })),
  );
  const keys = "event runtime session_id workdir rig role bead actor timestamp data".split(" ");
  for (const payload of payloads) expect(Object.keys(payload)).toEqual(keys);
});
