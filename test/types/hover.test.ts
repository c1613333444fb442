import { SignatureKind, type Type } from "typescript/unstable/sync";
import { afterAll, expect, test } from "vitest";
import { startLanguageServer } from "./language-server.ts";
import { openPublicTypes } from "./public-types.ts";

const types = openPublicTypes();
const { checker } = types;
afterAll(() => types[Symbol.dispose]());

test.each([
  "StartRequest",
  "SessionInfo",
  "Outcome",
  "StreamEvent",
  "Answer",
  "Receipt",
  "RuntimeInfo",
  "RuntimeDecision",
  "HookPayload",
  "HalyardOptions",
  "ConnectOptions",
])("documents every field of %s, including those of nested objects", (name) => {
  const missing = undocumented(types.named(name));
  // docs/reference/configuration.md documents the fields of configuration files.
  expect(missing.filter((path) => !path.startsWith("config."))).toEqual([]);
});

test.each(["Halyard", "Session", "Turn"])(
  "documents every method of %s and every field of its parameters",
  (name) => {
    const members = checker.getPropertiesOfType(types.named(name)).filter(isOurs);
    expect(members.length).toBeGreaterThan(3);
    const missing = members.flatMap((member) => {
      const own = checker.getDocumentationCommentOfSymbol(member) === "" ? [member.name] : [];
      const type = checker.getTypeOfSymbol(member);
      const parameters = type ? parametersOf(type) : [];
      return [...own, ...parameters.flatMap((one) => undocumented(one, `${member.name}: `))];
    });
    expect(missing).toEqual([]);
  },
);

test("shows documentation and default value on hover in an editor", async () => {
  const text = `import { createHalyard } from "halyard";
const halyard = await createHalyard({ store: "memory" });
const session = await halyard.start({ cwd: ".", plan: true, limits: { turnMs: 1 } });
const { status } = await session.send("Hello", { timeoutMs: 1 }).outcome;
const [request] = session.info.openRequests;
console.log(status, request?.expiresAt);
`;
  await using server = await startLanguageServer(text);
  expect(await server.hover("store:")).toContain("The store of sessions and events.");
  expect(await server.hover("start(")).toContain("Starts a session.");
  expect(await server.hover("cwd:")).toContain("The working directory of the agent.");
  expect(await server.hover("plan:")).toMatch(/changes nothing\.[\s\S]*@defaultValue.*false/);
  expect(await server.hover("turnMs:")).toMatch(/For the whole turn\.[\s\S]*@defaultValue.*0/);
  expect(await server.hover("timeoutMs:")).toContain("The time limit of this turn");
  expect(await server.hover("openRequests")).toContain("The requests that wait for an answer.");
  expect(await server.hover("expiresAt")).toContain("When the request expires");
});

/** Returns the paths of undocumented fields of a type. Skips types of other packages. */
function undocumented(type: Type, path = "", seen = new Set<number>()): string[] {
  const parts = type.isUnionType() || type.isIntersectionType() ? type.getTypes() : undefined;
  if (parts) return parts.flatMap((part) => undocumented(part, path, seen));
  if (seen.has(type.id) || !type.isObjectType()) return [];
  seen.add(type.id);
  if (type.isTypeReference())
    return checker.getTypeArguments(type).flatMap((one) => undocumented(one, `${path}[].`, seen));
  return checker
    .getPropertiesOfType(type)
    .filter(isOurs)
    .flatMap((property) => {
      const own =
        checker.getDocumentationCommentOfSymbol(property) === "" ? [path + property.name] : [];
      const inner = checker.getTypeOfSymbol(property);
      return [...own, ...(inner ? undocumented(inner, `${path}${property.name}.`, seen) : [])];
    });
}

function isOurs({ declarations }: { declarations: readonly { path: string }[] }): boolean {
  return declarations.some(({ path }) => path.includes("/dist/"));
}

function parametersOf(type: Type): Type[] {
  return checker
    .getSignaturesOfType(type, SignatureKind.Call)
    .flatMap((signature) =>
      signature.getParameters().flatMap((parameter) => checker.getTypeOfSymbol(parameter) ?? []),
    );
}
