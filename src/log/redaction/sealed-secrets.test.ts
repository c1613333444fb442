import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor, REDACTED } from "./redaction.ts";
import { sealSecrets } from "./sealed-secrets.ts";

const secret = "sk-abcabd-0123456789";

test("redacts a sealed secret anywhere, and the seal does not reveal it", () => {
  const sealed = sealSecrets([secret, "another-secret"]);
  expect(JSON.stringify(sealed)).not.toMatch(/sk-|another/);
  const { redact } = createRedactor([], sealed);
  expect(redact({ a: [`KEY=${secret};`, "another-secret"], b: secret.slice(1) })).toEqual({
    a: [`KEY=${REDACTED};`, REDACTED],
    b: secret.slice(1),
  });
});

test("completely redacts a sealed secret that contains another secret", () => {
  const { redact } = createRedactor([], sealSecrets(["secret", "secret-longer"]));
  expect(redact("secret-longer secret")).toBe(`${REDACTED} ${REDACTED}`);
});

test("does not search for sealed secrets that are too short or already known", () => {
  expect(sealSecrets(["a", "the"]).secrets).toEqual([]);
  const stream = createRedactor([secret], sealSecrets([secret])).stream();
  expect(stream.push("as it came")).toBe("as it came");
});

test("redacts a text that arrives in pieces exactly like the whole text", () => {
  const piece = fc.constantFrom("sk-", "abcabd-", "0123456789", "s", "k-abcab", "d", " ", secret);
  const redactor = createRedactor([], sealSecrets([secret]));
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const stream = redactor.stream();
      const streamed = pieces.map((each) => stream.push(each)).join("") + stream.flush();
      expect(streamed).toBe(redactor.redact(pieces.join("")));
    }),
  );
});

test("buffers no more text than could be the start of a secret", () => {
  const stream = createRedactor([], sealSecrets([secret])).stream();
  expect(stream.push("a few words of no interest ")).toBe("a few words of no inte");
  expect(stream.push(secret.slice(0, 12))).toBe("rest ");
  expect(stream.push("!!")).toBe("");
  expect(stream.push(" It was none.")).toBe("sk-abcabd-01!! It was ");
});
