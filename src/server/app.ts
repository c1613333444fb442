import { Hono } from "hono";
import { cors } from "hono/cors";
import { HalyardError } from "../core/error.ts";
import { docsPage } from "./docs-page.ts";
import { type Door, type GuardOptions, requireOrigin, requireToken, unknownDoor } from "./door.ts";
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
  /** Hears of faults of our own. */
  readonly onFault: (error: unknown) => void;
}

/** The HTTP API over a Halyard. */
export function createApp(server: Server, { onFault, ...guard }: AppOptions): App {
  const app: App = new Hono();
  const doorOf = (env: Environment["Bindings"] | undefined): Door => env?.door ?? unknownDoor;
  app.onError((error) => {
    if (!(error instanceof HalyardError) || error.code === "internal") onFault(error);
    return problemResponse(error);
  });
  app.notFound(({ req }) =>
    problemResponse(
      new HalyardError("not_found", `there is no ${req.method} ${req.path}; see /docs`),
    ),
  );
  app.use(async ({ req, env }, next) => {
    requireOrigin(req.raw, doorOf(env), guard);
    await next();
  });
  if (guard.origins.length > 0) app.use(cors({ origin: [...guard.origins] }));
  app.get("/openapi.json", (context) => context.json(openApiDocument(routes, server.version)));
  app.get("/docs", (context) => context.html(docsPage(openApiDocument(routes, server.version))));
  app.use("/v1/*", async ({ req, env }, next) => {
    requireToken(req.raw, doorOf(env), guard);
    await next();
  });
  for (const { method, path, answer } of routes) {
    app.on(method.toUpperCase(), path.replace(/\{(\w+)\}/, ":id"), ({ req }) =>
      answer({ server, request: req.raw, id: req.param("id") ?? "" }),
    );
  }
  return app;
}
