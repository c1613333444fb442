import { Hono } from "hono";
import { cors } from "hono/cors";
import { HalyardError } from "../errors/error.ts";
import {
  type Access,
  type GuardOptions,
  isAuthorized,
  requireOrigin,
  unauthorized,
  untrustedAccess,
} from "./access.ts";
import { docsPage } from "./docs-page.ts";
import { openApiDocument } from "./openapi.ts";
import type { Page } from "./page/page.ts";
import { problemResponse } from "./problem.ts";
import type { Route, Server } from "./route.ts";
import { aboutRoutes } from "./routes/about.ts";
import { eventRoutes } from "./routes/events.ts";
import { fileRoutes } from "./routes/files.ts";
import { runningRoutes } from "./routes/running.ts";
import { searchRoutes } from "./routes/search.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { signInRoutes } from "./routes/sign-in.ts";
import { turnRoutes } from "./routes/turns.ts";
import { worktreeRoutes } from "./routes/worktrees.ts";

/** All routes, in the order of the OpenAPI document. */
export const routes: readonly Route[] = [
  ...sessionRoutes,
  ...turnRoutes,
  ...fileRoutes,
  ...runningRoutes,
  ...worktreeRoutes,
  ...eventRoutes,
  ...searchRoutes,
  ...aboutRoutes,
  ...signInRoutes,
];

/** The Hono application of a server, which handles the routes of the HTTP API. */
export type App = Hono<AppEnvironment>;

/** The values that belong to a request. */
export interface AppEnvironment {
  readonly Bindings: { access?: Access };
  readonly Variables: { isAuthorized: boolean };
}

export interface AppOptions extends GuardOptions {
  /** Path prefix of all routes. */
  readonly basePath: string;
  /** The web page at the root, if it is served. */
  readonly page?: Page | undefined;
  /** Called with unexpected errors; responses do not contain them. */
  readonly onFault: (error: unknown) => void;
}

/** Creates the HTTP API over a Halyard. */
export function createApp(server: Server, { onFault, basePath, page, ...guard }: AppOptions): App {
  const app: App = new Hono<AppEnvironment>().basePath(basePath);
  const accessOf = (env: { access?: Access } | undefined): Access => env?.access ?? untrustedAccess;
  app.onError((error) => {
    if (!(error instanceof HalyardError) || error.code === "internal") onFault(error);
    return problemResponse(error);
  });
  app.notFound(({ req }) =>
    problemResponse(
      new HalyardError(
        "not_found",
        `Route ${req.method} ${req.path} not found. See ${basePath}/docs for the routes.`,
      ),
    ),
  );
  app.use(async ({ req, env }, next) => {
    requireOrigin(req.raw, accessOf(env), guard);
    await next();
  });
  if (guard.origins.length > 0) app.use(cors({ origin: [...guard.origins] }));
  const document = () => openApiDocument(routes, { version: server.version, basePath });
  app.get("/openapi.json", (context) => context.json(document()));
  app.get("/docs", (context) => context.html(docsPage(document())));
  app.use("/v1/*", async (context, next) => {
    const { req, env } = context;
    const isKnown = await isAuthorized(req.raw, accessOf(env), guard);
    if (!isKnown && !isPublic(req.method, req.path.slice(basePath.length)))
      throw unauthorized("The request has no token.");
    context.set("isAuthorized", isKnown);
    await next();
  });
  for (const { method, path, respond } of routes) {
    app.on(method.toUpperCase(), path.replace(/\{(\w+)\}/, ":id"), ({ req, get }) =>
      respond({
        server,
        request: req.raw,
        id: req.param("id") ?? "",
        isAuthorized: get("isAuthorized"),
      }),
    );
  }
  if (page) addPage(app, page, basePath);
  return app;
}

/** Serves the files of the page. Its addresses are relative, so the page needs a slash after the base path. */
function addPage(app: App, page: Page, basePath: string): void {
  app.get("/*", async (context) => {
    const path = context.req.path.slice(basePath.length);
    if (path === "") return context.redirect(`${basePath}/`, 308);
    return (await page.respond(context.req.raw, path)) ?? context.notFound();
  });
}

function isPublic(method: string, path: string): boolean {
  return routes.some(
    (route) => route.isPublic && route.path === path && route.method === method.toLowerCase(),
  );
}
