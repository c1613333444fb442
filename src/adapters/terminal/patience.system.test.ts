import { expect, test } from "vitest";
import { byPrompt, openParrot } from "../../../test/screens/open-parrot.ts";
import { newTurnId } from "../../errors/require-id.ts";

// These tests wait until the time limits of a screen expire.

test("a message fails with the screen's contents if the program never reacts [s1.readiness.backoff]", async () => {
  const { open } = await openParrot({ ready_delay_ms: 700 }, { DEAF_MS: "60000" });
  const connection = await open();
  await connection.ready();
  await expect(connection.send({ turnId: newTurnId(), text: "hello" })).rejects.toMatchObject({
    code: "delivery_failed",
    message: expect.stringMatching(/5 attempts[\s\S]*Parrot 1\.0/),
  });
});

test("ready() rejects with the screen's contents if the program's prompt never appears", async () => {
  const { open } = await openParrot({ ...byPrompt, ready_prompt_prefix: "λ" }, {}, 5_000);
  await expect((await open()).ready()).rejects.toMatchObject({
    code: "start_failed",
    message: expect.stringMatching(/"λ"[\s\S]*Parrot 1\.0/),
  });
});
