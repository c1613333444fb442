import { z } from "zod";
import { anySignal } from "../../async/any-signal.ts";
import { raceNotFound } from "../../errors/require-id.ts";
import { RaceBody } from "../../schema/http/http.ts";
import { RaceInfo } from "../../schema/workspace/race.ts";
import { type Route, route } from "../route.ts";
import { json, respond } from "./responses.ts";

const RaceQuery = z.strictObject({
  /** The revision that the caller has seen. With `waitMs`, the response waits for a newer revision. */
  after: z.coerce.number().int().nonnegative().exactOptional(),
  /** How long to wait for a change, in milliseconds. Defaults to 0, and is at most 60,000. */
  waitMs: z.coerce.number().int().nonnegative().max(60_000).default(0),
});

/** Routes for races between several agents. */
export const raceRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/v1/races",
    operationId: "startRace",
    summary:
      "Starts several agents with the same task, each in its own git worktree, and ranks the results. The check is a shell command.",
    body: RaceBody,
    responses: { 201: json("The race has begun.", RaceInfo) },
    async handle({ server: { halyard, basePath }, body }) {
      const race = await halyard.races.start(body);
      const headers = { location: `${basePath}/v1/races/${race.id}` };
      return respond(RaceInfo, race, { status: 201, headers });
    },
  }),
  route({
    method: "get",
    path: "/v1/races/{id}",
    operationId: "getRace",
    summary: "Returns the state of a race, immediately or when the state changes.",
    query: RaceQuery,
    responses: { 200: json("The race.", RaceInfo) },
    errors: ["race_not_found"],
    async handle({ server: { halyard }, request, id, query: { after, waitMs } }) {
      const signal = anySignal([request.signal, AbortSignal.timeout(waitMs)]);
      if (waitMs > 0 && after !== undefined)
        for await (const race of halyard.races.watch(id, { after, signal }))
          return respond(RaceInfo, race);
      const race = await halyard.races.find(id);
      if (!race) throw raceNotFound(id);
      return respond(RaceInfo, race);
    },
  }),
  route({
    method: "post",
    path: "/v1/races/{id}/cancel",
    operationId: "cancelRace",
    summary: "Cancels the turns and the checks of a race and stops its sessions.",
    responses: { 200: json("The race has ended.", RaceInfo) },
    errors: ["race_not_found"],
    handle: async ({ server: { halyard }, id }) =>
      respond(RaceInfo, await halyard.races.cancel(id)),
  }),
];
