import { expect, test } from "vitest";
import { newSessionId } from "../../errors/require-id.ts";
import { inGasTown } from "./labels-in.ts";

const id = newSessionId();
const bare = { id, cwd: "/work", env: {}, labels: {} };

test("sets the variables and labels for the rig, the polecat and the directory", () => {
  const env = {
    GT_RIG: "greenplace",
    GT_POLECAT: "ivy",
    GT_SESSION_ID: "gt-abc123",
    KEY: "k",
  };
  expect(inGasTown({ ...bare, env, labels: { team: "docs" } }, "codex")).toEqual({
    ...bare,
    env: {
      ...env,
      BD_ACTOR: "greenplace/polecats/ivy",
      GT_AGENT: "codex",
      GT_SESSION: id,
      GT_WORKDIR: "/work",
    },
    labels: {
      "gt.session": "gt-abc123",
      "gt.rig": "greenplace",
      "gt.polecat": "ivy",
      "gt.actor": "greenplace/polecats/ivy",
      team: "docs",
    },
  });
});

test("restores a resumed session's variables from its labels", () => {
  const labels = { "gt.role": "crew", "gt.actor": "r/crew/max" };
  const { env } = inGasTown({ ...bare, labels }, "pi");
  expect(env).toMatchObject({ GT_ROLE: "crew", BD_ACTOR: "r/crew/max", GT_SESSION_ID: id });
});

test("does not change a session that belongs to no town", () => {
  const request = { ...bare, env: { KEY: "k" }, labels: { team: "docs" } };
  expect(inGasTown(request, "pi")).toBe(request);
});
