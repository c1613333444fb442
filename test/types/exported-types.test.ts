import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { typesMissingFrom } from "./missing-types.ts";

const entries = Object.values(packageJson.exports).flatMap((target) =>
  typeof target === "string" ? [] : [target.types.replace("./dist/", "")],
);

test("the package exports every type that an exported declaration names", () => {
  expect(entries).toContain("adapter-kit/index.d.ts");
  const unnamed = [
    // Users do not need these helper types, because editors show all fields of StartRequest without them.
    "Chosen in schema/session/start-request.d.ts, named by StartRequest",
    "Input in schema/session/start-request.d.ts, named by StartRequest",
    "Hono in types/hono.d.ts, named by App", // a copy of a declaration from the package hono
  ];
  expect(typesMissingFrom(entries).filter((missing) => !unnamed.includes(missing))).toEqual([]);
});

test("the check finds a type that an entry point names but does not export", () => {
  const missing = typesMissingFrom(["compat/oubliette/index.d.ts"]);
  expect(missing).toContainEqual(
    expect.stringMatching(/^HalyardOptions in halyard-options\.d\.ts/),
  );
});
