import { z } from "zod";
import { HalyardError } from "../../errors/error.ts";
import { SignInBody, SignInCode, SignInCodeBody } from "../../schema/http/sign-in.ts";
import { isSameOrigin } from "../headers.ts";
import { type BrowserSignIn, type Route, route, type Server } from "../route.ts";
import { readCookie, requireOwnPage, writeCookie } from "../sign-in/cookie.ts";
import { json, noContent, respond } from "./responses.ts";

/** Routes for browsers to sign in and out. */
export const signInRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/v1/sign-in-codes",
    operationId: "createSignInCode",
    summary:
      "Creates a code that signs in one browser. Opens the page's port if it is not open yet.",
    body: SignInCodeBody,
    responses: { 201: json("The code.", SignInCode) },
    errors: ["limit_exceeded", "unsupported"],
    async handle({ server, body: { lifetimeMs } }) {
      const { signIns, pageUrl } = requireSignIn(server);
      const url = await pageUrl();
      const { value: code, expiresAt } = signIns.createCode(lifetimeMs);
      const known = url !== undefined && { url };
      const created = { code, expiresAt: expiresAt.toISOString(), ...known };
      return respond(SignInCode, created, { status: 201 });
    },
  }),
  route({
    method: "post",
    path: "/v1/sign-in",
    operationId: "signIn",
    summary: "Exchanges a code for a sign-in cookie. Needs no token. A code can be used once.",
    body: SignInBody,
    responses: { 204: { ...noContent, description: "The cookie is set." } },
    errors: ["unsupported"],
    isPublic: true,
    async handle({ server, request, body: { code } }) {
      const { signIns } = requireSignIn(server);
      if (!isSameOrigin(request))
        throw new HalyardError(
          "forbidden",
          "Only this server's page can sign in. Open the sign-in link in a browser.",
        );
      requireOwnPage(request);
      const secret = await signIns.signIn(code);
      if (secret === undefined)
        throw new HalyardError(
          "unauthorized",
          'The sign-in code is wrong, was used before or has expired. Run "halyard open" again.',
        );
      return cookieResponse(writeCookie(request, secret.value, { basePath: server.basePath }));
    },
  }),
  route({
    method: "delete",
    path: "/v1/sign-in",
    operationId: "signOut",
    summary:
      "Signs out the browser that sends the request, or all browsers. All event streams end, and readers that still have access reconnect.",
    query: z.strictObject({ all: z.enum(["true", "false"]).default("false") }),
    responses: { 204: { ...noContent, description: "The cookie is removed." } },
    errors: ["unsupported"],
    async handle({ server, request, query: { all } }) {
      const { signIns } = requireSignIn(server);
      const secret = readCookie(request);
      if (all === "true") await signIns.signOutAll();
      else if (secret !== undefined) await signIns.signOut(secret);
      server.streams.close(); // readers that still have access reconnect
      return cookieResponse(writeCookie(request, undefined, { basePath: server.basePath }));
    },
  }),
];

/** Returns the server's browser sign-in. Throws an `unsupported` error if the server has no page. */
export function requireSignIn({ signIn }: Server): BrowserSignIn {
  if (signIn) return signIn;
  throw new HalyardError(
    "unsupported",
    'This server has no page to sign in to. Set the option "web" of createServer to serve the page.',
  );
}

/** Returns an empty response that sets a cookie. */
function cookieResponse(cookie: string): Response {
  return new Response(null, {
    status: 204,
    headers: { "set-cookie": cookie, "cache-control": "no-store" },
  });
}
