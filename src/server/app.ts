import { Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { Halyard } from "../contracts/halyard.ts";
import { HalyardError } from "../errors/error.ts";
import { isSessionId } from "../errors/require-id.ts";
import {
  type Access,
  type GuardOptions,
  isAuthorized,
  requireOrigin,
  unauthorized,
  untrustedAccess,
} from "./access.ts";
import type { ServerEndpoint } from "./endpoints/server-endpoint.ts";
import { docsPage } from "./openapi/docs-page.ts";
import { openApiDocument } from "./openapi/openapi.ts";
import type { WebPage } from "./page/page.ts";
import { isFault, problemResponse } from "./problem.ts";
import { withCompleteBody } from "./read-json.ts";
import type { Route, Server } from "./route.ts";
import { aboutRoutes } from "./routes/about.ts";
import { conversationRoutes } from "./routes/conversation.ts";
import { eventRoutes } from "./routes/events.ts";
import { fileRoutes } from "./routes/files.ts";
import { raceRoutes } from "./routes/races.ts";
import { runningRoutes } from "./routes/running.ts";
import { searchRoutes } from "./routes/search.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { shareRoutes } from "./routes/shares.ts";
import { signInRoutes } from "./routes/sign-in.ts";
import { turnRoutes } from "./routes/turns.ts";
import { worktreeRoutes } from "./routes/worktrees.ts";
import { readCookie, requireOwnPage } from "./sign-in/cookie.ts";

/** All routes, in the order of the OpenAPI document. */
export const routes: readonly Route[] = [
  ...sessionRoutes,
  ...turnRoutes,
  ...conversationRoutes,
  ...fileRoutes,
  ...runningRoutes,
  ...worktreeRoutes,
  ...raceRoutes,
  ...eventRoutes,
  ...searchRoutes,
  ...aboutRoutes,
  ...signInRoutes,
  ...shareRoutes,
];

/** A server's Hono application, which handles the routes of the HTTP API. */
export type App = Hono<AppEnvironment>;

/** The values that are stored with a request. */
export interface AppEnvironment {
  readonly Bindings: { access?: Access };
  readonly Variables: { isAuthorized: boolean };
}

export interface AppOptions extends GuardOptions {
  /** Returns the Halyard instance for requests from the page. Defaults to the server's instance. */
  readonly forPage?: (() => Promise<Halyard>) | undefined;
  /** The web page at the root, if it is served. */
  readonly page?: WebPage | undefined;
  /** Additional endpoints for other protocols. */
  readonly endpoints?: readonly ServerEndpoint[] | undefined;
}

/** Creates the HTTP API of a Halyard instance. */
export function createApp(server: Server, options: AppOptions): App {
  const { page, forPage, endpoints = [], ...guard } = options;
  const { basePath, onFault } = server;
  const serverFor = async (request: Request, access: Access): Promise<Server> =>
    forPage && isOfPage(request, access) ? { ...server, halyard: await forPage() } : server;
  const app: App = new Hono<AppEnvironment>().basePath(basePath);
  const accessOf = (env: { access?: Access } | undefined): Access => env?.access ?? untrustedAccess;
  app.onError((error) => {
    if (isFault(error)) onFault(error);
    return problemResponse(error, basePath);
  });
  app.notFound(({ req, env }) => {
    const advice = accessOf(env).isForShares
      ? "This port serves only shared sessions. Open the link that you received."
      : `See ${basePath}/docs for the routes.`;
    const message = `Route ${req.method} ${req.path} not found. ${advice}`;
    return problemResponse(new HalyardError("not_found", message), basePath);
  });
  app.use(async ({ req, env }, next) => {
    requireOrigin(req.raw, accessOf(env), guard);
    await next();
  });
  if (guard.origins.length > 0) app.use(cors({ origin: [...guard.origins] }));
  const document = () => openApiDocument(routes, { version: server.version, basePath });
  // A link reveals nothing but its session: neither the version of the server nor its routes.
  const hideFromShares: MiddlewareHandler<AppEnvironment> = async (context, next) =>
    accessOf(context.env).isForShares ? context.notFound() : await next();
  app.get("/openapi.json", hideFromShares, (context) => context.json(document()));
  app.get("/docs", hideFromShares, (context) => context.html(docsPage(document())));
  const authorize: MiddlewareHandler<AppEnvironment> = async (context, next) => {
    const { req, env } = context;
    const access = accessOf(env);
    const path = req.path.slice(basePath.length);
    const isKnown = await isAuthorized(req.raw, access, guard);
    if (!isKnown && !isOpen(req.method, path, access) && !(await mayRead(req.raw, path, guard)))
      throw unauthorized("The request has no token.");
    context.set("isAuthorized", isKnown);
    await next();
  };
  app.use("/v1/*", authorize);
  app.use("/metrics", authorize);
  for (const { method, path, respond } of routes) {
    app.on(method.toUpperCase(), path.replace(/\{(\w+)\}/, ":id"), async ({ req, env, get }) =>
      respond({
        server: await serverFor(req.raw, accessOf(env)),
        request: req.raw,
        id: req.param("id") ?? "",
        isAuthorized: get("isAuthorized"),
      }),
    );
  }
  for (const { path, fetch } of endpoints)
    app.all(path, async ({ req, env }) => {
      if (!(await isAuthorized(req.raw, accessOf(env), guard)))
        throw unauthorized("The request has no token.");
      return fetch(await withCompleteBody(req.raw));
    });
  if (page) addPage(app, page, basePath);
  return app;
}

/** True if the page sent the request. Programs send a token or use a private socket, which no browser can open. */
function isOfPage(request: Request, { isPrivate }: Access): boolean {
  return !isPrivate && !request.headers.has("authorization");
}

/**
 * Serves the page's files. The URLs in the page are relative, so the page's own URL must have a slash after the base
 * path.
 */
function addPage(app: App, page: WebPage, basePath: string): void {
  app.get("/*", async (context) => {
    const path = context.req.path.slice(basePath.length);
    if (path === "") return context.redirect(`${basePath}/`, 308);
    return (await page.respond(context.req.raw, path)) ?? context.notFound();
  });
}

/** True if the route needs no credentials. On a port for shared sessions, only the route that opens a link is open. */
function isOpen(method: string, path: string, { isForShares }: Access): boolean {
  return routes.some(
    (route) =>
      route.isPublic &&
      route.path === path &&
      route.method === method.toLowerCase() &&
      (!isForShares || route.operationId === "openShare"),
  );
}

/**
 * True if the request reads a session, and its browser has opened a link to this session. Throws if another page sent the
 * cookie.
 */
async function mayRead(
  request: Request,
  path: string,
  { signIns }: GuardOptions,
): Promise<boolean> {
  const [, id = "", rest = ""] = /^\/v1\/sessions\/([^/]+)(\/\w+)?$/.exec(path) ?? [];
  const isShared = routes.some(
    (route) =>
      route.isShared &&
      route.method === request.method.toLowerCase() &&
      route.path === `/v1/sessions/{id}${rest}`,
  );
  if (!signIns || !isShared || !isSessionId(id)) return false;
  const secret = readCookie(request, id);
  const share = secret === undefined ? undefined : await signIns.findShare(secret);
  if (share?.sessionId !== id) return false;
  requireOwnPage(request);
  return true;
}
