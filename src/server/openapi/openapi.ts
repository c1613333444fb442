import { z } from "zod";
import type { ErrorCode } from "../../schema/error.ts";
import { errorTable } from "../../schema/error-table.ts";
import { StreamEvent } from "../../schema/event.ts";
import * as http from "../../schema/http/http.ts";
import { SignInBody, SignInCode, SignInCodeBody } from "../../schema/http/sign-in.ts";
import { Explanation } from "../../schema/page/explanation.ts";
import { SessionScreen } from "../../schema/page/screen.ts";
import {
  CreatedShare,
  OpenShareBody,
  Share,
  ShareBody,
  ShareList,
} from "../../schema/page/share.ts";
import { RuntimeReport } from "../../schema/runtimes/runtime-info.ts";
import { SearchResult } from "../../schema/search.ts";
import { PruneOptions, PruneResult } from "../../schema/session/retention.ts";
import { SessionChanges } from "../../schema/session/session-changes.ts";
import { SessionInfo } from "../../schema/session.ts";
import { UsageReport } from "../../schema/usage/usage-report.ts";
import { Changes, RewindRequest, Rewound } from "../../schema/workspace/checkpoint.ts";
import { RaceInfo } from "../../schema/workspace/race.ts";
import { Adopted, PruneRequest } from "../../schema/workspace/worktree.ts";
import type { Route } from "../route.ts";

/** A part of the document. */
export type Json = { readonly [key: string]: unknown };

export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly info: Json;
  readonly servers?: readonly Json[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: Json & { readonly schemas: Readonly<Record<string, Json>> };
  readonly security: readonly Json[];
}

/** The schemas that the document contains by name. */
const inputs = { StartBody: http.StartBody, ResumeBody: http.ResumeBody, SendBody: http.SendBody };
const moreInputs = {
  InterruptBody: http.InterruptBody,
  AnswerBody: http.AnswerBody,
  CompactBody: http.CompactBody,
  ForkBody: http.ForkBody,
  StopBody: http.StopBody,
  PruneOptions,
  SessionChanges,
  SignInBody,
  SignInCodeBody,
  RewindRequest,
  AdoptBody: http.AdoptBody,
  RaceBody: http.RaceBody,
  PruneRequest,
  ShareBody,
  OpenShareBody,
};
const outputs = {
  SessionInfo,
  OpenedSession: http.OpenedSession,
  SentTurn: http.SentTurn,
  StreamEvent,
  Health: http.HealthReport,
  RuntimeList: http.RuntimeList,
  ModelList: http.ModelList,
  NativeSessionBody: http.NativeSessionBody,
  NativeSessionList: http.NativeSessionList,
  CommandList: http.CommandList,
  RuntimeReport,
  SessionList: http.SessionList,
  ProcessList: http.ProcessList,
  AccountList: http.AccountList,
  PruneResult,
  SearchResult,
  EventPage: http.EventPage,
  PositionedPage: http.PositionedPage,
  LastPosition: http.LastPosition,
  SessionExport: http.SessionExport,
  SignInCode,
  UsageReport,
  Changes,
  Rewound,
  WorktreeList: http.WorktreeList,
  PrunedList: http.PrunedList,
  Adopted,
  RaceInfo,
  SessionScreen,
  Explanation,
  CreatedShare,
  ShareList,
  Share,
  Problem: http.Problem,
};

/** The credentials: a token for programs, or the cookie of a signed-in browser. */
const securitySchemes = {
  token: { type: "http", scheme: "bearer" },
  cookie: {
    type: "apiKey",
    in: "cookie",
    name: "halyard-PORT",
    description:
      "Set by `signIn` for the server's page. Requests that change data must also have the page's Origin header.",
  },
};

/** The errors that all routes can return. */
const common: readonly ErrorCode[] = ["invalid_input", "unauthorized", "forbidden", "internal"];

