import { Hono } from "hono";
import { cors } from "hono/cors";
import { HalyardError } from "../errors/error.ts";
import {
  type Access,
  checkToken,
  type GuardOptions,
  requireOrigin,
  requireToken,
  untrustedAccess,
} from "./access.ts";
import { docsPage } from "./docs-page.ts";
import { openApiDocument } from "./openapi.ts";
import { problemResponse } from "./problem.ts";
import type { Route, Server } from "./route.ts";
import { aboutRoutes } from "./routes/about.ts";
import { eventRoutes } from "./routes/events.ts";
import { fileRoutes } from "./routes/files.ts";
import { runningRoutes } from "./routes/running.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { turnRoutes } from "./routes/turns.ts";

/** All routes, in the order of the OpenAPI document. */
export const routes: readonly Route[] = [
  ...sessionRoutes,
  ...turnRoutes,
  ...fileRoutes,
  ...runningRoutes,
  ...eventRoutes,
  ...aboutRoutes,
];

/** The Hono application of a server, which handles the routes of the HTTP API. */
export type App = Hono<{ Bindings: { access?: Access } }>;

export interface AppOptions extends GuardOptions {
  /** Path prefix of all routes. */
  readonly basePath: string;
  /** Called with unexpected errors; responses do not contain them. */
  readonly onFault: (error: unknown) => void;
}

/** Creates the HTTP API over a Halyard. */
export function createApp(server: Server, { onFault, basePath, ...guard }: AppOptions): App {
  const app: App = new Hono<{ Bindings: { access?: Access } }>().basePath(basePath);
  const accessOf = (env: { access?: Access } | undefined): Access => env?.access ?? untrustedAccess;
  app.onError((error) => {
    if (!(error instanceof HalyardError) || error.code === "internal") onFault(error);
    return problemResponse(error);
  });
  app.notFound(({ req }) =>
    problemResponse(
      new HalyardError(
        "not_found",
        `There is no route ${req.method} ${req.path}. See ${basePath}/docs for the routes.`,
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
  app.use("/v1/*", async ({ req, env }, next) => {
    if (!isPublic(req.path.slice(basePath.length))) requireToken(req.raw, accessOf(env), guard);
    await next();
  });
  for (const { method, path, respond } of routes) {
    app.on(method.toUpperCase(), path.replace(/\{(\w+)\}/, ":id"), ({ req, env }) => {
      const isAuthorized = checkToken(req.raw, accessOf(env), guard);
      return respond({ server, request: req.raw, id: req.param("id") ?? "", isAuthorized });
    });
  }
  return app;
}

function isPublic(path: string): boolean {
  return routes.some((route) => route.isPublic && route.path === path);
}
