import { expect, test } from "vitest";
import { newSessionId } from "../core/id.ts";
import { inGasTown } from "./gas-town.ts";

const id = newSessionId();
const bare = { id, cwd: "/work", env: {}, labels: {} };

test("a session is told its part and where it is, and is labelled with it", () => {
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

test("one that is resumed is told what its labels have kept", () => {
  const labels = { "gt.role": "crew", "gt.actor": "r/crew/max" };
  const { env } = inGasTown({ ...bare, labels }, "pi");
  expect(env).toMatchObject({ GT_ROLE: "crew", BD_ACTOR: "r/crew/max", GT_SESSION_ID: id });
});

test("one that has no part in a town is left as it is", () => {
  const request = { ...bare, env: { KEY: "k" }, labels: { team: "docs" } };
  expect(inGasTown(request, "pi")).toBe(request);
});
