import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { callWire, serve } from "../../../test/http/served.ts";
import { routes } from "../app.ts";
import { openApiDocument } from "./openapi.ts";

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: { name: string; in: string; required: boolean; schema: object }[];
  readonly responses: Record<string, { description: string; content: Record<string, object> }>;
}

const document = openApiDocument(routes, { version: "1.0.0" });
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method,
    operation: operation as unknown as Operation,
  })),
);

test("describes every route once under a unique name", () => {
  expect(operations).toHaveLength(routes.length);
  const names = operations.map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
});

test("mentions the ACP and MCP endpoints, whose messages the document does not describe", () => {
  expect(document.info.description).toMatch(/`\/acp`.*`\/mcp`/);
});

test("the document has no dangling reference and no unused schema", () => {
  const text = JSON.stringify(document);
  const named = new Set(Object.keys(document.components.schemas));
  const used = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(
    ([, name]) => name,
  );
  expect(new Set(used)).toEqual(named);
  expect([...text.matchAll(/"\$ref":"([^"]+)"/g)]).toHaveLength(used.length);
  expect(text).not.toMatch(/"\$(?:id|schema|defs)"/);
});

test.each(operations)(
  "$method $path describes its parameters and responses",
  ({ path, operation }) => {
    const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    expect(inPath.every(({ required }) => required)).toBe(true);
    const names = operation.parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(operation.responses).some((status) => status.startsWith("2"))).toBe(true);
    for (const [status, { description, content }] of Object.entries(operation.responses)) {
      expect(status).toMatch(/^[245]\d\d$/);
      expect(description).not.toBe("");
      const isProblem = Number(status) >= 400;
      if (isProblem) expect(Object.keys(content)).toEqual(["application/problem+json"]);
    }
  },
);

test("describes the id in the path of a race as the id of a race, without session errors", () => {
  const races = operations.filter(({ path }) => path.startsWith("/v1/races/{id}"));
  expect(races).not.toEqual([]);
  for (const { operation } of races) {
    expect(operation.parameters[0]).toMatchObject({ description: "The id of a race." });
    expect(JSON.stringify(operation.responses)).not.toContain("session_not_found");
  }
});

test("serves the document and the documentation page without a token", async () => {
  await using served = await serve({ version: "1.0.0" });
  const operation = await callWire(new URL("/openapi.json", served.url), "GET", {});
  expect(operation).toMatchObject({ status: 200, json: document });
  const page = await callWire(new URL("/docs", served.url), "GET", {});
  expect(page.type).toMatch("text/html");
  for (const { path, operation } of operations) {
    expect(page.text).toContain(path);
    expect(page.text).toContain(`id="${operation.operationId}"`);
  }
  expect(page.text).toContain('id="error-session_not_found"');
  expect(page.text).toContain('href="openapi.json"'); // relative, because the server may have a base path
  expect(page.text).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
});

test("the document is valid against the OpenAPI 3.1 schema", async () => {
  const copy = { ...structuredClone(document) };
  expect(await new Validator().validate(copy)).toEqual({ valid: true });
});
