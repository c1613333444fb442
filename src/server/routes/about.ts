import { parseInput } from "../../core/parse-input.ts";
import { Health, ProcessList, RuntimeList } from "../../schema/http.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import { RuntimeReport } from "../../schema/runtime-info.ts";
import { type Route, route } from "../route.ts";
import { json, respond } from "./answers.ts";

/** What this server has: itself, its runtimes and its processes. */
export const aboutRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/health",
    operationId: "getHealth",
    summary: "Reports that the server works. Needs no token.",
    answers: { 200: json("The server works.", Health) },
    isPublic: true,
    handle: ({ server: { version }, isAuthorized }) =>
      respond(Health, {
        status: "ok",
        ...(isAuthorized && { pid: process.pid }),
        ...(isAuthorized && version !== undefined && { version }),
      }),
  }),
  route({
    method: "get",
    path: "/v1/runtimes",
    operationId: "listRuntimes",
    summary: "Lists the runtimes, with what they can do and whether they can run here.",
    answers: { 200: json("The runtimes.", RuntimeList) },
    handle: async ({ server }) =>
      respond(RuntimeList, { runtimes: await server.halyard.runtimes() }),
  }),
  route({
    method: "get",
    path: "/v1/runtimes/{name}",
    operationId: "examineRuntime",
    summary: "Looks at one runtime closely: where it is, whether it is signed in, what to do.",
    answers: { 200: json("What was found.", RuntimeReport) },
    errors: ["unknown_runtime"],
    handle: async ({ server, id }) =>
      respond(RuntimeReport, await server.halyard.examine(parseInput(RuntimeName, id))),
  }),
  route({
    method: "get",
    path: "/v1/processes",
    operationId: "listProcesses",
    summary: "Lists every process that was started for a session and still runs.",
    answers: { 200: json("The processes.", ProcessList) },
    handle: async ({ server }) =>
      respond(ProcessList, { processes: await server.halyard.processes() }),
  }),
  route({
    method: "post",
    path: "/v1/reap",
    operationId: "reap",
    summary: "Ends what is left of sessions that are over.",
    answers: { 200: json("What was ended.", ProcessList) },
    handle: async ({ server }) => respond(ProcessList, { processes: await server.halyard.reap() }),
  }),
];
