import { z } from "zod";
import { SessionId } from "../id.ts";

/** The maximum lifetime of a link: 30 days. */
const LONGEST_MS = 30 * 24 * 3_600_000;

/** The request body that creates a link to a session. */
export const ShareBody = z.strictObject({
  /** How long the link is valid, in milliseconds. Defaults to 86,400,000 (one day). At most 30 days. */
  lifetimeMs: z.number().int().positive().max(LONGEST_MS).default(86_400_000),
  /** True to open a port for other machines. It serves only shared sessions. Defaults to false. */
  expose: z.boolean().default(false),
});
export type ShareBody = z.input<typeof ShareBody>;

/** A link that gives a browser read-only access to one session. */
export const Share = z.strictObject({
  sessionId: SessionId,
  expiresAt: z.iso.datetime(),
  /** True if other machines can open the link. */
  exposed: z.boolean(),
});
export type Share = z.infer<typeof Share>;

/** A new link. Its secret is never shown again. */
export const CreatedShare = Share.extend({
  /** The secret of the link: the part of its address after `#share=`. */
  secret: z.string(),
  /** The address of the link, if the server knows its own address. */
  url: z.string().optional(),
});
export type CreatedShare = z.infer<typeof CreatedShare>;

/** The links that are valid. */
export const ShareList = z.strictObject({ shares: z.array(Share) });

/** The request body that exchanges the secret of a link for a cookie. */
export const OpenShareBody = z.strictObject({ secret: z.string().min(1).max(200) });
