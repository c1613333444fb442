import { createHmac } from "node:crypto";

/** A message as Standard Webhooks has it: what is signed. */
export interface SignedMessage {
  readonly id: string;
  /** In seconds since 1970. */
  readonly timestamp: number;
  readonly body: string;
}

/** The value of `webhook-signature`: any library for Standard Webhooks can check it. */
export function sign(secret: string, { id, timestamp, body }: SignedMessage): string {
  const hmac = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`);
  return `v1,${hmac.digest("base64")}`;
}

/** A secret in the standard's own form is base64 behind `whsec_`; any other is taken as it is written. */
function keyOf(secret: string): Buffer {
  const encoded = /^whsec_(.+)$/.exec(secret)?.[1];
  return encoded === undefined ? Buffer.from(secret, "utf8") : Buffer.from(encoded, "base64");
}
