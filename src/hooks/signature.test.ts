import { expect, test } from "vitest";
import { sign } from "./signature.ts";

test("produces the signature of the Standard Webhooks example", () => {
  const message = {
    id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
  };
  expect(sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", message)).toBe(
    "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  );
});

test("uses a secret without the whsec_ prefix as plain text", () => {
  const message = { id: "a", timestamp: 1, body: "{}" };
  const encoded = `whsec_${Buffer.from("open sesame").toString("base64")}`;
  expect(sign("open sesame", message)).toBe(sign(encoded, message));
});
