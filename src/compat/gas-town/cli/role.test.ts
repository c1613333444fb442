import { expect, test } from "vitest";
import { type GtVerb, roleEnvironment } from "./role.ts";

test.each<[GtVerb, string[], string | undefined, Record<string, string>]>([
  ["start", [], undefined, { GT_ROLE: "mayor", BD_ACTOR: "mayor" }],
  [
    "sling",
    ["gp-1", "greenplace/ivy"],
    undefined,
    {
      GT_ROLE: "polecat",
      GT_RIG: "greenplace",
      GT_POLECAT: "ivy",
      GT_BEAD: "gp-1",
      BD_ACTOR: "greenplace/polecats/ivy",
    },
  ],
  [
    "polecat",
    ["ivy"],
    "greenplace",
    {
      GT_ROLE: "polecat",
      GT_RIG: "greenplace",
      GT_POLECAT: "ivy",
      BD_ACTOR: "greenplace/polecats/ivy",
    },
  ],
  [
    "crew",
    ["start", "max"],
    "greenplace",
    { GT_ROLE: "crew", GT_RIG: "greenplace", GT_CREW: "max", BD_ACTOR: "greenplace/crew/max" },
  ],
  [
    "witness",
    ["greenplace"],
    undefined,
    { GT_ROLE: "witness", GT_RIG: "greenplace", BD_ACTOR: "greenplace/witness" },
  ],
  [
    "refinery",
    [],
    "greenplace",
    { GT_ROLE: "refinery", GT_RIG: "greenplace", BD_ACTOR: "greenplace/refinery" },
  ],
])("%s %j in the rig %s sets its role's variables", (verb, args, rig, env) => {
  expect(roleEnvironment({ verb, args, ...(rig && { rig }) })).toEqual(env);
});

test.each<[GtVerb, string[], string]>([
  ["sling", [], "halyard gt sling BEAD RIG/POLECAT"],
  ["sling", ["gp-1", "greenplace"], "halyard gt sling BEAD RIG/POLECAT"],
  ["sling", ["gp-1", "greenplace/ivy", "extra"], "halyard gt sling BEAD RIG/POLECAT"],
  ["crew", ["max"], "halyard gt crew NAME --rig RIG"],
  ["polecat", ["--nuke", "ivy"], "halyard gt polecat NAME --rig RIG"],
  ["witness", [], "halyard gt witness RIG"],
])("rejects missing or unsupported arguments without gt: %s %j", (verb, args, advice) => {
  expect(() => roleEnvironment({ verb, args })).toThrow(
    `Invalid arguments for a session that Halyard starts without gt. Run "${advice}".`,
  );
});
