import { Hono } from "hono";
import { cors } from "hono/cors";
import { HalyardError } from "../core/error.ts";
import { docsPage } from "./docs-page.ts";
import {
  checkToken,
  type Door,
  type GuardOptions,
  requireOrigin,
  requireToken,
  unknownDoor,
} from "./door.ts";
import { openApiDocument } from "./openapi.ts";
import { problemResponse } from "./problem.ts";
import type { Route, Server } from "./route.ts";
import { aboutRoutes } from "./routes/about.ts";
import { eventRoutes } from "./routes/events.ts";
import { runningRoutes } from "./routes/running.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { turnRoutes } from "./routes/turns.ts";

/** Everything that can be asked, in the order of the document. */
export const routes: readonly Route[] = [
  ...sessionRoutes,
  ...turnRoutes,
  ...runningRoutes,
  ...eventRoutes,
  ...aboutRoutes,
];

interface Environment {
  Bindings: { door?: Door };
}

export type App = Hono<Environment>;

export interface AppOptions extends GuardOptions {
  /** The path that every route is below. */
  readonly basePath: string;
  /** Hears of faults of our own. */
  readonly onFault: (error: unknown) => void;
}

/** Creates the HTTP API over a Halyard. */
export function createApp(server: Server, { onFault, basePath, ...guard }: AppOptions): App {
  const app: App = new Hono<Environment>().basePath(basePath);
  const doorOf = (env: Environment["Bindings"] | undefined): Door => env?.door ?? unknownDoor;
  app.onError((error) => {
    if (!(error instanceof HalyardError) || error.code === "internal") onFault(error);
    return problemResponse(error);
  });
  app.notFound(({ req }) =>
    problemResponse(
      new HalyardError(
        "not_found",
        `There is no ${req.method} ${req.path}. See ${basePath}/docs for the routes.`,
      ),
    ),
  );
  app.use(async ({ req, env }, next) => {
    requireOrigin(req.raw, doorOf(env), guard);
    await next();
  });
  if (guard.origins.length > 0) app.use(cors({ origin: [...guard.origins] }));
  const document = () => openApiDocument(routes, { version: server.version, basePath });
  app.get("/openapi.json", (context) => context.json(document()));
  app.get("/docs", (context) => context.html(docsPage(document())));
  app.use("/v1/*", async ({ req, env }, next) => {
    if (!isPublic(req.path.slice(basePath.length))) requireToken(req.raw, doorOf(env), guard);
    await next();
  });
  for (const { method, path, answer } of routes) {
    app.on(method.toUpperCase(), path.replace(/\{(\w+)\}/, ":id"), ({ req, env }) => {
      const isAuthorized = checkToken(req.raw, doorOf(env), guard);
      return answer({ server, request: req.raw, id: req.param("id") ?? "", isAuthorized });
    });
  }
  return app;
}

function isPublic(path: string): boolean {
  return routes.some((route) => route.isPublic && route.path === path);
}
