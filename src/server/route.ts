import type { z } from "zod";
import { HalyardError } from "../core/error.ts";
import type { Halyard } from "../core/halyard.ts";
import { parseInput } from "../core/parse-input.ts";
import type { ErrorCode } from "../schema/error.ts";
import { readJson } from "./read-json.ts";
import type { Streams } from "./streams.ts";

/** What answers are made from. */
export interface Server {
  readonly halyard: Halyard;
  readonly streams: Streams;
  readonly version: string | undefined;
}

/** One request, read and checked. */
export interface Call<Query = unknown, Body = unknown> {
  readonly server: Server;
  readonly request: Request;
  /** What stands for `{id}` or `{name}` in the path. */
  readonly id: string;
  /** False on a public route if the caller sent no token. */
  readonly isAuthorized: boolean;
  readonly query: Query;
  readonly body: Body;
}

/** What a route gives back. */
export interface Answer {
  readonly description: string;
  readonly content: Readonly<Record<string, z.ZodType | undefined>>;
}

/** What can be asked of the server, told once: for whoever asks, for the document, and for the answer. */
export interface Route {
  readonly method: "get" | "post" | "patch" | "delete";
  readonly path: `/v1/${string}`;
  readonly operationId: string;
  readonly summary: string;
  readonly query: z.ZodObject | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: z.ZodType | undefined;
  readonly answers: Readonly<Record<number, Answer>>;
  readonly errors: readonly ErrorCode[];
  /** True if the route answers callers without a token. A wrong token is still an error. */
  readonly isPublic: boolean;
  answer(call: IncomingCall): Promise<Response>;
}

/** A request before its query and body are parsed. */
export type IncomingCall = Pick<Call, "server" | "request" | "id" | "isAuthorized">;

interface Definition<Query extends z.ZodObject, Body extends z.ZodType>
  extends Pick<Route, "method" | "path" | "operationId" | "summary" | "answers"> {
  readonly query?: Query;
  readonly headers?: Route["headers"];
  readonly body?: Body;
  readonly errors?: Route["errors"];
  readonly isPublic?: boolean;
  handle(call: Call<z.output<Query>, z.output<Body>>): Promise<Response> | Response;
}

/** A route that reads what it is given as its schemas say, and refuses the rest. */
export function route<Query extends z.ZodObject, Body extends z.ZodType>(
  definition: Definition<Query, Body>,
): Route {
  const { handle, query, body, headers = {}, errors = [], isPublic = false, ...rest } = definition;
  return {
    ...rest,
    query,
    body,
    headers,
    errors,
    isPublic,
    async answer(call) {
      const { searchParams } = new URL(call.request.url);
      const given = readQuery(searchParams);
      const parsedQuery = query ? parseInput(query, given) : refuseAll(given);
      const parsedBody = body && parseInput(body, await readJson(call.request));
      return handle({
        ...call,
        query: parsedQuery as z.output<Query>,
        body: parsedBody as z.output<Body>,
      });
    },
  };
}

/** What is given several times is a list. */
function readQuery(parameters: URLSearchParams): Record<string, unknown> {
  const names = [...new Set(parameters.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const [first, ...others] = parameters.getAll(name);
      return [name, others.length === 0 ? first : [first, ...others]];
    }),
  );
}

function refuseAll(given: Readonly<Record<string, unknown>>): object {
  const [name] = Object.keys(given);
  if (name === undefined) return {};
  throw new HalyardError("invalid_input", `there is no parameter ${name} here`);
}
