import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryOf, type Schema } from "../../test/http/arbitrary.ts";
import { type Served, serve } from "../../test/http/served.ts";
import { Problem } from "../schema/http/http.ts";
import { routes } from "./app.ts";
import { openApiDocument } from "./openapi/openapi.ts";

interface Operation {
  readonly parameters: { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { content: { "application/json": { schema: Schema } } };
}

const document = openApiDocument(routes);
const schemas = document.components.schemas as Readonly<Record<string, Schema>>;
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method,
    operation: operation as unknown as Operation,
  })),
);

/** Returns an arbitrary for requests with valid or random values. */
function requestOf(
  { path, operation }: (typeof operations)[number],
  served: Served,
  ids: string[],
) {
  const known = {
    // Only known directories, because a random path could write files or run programs.
    cwd: fc.constantFrom(served.cwd, "/dev/null", "relative", "/nowhere/at/all"),
    accountDir: fc.constant(served.cwd),
    record: fc.constant(join(served.cwd, "record.jsonl")),
    runtime: fc.constantFrom("fake", "nosuch"),
    host: fc.constantFrom("local", "tmux"),
    follow: fc.constant("false"),
    limits: fc.constant({ readyMs: 200, startMs: 2_000, cancelMs: 200, stopMs: 200 }),
    options: fc.constantFrom({}, { startup: "die 1" }, { nonsense: [null] }),
  };
  const options = { schemas, known };
  const parameters = operation.parameters.map(({ name, schema, in: location }) => {
    const valid = known[name as "follow"] ?? arbitraryOf(schema, options);
    const some = location === "path" ? fc.oneof(fc.constantFrom(...ids, "fake"), valid) : valid;
    return fc.record({
      name: fc.constant(name),
      location: fc.constant(location),
      value: fc.oneof({ weight: 4, arbitrary: some }, { weight: 1, arbitrary: fc.string() }),
    });
  });
  const schema = operation.requestBody?.content["application/json"].schema;
  const body = schema
    ? fc.oneof(
        {
          weight: 4,
          arbitrary: arbitraryOf(schema, options).map((value) => JSON.stringify(value)),
        },
        { weight: 1, arbitrary: fc.json() },
        { weight: 1, arbitrary: fc.string() },
      )
    : fc.constant(undefined);
  return fc
    .record({ parameters: fc.tuple(...parameters), body })
    .map((made) => ({ ...made, path }));
}

function toUrl(
  path: string,
  parameters: { name: string; location: string; value: unknown }[],
): string {
  let url = path;
  const query = new URLSearchParams();
  for (const { name, location, value } of parameters) {
    if (location === "path") url = url.replace(`{${name}}`, encodeURIComponent(String(value)));
    if (location === "query") query.set(name, String(value));
  }
  if (path.endsWith("events")) query.set("follow", "false"); // a following stream would never end
  return `${url}?${query}`;
}

test.each(operations)(
  "$method $path responds to any input without an internal error",
  async (operation) => {
    await using served = await serve();
    const ids = [await served.start({ name: "fuzzed" })];
    const headers = (some: { name: string; location: string; value: unknown }[]) =>
      Object.fromEntries(
        some
          .filter(({ location, value }) => location === "header" && /^[ -~]+$/.test(String(value)))
          .map(({ name, value }) => [name, String(value)]),
      );
    await fc.assert(
      fc.asyncProperty(requestOf(operation, served, ids), async ({ parameters, body, path }) => {
        const answer = await served.call(operation.method.toUpperCase(), toUrl(path, parameters), {
          headers: headers(parameters),
          ...(body !== undefined && { body }),
        });
        expect(served.faults).toEqual([]);
        expect(answer.status).not.toBe(500);
        if (answer.status < 400) return;
        expect(answer.type).toBe("application/problem+json");
        expect(Problem.parse(answer.json).status).toBe(answer.status);
      }),
      { numRuns: 40, seed: 20_260, endOnFailure: true },
    );
  },
);
