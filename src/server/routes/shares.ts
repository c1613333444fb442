import { HalyardError } from "../../errors/error.ts";
import { findSession } from "../../halyard/find-session.ts";
import {
  CreatedShare,
  OpenShareBody,
  Share,
  ShareBody,
  ShareList,
} from "../../schema/page/share.ts";
import { isSameOrigin } from "../headers.ts";
import { type Route, route } from "../route.ts";
import { requireOwnPage, writeCookie } from "../sign-in/cookie.ts";
import { json, noContent, respond } from "./responses.ts";
import { requireSignIn } from "./sign-in.ts";

/** Routes for links that give a browser read-only access to one session. */
export const shareRoutes: readonly Route[] = [
  route({
    method: "post",
    path: "/v1/sessions/{id}/shares",
    operationId: "shareSession",
    summary: "Creates a link with which any browser can read the session until the link expires.",
    body: ShareBody,
    responses: { 201: json("The link.", CreatedShare) },
    errors: ["limit_exceeded", "unsupported"],
    async handle({ server, id, body: { lifetimeMs, expose } }) {
      const { signIns, pageUrl, shareUrl } = requireSignIn(server);
      const { id: sessionId } = await findSession(server.halyard, id);
      if (expose && !shareUrl)
        throw new HalyardError(
          "unsupported",
          'This server cannot open a port for other machines. Set the option "shareUrl" of createServer, or share the session with "halyard share".',
        );
      const url = await (expose && shareUrl ? shareUrl() : pageUrl());
      const share = { sessionId, exposed: expose };
      const { value: secret, expiresAt } = await signIns.share(share, lifetimeMs);
      const known = url !== undefined && { url };
      const created = { ...share, secret, expiresAt: expiresAt.toISOString(), ...known };
      return respond(CreatedShare, created, { status: 201 });
    },
  }),
  route({
    method: "delete",
    path: "/v1/sessions/{id}/shares",
    operationId: "unshareSession",
    summary: "Revokes all links to the session, and ends the event streams of their readers.",
    responses: { 204: { ...noContent, description: "The links are revoked." } },
    errors: ["unsupported"],
    async handle({ server, id }) {
      const { signIns, onUnshare } = requireSignIn(server);
      const { id: sessionId } = await findSession(server.halyard, id);
      await signIns.unshare(sessionId);
      server.streams.close(); // readers that still have access reconnect
      await onUnshare?.();
      return new Response(null, { status: 204 });
    },
  }),
  route({
    method: "get",
    path: "/v1/shares",
    operationId: "listShares",
    summary: "Lists the valid links to sessions, without their secrets.",
    responses: { 200: json("The links.", ShareList) },
    errors: ["unsupported"],
    handle: async ({ server }) =>
      respond(ShareList, { shares: await requireSignIn(server).signIns.shares() }),
  }),
  route({
    method: "post",
    path: "/v1/shares/open",
    operationId: "openShare",
    summary: "Exchanges the secret of a link for a cookie that reads one session. Needs no token.",
    body: OpenShareBody,
    responses: { 200: json("The cookie is set.", Share) },
    errors: ["unsupported"],
    isPublic: true,
    async handle({ server, request, body: { secret } }) {
      const { signIns, now } = requireSignIn(server);
      if (!isSameOrigin(request))
        throw new HalyardError(
          "forbidden",
          "Only this server's page can open a link. Open the link in a browser.",
        );
      requireOwnPage(request);
      const share = await signIns.findShare(secret);
      if (share === undefined)
        throw new HalyardError(
          "unauthorized",
          "The link is wrong, has expired or was revoked. Ask the sender for a new link.",
        );
      const { sessionId, expiresAt } = share;
      const lifetimeMs = Date.parse(expiresAt) - now().getTime();
      const cookie = writeCookie(request, secret, {
        basePath: server.basePath,
        lifetimeMs,
        sessionId,
      });
      return respond(Share, share, { headers: { "set-cookie": cookie } });
    },
  }),
];
