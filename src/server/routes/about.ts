import { parseInput } from "../../errors/parse-input.ts";
import { HealthReport, ProcessList, RuntimeList } from "../../schema/http.ts";
import { PruneOptions, PruneResult } from "../../schema/retention.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import { RuntimeReport } from "../../schema/runtimes/runtime-info.ts";
import { UsageFilter, UsageReport } from "../../schema/usage/usage-report.ts";
import { type Route, route } from "../route.ts";
import { json, respond } from "./responses.ts";

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
    summary: "Inspects one runtime: its location, whether it is signed in, and what to do.",
    responses: { 200: json("The report.", RuntimeReport) },
    errors: ["unknown_runtime"],
    handle: async ({ server, id }) =>
      respond(RuntimeReport, await server.halyard.inspect(parseInput(RuntimeName, id))),
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
    summary: "Removes old ended sessions for a few seconds. Repeat while `hasMore` is true.",
    body: PruneOptions,
    responses: { 200: json("The sessions that were removed.", PruneResult) },
    errors: ["store_full", "store_locked"],
    handle: async ({ server, body }) => respond(PruneResult, await server.halyard.prune(body)),
  }),
  route({
    method: "post",
    path: "/v1/reap",
    operationId: "reap",
    summary: "Kills processes of sessions that have ended.",
    responses: { 200: json("The processes that were killed.", ProcessList) },
    handle: async ({ server }) => respond(ProcessList, { processes: await server.halyard.reap() }),
  }),
];
