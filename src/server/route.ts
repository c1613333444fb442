import type { z } from "zod";
import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";
import { parseInput } from "../errors/parse-input.ts";
import type { ErrorCode } from "../schema/error.ts";
import { readJsonBody } from "./read-json.ts";
import type { SignIns } from "./sign-in/sign-ins.ts";
import type { Streams } from "./streams/streams.ts";

/** The objects that route handlers use. */
export interface Server {
  readonly halyard: Halyard;
  readonly streams: Streams;
  readonly version: string | undefined;
  /** The path prefix of all routes, or an empty string for the root. */
  readonly basePath: string;
  /** Called with unexpected errors, which responses do not contain. */
  readonly onFault: (error: unknown) => void;
  /** How browsers sign in, if the server has a page. */
  readonly signIn?: BrowserSignIn | undefined;
}

/** How browsers sign in to a server. */
export interface BrowserSignIn {
  readonly signIns: SignIns;
  readonly now: () => Date;
  /** Returns the address of the page, or undefined if the server does not know it. */
  pageUrl(): Promise<string | undefined>;
  /** Opens a port for other machines that serves only shared sessions, and returns its address. */
  readonly shareUrl?: (() => Promise<string>) | undefined;
  /** Called after the links to a session were revoked. */
  readonly onUnshare?: (() => Promise<void>) | undefined;
}

/** A request with its parsed query and body. */
export interface Call<Query = unknown, Body = unknown> {
  readonly server: Server;
  readonly request: Request;
  /** The value of `{id}` or `{name}` in the path, or an empty string if the path contains neither. */
  readonly id: string;
  /** False if the caller has no valid credentials. Only public and shared routes are called then. */
  readonly isAuthorized: boolean;
  readonly query: Query;
  readonly body: Body;
}

/** The description and content types of a response. */
export interface ResponseDescription {
  readonly description: string;
  readonly content: Readonly<Record<string, z.ZodType | undefined>>;
}

/** A route: its description for the OpenAPI document, and the function that responds to requests. */
export interface Route {
  readonly method: "get" | "post" | "patch" | "delete";
  readonly path: `/v1/${string}` | "/metrics";
  readonly operationId: string;
  readonly summary: string;
  readonly query: z.ZodObject | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: z.ZodType | undefined;
  readonly responses: Readonly<Record<number, ResponseDescription>>;
  readonly errors: readonly ErrorCode[];
  /** True if the route responds to callers without a token. A wrong token is still rejected. */
  readonly isPublic: boolean;
  /** True if a browser with a link to the session in the path may call the route. */
  readonly isShared: boolean;
  respond(call: IncomingCall): Promise<Response>;
}

/** A request whose query and body are not parsed yet. */
export type IncomingCall = Pick<Call, "server" | "request" | "id" | "isAuthorized">;

interface Definition<Query extends z.ZodObject, Body extends z.ZodType>
  extends Pick<Route, "method" | "path" | "operationId" | "summary" | "responses"> {
  readonly query?: Query;
  readonly headers?: Route["headers"];
  readonly body?: Body;
  readonly errors?: Route["errors"];
  readonly isPublic?: boolean;
  readonly isShared?: boolean;
  handle(call: Call<z.output<Query>, z.output<Body>>): Promise<Response> | Response;
}

/**
 * Creates a route that parses its query and body with schemas and rejects invalid input. A route without a query schema
 * rejects all query parameters.
 */
export function route<Query extends z.ZodObject, Body extends z.ZodType>(
  definition: Definition<Query, Body>,
): Route {
  const {
    handle,
    query,
    body,
    headers = {},
    errors = [],
    isPublic = false,
    isShared = false,
    ...rest
  } = definition;
  return {
    ...rest,
    query,
    body,
    headers,
    errors,
    isPublic,
    isShared,
    async respond(call) {
      const { searchParams } = new URL(call.request.url);
      const given = readQuery(searchParams);
      const parsedQuery = query ? parseInput(query, given) : refuseAll(given);
      const parsedBody = body && parseInput(body, await readJsonBody(call.request));
      return handle({
        ...call,
        query: parsedQuery as z.output<Query>,
        body: parsedBody as z.output<Body>,
      });
    },
  };
}

/** Returns the query as an object. A repeated parameter becomes a list. */
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
  throw new HalyardError(
    "invalid_input",
    `This route has no query parameter "${name}". Remove it.`,
  );
}
