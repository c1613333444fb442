import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createRedactor, REDACTED } from "./redaction.ts";
import { sealSecrets } from "./sealed-secrets.ts";

test("redacts a secret at any depth and leaves the rest unchanged", () => {
  const { redact } = createRedactor(["hunter2hunter2"]);
  const value = { a: ["x", { b: "it is hunter2hunter2!" }], n: 1, nothing: null };
  expect(redact(value)).toEqual({ a: ["x", { b: `it is ${REDACTED}!` }], n: 1, nothing: null });
});

test("redacts a secret in a property name", () => {
  const { redact } = createRedactor(["hunter2hunter2"]);
  expect(redact({ a: { hunter2hunter2: 1 } })).toEqual({ a: { [REDACTED]: 1 } });
});

test("returns the same object, not a copy, if it contains no secrets", () => {
  const value = { a: [1, "x"] };
  expect(createRedactor(["hunter2hunter2"]).redact(value)).toBe(value);
});

test("ignores secrets that are too short", () => {
  expect(createRedactor(["a", "the"]).redact("the cat")).toBe("the cat");
});

test("completely redacts a secret that contains another secret", () => {
  expect(createRedactor(["secret", "secret-longer"]).redact("secret-longer")).toBe(REDACTED);
});

test("redacts a text that arrives in pieces exactly like the whole text", () => {
  const secret = "sk-abcabd";
  const piece = fc.constantFrom("sk-", "abc", "abd", "s", "k-abcab", "d", " ", secret);
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const redactor = createRedactor([secret]);
      const stream = redactor.stream();
      const streamed = pieces.map((each) => stream.push(each)).join("") + stream.flush();
      expect(streamed).toBe(redactor.redact(pieces.join("")));
    }),
  );
});