/** Returns the OpenAPI 3.1 document that describes the routes. */
export function openApiDocument(
  routes: readonly Route[],
  { version = "0.0.0", basePath = "" }: { version?: string | undefined; basePath?: string } = {},
): OpenApiDocument {
  const names = new Map<z.ZodType, string>();
  const schemas = {
    ...toSchemas({ ...inputs, ...moreInputs }, "input", names),
    ...toSchemas(outputs, "output", names),
  };
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const operations = paths[route.path] ?? {};
    paths[route.path] = { ...operations, [route.method]: toOperation(route, names) };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Halyard",
      version,
      description: `Runs any coding agent through one interface. ${OTHER_PROTOCOLS}`,
      license: { name: "MIT", identifier: "MIT" },
    },
    ...(basePath !== "" && { servers: [{ url: basePath }] }),
    paths,
    components: { schemas, securitySchemes },
    security: [{ token: [] }, { cookie: [] }],
  };
}

/** Describes the endpoints of `halyard serve` whose messages other standards define. */
const OTHER_PROTOCOLS =
  "`halyard serve` is also an ACP agent at `/acp` (WebSockets, or HTTP with server-sent events) and an MCP server at `/mcp` " +
  "(streamable HTTP). Both require the same token; their own standards describe their messages.";

function toSchemas(
  named: Readonly<Record<string, z.ZodType>>,
  io: "input" | "output",
  names: Map<z.ZodType, string>,
): Record<string, Json> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) {
    registry.add(schema, { id });
    names.set(schema, id);
  }
  const { schemas } = z.toJSONSchema(registry, { io, uri: refOf });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema, $id, ...schema }]) => [id, schema]),
  );
}

function toOperation(route: Route, names: ReadonlyMap<z.ZodType, string>): Json {
  const { operationId, summary, body, responses } = route;
  return {
    operationId,
    summary,
    parameters: [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)],
    ...(body && {
      requestBody: { required: false, content: { "application/json": reference(body, names) } },
    }),
    responses: {
      ...Object.fromEntries(
        Object.entries(responses).map(([status, { description, content }]) => [
          status,
          { description, content: toContent(content, names) },
        ]),
      ),
      ...toProblems(route, names),
    },
  };
}

function toContent(
  content: Readonly<Record<string, z.ZodType | undefined>>,
  names: ReadonlyMap<z.ZodType, string>,
): Json {
  const entries = Object.entries(content).map(([type, schema]) => [
    type,
    schema ? reference(schema, names) : { schema: { type: "string" } },
  ]);
  return Object.fromEntries(entries);
}

function toProblems({ path, errors }: Route, names: ReadonlyMap<z.ZodType, string>): Json {
  const codes = [...common, ...errors];
  if (path.startsWith("/v1/sessions/{id}")) codes.push("session_not_found");
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { httpStatus } = errorTable[code];
    byStatus.set(httpStatus, [...(byStatus.get(httpStatus) ?? []), code]);
  }
  const content = { "application/problem+json": reference(http.Problem, names) };
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => [
      String(status),
      { description: some.map((code) => `\`${code}\``).join(", "), content },
    ]),
  );
}

function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    description: pathParameterMeaning(path, name),
    schema: { type: "string" },
  }));
}

function pathParameterMeaning(path: string, name: string): string {
  if (name === "name") return "The name of a runtime.";
  if (path.startsWith("/v1/races/")) return "The id of a race.";
  return "A session's id, a prefix of it, its name, or the runtime's session id.";
}

function queryParameters({ query }: Route): Json[] {
  if (query === undefined) return [];
  const { properties = {} } = z.toJSONSchema(query, { io: "output" });
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: "query",
    required: false,
    schema,
  }));
}

function headerParameters({ headers }: Route): Json[] {
  return Object.entries(headers).map(([name, description]) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string" },
  }));
}

function reference(schema: z.ZodType, names: ReadonlyMap<z.ZodType, string>): Json {
  const name = names.get(schema);
  return { schema: name === undefined ? z.toJSONSchema(schema) : { $ref: refOf(name) } };
}

function refOf(name: string): string {
  return `#/components/schemas/${name}`;
}
