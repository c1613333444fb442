import { z } from "zod";
import type { Halyard } from "../../contracts/halyard.ts";
import { parseInput } from "../../errors/parse-input.ts";
import {
  AbsolutePath,
  AccountList,
  HealthReport,
  ModelList,
  NativeSessionBody,
  NativeSessionList,
  ProcessList,
  RuntimeList,
} from "../../schema/http/http.ts";
import { ExplainRequest, Explanation } from "../../schema/page/explanation.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import type { NativeSessionQuery } from "../../schema/runtimes/native-session.ts";
import { RuntimeReport } from "../../schema/runtimes/runtime-info.ts";
import { PruneOptions, PruneResult } from "../../schema/session/retention.ts";
import { UsageFilter, UsageReport } from "../../schema/usage/usage-report.ts";
import { plainHeaders } from "../headers.ts";
import { type Route, route } from "../route.ts";
import { json, respond } from "./responses.ts";

const nativeSessionList = {
  responses: { 200: json("The sessions.", NativeSessionList) },
  errors: ["unknown_runtime", "runtime_unavailable", "unsupported", "not_signed_in"],
} as const;

/** Routes for the server, its runtimes and its processes. */
export const aboutRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/health",
    operationId: "getHealth",
    summary: "Reports that the server is running. Needs no token.",
    responses: { 200: json("The server is running.", HealthReport) },
    isPublic: true,
    handle: ({ server: { version }, isAuthorized }) =>
      respond(HealthReport, {
        status: "ok",
        ...(isAuthorized && { pid: process.pid }),
        ...(isAuthorized && version !== undefined && { version }),
      }),
  }),
  route({
    method: "get",
    path: "/v1/runtimes",
    operationId: "listRuntimes",
    summary: "Lists the runtimes with their capabilities and availability.",
    responses: { 200: json("The runtimes.", RuntimeList) },
    handle: async ({ server }) =>
      respond(RuntimeList, { runtimes: await server.halyard.runtimes() }),
  }),
  route({
    method: "get",
    path: "/v1/runtimes/{name}",
    operationId: "inspectRuntime",
    summary:
      "Inspects one runtime: where its program is, whether it is signed in, and what to do if it is not usable. `schema=true` also compares the schema that the program prints with the tested schema.",
    query: z.strictObject({ schema: z.enum(["true", "false"]).default("false") }),
    responses: { 200: json("The report.", RuntimeReport) },
    errors: ["unknown_runtime"],
    async handle({ server: { halyard }, id, query }) {
      const runtime = parseInput(RuntimeName, id);
      const schema = query.schema === "true";
      return respond(RuntimeReport, await halyard.inspect(runtime, { schema }));
    },
  }),
  route({
    method: "get",
    path: "/v1/runtimes/{name}/models",
    operationId: "listModels",
    summary: "Lists the models that a runtime offers with the user's sign-in.",
    responses: { 200: json("The models.", ModelList) },
    errors: ["unknown_runtime", "runtime_unavailable", "unsupported", "not_signed_in"],
    handle: async ({ server, id }) =>
      respond(ModelList, { models: await server.halyard.models(parseInput(RuntimeName, id)) }),
  }),
  route({
    method: "get",
    path: "/v1/runtimes/{name}/sessions",
    operationId: "listNativeSessions",
    summary: "Lists the sessions that a runtime recorded without Halyard, newest first.",
    query: NativeSessionBody.omit({ options: true }).extend({
      limit: z.coerce.number().int().positive().max(1000).default(50),
    }),
    ...nativeSessionList,
    handle: ({ server, id, query }) => listNativeSessions(server.halyard, id, query),
  }),
  // A separate route with POST, because `options` can contain a command, and opening a URL must not run a command.
  route({
    method: "post",
    path: "/v1/runtimes/{name}/sessions",
    operationId: "queryNativeSessions",
    summary:
      "Lists the sessions that a runtime recorded without Halyard, with options of the runtime, such as the command of an ACP agent.",
    body: NativeSessionBody,
    ...nativeSessionList,
    handle: ({ server, id, body }) => listNativeSessions(server.halyard, id, body),
  }),
  route({
    method: "get",
    path: "/v1/explain",
    operationId: "explain",
    summary: "Returns the settings that a new session would have, and their sources.",
    query: ExplainRequest.extend({ cwd: AbsolutePath }),
    responses: { 200: json("The settings, without any key.", Explanation) },
    errors: ["unknown_runtime", "invalid_config"],
    handle: async ({ server, query }) => respond(Explanation, await server.halyard.explain(query)),
  }),
  route({
    method: "get",
    path: "/v1/usage",
    operationId: "getUsage",
    summary: "Adds up the usage of all sessions by day, runtime, project and model.",
    query: UsageFilter,
    responses: { 200: json("The usage.", UsageReport) },
    handle: async ({ server, query }) => respond(UsageReport, await server.halyard.usage(query)),
  }),
  route({
    method: "get",
    path: "/v1/limits",
    operationId: "getLimits",
    summary: "Returns the usage limits of every account, as last reported by a session.",
    responses: { 200: json("The limits.", AccountList) },
    handle: async ({ server }) => respond(AccountList, { accounts: await server.halyard.limits() }),
  }),
  route({
    method: "get",
    path: "/metrics",
    operationId: "getMetrics",
    summary: "Returns metrics for the server and its sessions in the Prometheus text format.",
    responses: {
      200: { description: "The metrics.", content: { "text/plain": undefined } },
    },
    handle: async ({ server }) =>
      new Response(await server.halyard.metrics(), {
        headers: { ...plainHeaders, "content-type": "text/plain; version=0.0.4; charset=utf-8" },
      }),
  }),
  route({
    method: "get",
    path: "/v1/processes",
    operationId: "listProcesses",
    summary: "Lists every running process that was started for a session.",
    responses: { 200: json("The processes.", ProcessList) },
    handle: async ({ server }) =>
      respond(ProcessList, { processes: await server.halyard.processes() }),
  }),
  route({
    method: "post",
    path: "/v1/prune",
    operationId: "prune",
    summary:
      "Removes old ended sessions, for at most a few seconds per request. Repeat the request while `hasMore` is true.",
    body: PruneOptions,
    responses: { 200: json("The sessions that were removed.", PruneResult) },
    errors: ["store_full", "store_locked"],
    handle: async ({ server, body }) => respond(PruneResult, await server.halyard.prune(body)),
  }),
  route({
    method: "post",
    path: "/v1/reap",
    operationId: "reap",
    summary: "Kills the remaining processes of ended sessions.",
    responses: { 200: json("The processes that were killed.", ProcessList) },
    handle: async ({ server }) => respond(ProcessList, { processes: await server.halyard.reap() }),
  }),
];

async function listNativeSessions(halyard: Halyard, name: string, query: NativeSessionQuery) {
  const sessions = await halyard.nativeSessions(parseInput(RuntimeName, name), query);
  return respond(NativeSessionList, { sessions });
}