const encodings = {
  plain: (text: string) => text,
  hex: (text: string) => Buffer.from(text).toString("hex"),
  "hex in capitals": (text: string) => Buffer.from(text).toString("hex").toUpperCase(),
  base64: (text: string) => Buffer.from(text).toString("base64"),
  base64url: (text: string) => Buffer.from(text).toString("base64url"),
  "URL-encoded": encodeURIComponent,
  "URL-encoded as a form": (text: string) => new URLSearchParams({ "": text }).toString().slice(1),
  "URL-encoded in every byte": (text: string) =>
    Buffer.from(text).toString("hex").replace(/../g, "%$&"),
  JSON: (text: string) => JSON.stringify(text).slice(1, -1),
  "JSON of PHP": (text: string) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
  "JSON that is safe in HTML": (text: string) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[<>&=']/g, (mark) => `\\u00${mark.charCodeAt(0).toString(16)}`),
  "JSON in ASCII": (text: string) =>
    JSON.stringify(text)
      .slice(1, -1)
      .replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  "JSON in JSON": (text: string) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
} as const;

const secrets = fc.oneof(
  fc.stringMatching(/^[\w-]{12,60}$/),
  fc.stringMatching(/^[A-Za-z0-9+/=.!"'&%ä€-]{12,40}$/).filter((text) => /^\w/.test(text)),
);

/** Inserts `gap` after every `width` characters. */
function wrap(text: string, width: number, gap: string): string {
  return text.replace(new RegExp(`.{${width}}(?=..)`, "gsu"), `$&${gap}`);
}

const gaps = fc.constantFrom("\n", "\r\n", "\n    ", "\n> ", "\n│ ", "\\n");

test.each(Object.keys(encodings) as (keyof typeof encodings)[])(
  "redacts a secret (%s) that is wrapped and split anywhere, even if it is sealed",
  (name) => {
    const encode = encodings[name];
    const shape = {
      secret: secrets,
      around: fc.tuple(fc.stringMatching(/^[a-z:]{0,5}$/), fc.stringMatching(/^[\n;]{0,3}$/)),
      width: fc.integer({ min: 4, max: 200 }),
      gap: gaps,
      cut: fc.integer({ min: 1, max: 50 }),
      isSealed: fc.boolean(),
    };
    fc.assert(
      fc.property(fc.record(shape), ({ secret, around, width, gap, cut, isSealed }) => {
        const [before, after] = around;
        const encoded = encode(`${before}${secret}${after}`);
        const wrapped = wrap(encoded, width, gap);
        const text = `It says: ${wrapped} (end)`;
        const redactor = isSealed
          ? createRedactor([], sealSecrets([secret]))
          : createRedactor([secret, "another-secret-of-mine"]);
        const whole = redactor.redact(text);
        expect(whole).toContain(REDACTED);
        const left = whole.replaceAll(REDACTED, "").length - "It says:  (end)".length;
        const gapsLeft = gap.length * 4;
        expect(left).toBeLessThanOrEqual(
          encode(before).length + encode(after).length + 8 + gapsLeft,
        );

        const stream = redactor.stream();
        const pieces = text.match(new RegExp(`[^]{1,${cut}}`, "g")) ?? [];
        const streamed = pieces.map((piece) => stream.push(piece)).join("") + stream.flush();
        expect(streamed).toBe(whole);
      }),
      { numRuns: 300 },
    );
  },
);

test("redacts a secret in lines of one to three characters, including escaped line breaks", () => {
  const shape = {
    secret: fc.stringMatching(/^\w{12,40}$/),
    width: fc.integer({ min: 1, max: 3 }),
    gap: fc.constantFrom(
      "\n",
      "\r\n",
      "\n  ",
      "\n> ",
      "\\n",
      "\\r\\n",
      "\n\\n",
      "\\n\n",
      "\\n  \\n",
    ),
  };
  fc.assert(
    fc.property(fc.record(shape), ({ secret, width, gap }) => {
      const text = `It says: ${wrap(secret, width, gap)} (end)`;
      expect(createRedactor([secret]).redact(text)).toBe(`It says: ${REDACTED} (end)`);
    }),
    { numRuns: 300 },
  );
});

test("redacts a multi-line key in its original form, indented, and with escaped line breaks", () => {
  const key = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END KEY-----";
  const { redact } = createRedactor([key]);
  for (const shown of [key, key.replaceAll("\n", "\r\n    "), key.replaceAll("\n", "\\n")])
    expect(redact(`a ${shown} b`)).toBe(`a ${REDACTED} b`);
});

test("does not change a text that contains only parts of a secret", () => {
  const { redact } = createRedactor(["hunter2hunter2"]);
  for (const text of ["hunter2\nand hunter2", "hunter2hunter\n", "hunter2 hunter2", "68756e"])
    expect(redact(text)).toBe(text);
});

test("stops buffering text if too many blank lines follow a possible start of a secret", () => {
  const stream = createRedactor(["hunter2hunter2"]).stream();
  expect(stream.push("Wait: h")).toBe("Wait: ");
  expect(stream.push("\n".repeat(10))).toBe("");
  expect(stream.push("\n".repeat(10_000))).toBe(`h${"\n".repeat(10_010)}`);
});

test("redacts lines of one character at most 300 times slower than long lines", () => {
  const { redact, stream } = createRedactor(
    Array.from({ length: 4 }, () => `sk-ant-${randomBytes(30).toString("base64url")}`),
  );
  const characters = randomBytes(150_000).toString("base64");
  const lines = characters.replace(/./g, "$&\n");
  const joined = characters.replace(/.{40}/g, "$&\n").repeat(2);
  const pieces = lines.match(/[\s\S]{1,10000}/g) ?? [];
  const streamed = stream();
  expect(timeOf(() => redact(lines))).toBeLessThan(FACTOR * timeOf(() => redact(joined)));
  expect(timeOf(() => pieces.map((piece) => streamed.push(piece)))).toBeLessThan(
    FACTOR * timeOf(() => redact(joined)),
  );
});

/** The allowed slowdown. A search that rereads the text around each line break is over 1,000 times slower. */
const FACTOR = 300;

/** Returns the CPU time of the fastest of three runs in milliseconds. Other processes hardly affect the CPU time. */
function timeOf(run: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...times);
}
