import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor, isSecretName, REDACTED } from "./redaction.ts";

test("a secret is found however deep it lies, and the rest is left as it is", () => {
  const { redact } = createRedactor(["hunter2hunter2"]);
  const value = { a: ["x", { b: "it is hunter2hunter2!" }], n: 1, nothing: null };
  expect(redact(value)).toEqual({ a: ["x", { b: `it is ${REDACTED}!` }], n: 1, nothing: null });
});

test("a secret is found in the name of something, too", () => {
  const { redact } = createRedactor(["hunter2hunter2"]);
  expect(redact({ a: { hunter2hunter2: 1 } })).toEqual({ a: { [REDACTED]: 1 } });
});

test("a value without secrets is given back itself", () => {
  const value = { a: [1, "x"] };
  expect(createRedactor(["hunter2hunter2"]).redact(value)).toBe(value);
});

test("what is too short to be a secret hides no words", () => {
  expect(createRedactor(["a", "the"]).redact("the cat")).toBe("the cat");
});

test("a secret that contains another is hidden whole", () => {
  expect(createRedactor(["secret", "secret-longer"]).redact("secret-longer")).toBe(REDACTED);
});

test("a text in pieces comes out as the whole text would", () => {
  const secret = "sk-abcabd";
  const piece = fc.constantFrom("sk-", "abc", "abd", "s", "k-abcab", "d", " ", secret);
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const redactor = createRedactor([secret]);
      const stream = redactor.stream();
      const told = pieces.map((each) => stream.push(each)).join("") + stream.flush();
      expect(told).toBe(redactor.redact(pieces.join("")));
    }),
  );
});

test.each(["ANTHROPIC_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD", "aws_secret", "Authorization"])(
  "%s is the name of a secret",
  (name) => {
    expect(isSecretName(name)).toBe(true);
  },
);

test.each(["PATH", "KEYBOARD", "TOKENIZERS_PARALLELISM"])("%s is not", (name) => {
  expect(isSecretName(name)).toBe(false);
});
