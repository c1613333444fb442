import { expect, test } from "vitest";
import { imageTypeOf } from "../../halyard/image-type.ts";
import { samplePng } from "../../testing/sample-image.ts";
import { messageParts } from "./message-parts.ts";

test("detects the type of an image from its content, and rejects other formats", () => {
  const typeOf = (head: string) => imageTypeOf(Buffer.from(head, "latin1"));
  expect(imageTypeOf(Buffer.from(samplePng, "base64"))).toBe("image/png");
  expect(typeOf("\xff\xd8\xff\xe0")).toBe("image/jpeg");
  expect(typeOf("GIF89a…")).toBe("image/gif");
  expect(typeOf("RIFF\x00\x00\x00\x00WEBPVP8 ")).toBe("image/webp");
  expect(typeOf("<svg>")).toBeUndefined();
  const svg = { data: Buffer.from("<svg>").toString("base64") };
  expect(() => messageParts({ text: "", images: [svg] })).toThrow(
    "images.0: is not a PNG, JPEG, GIF or WebP image",
  );
});

test("limits the size of each image and file, and the total size and the number of attachments", () => {
  const png = Buffer.from(samplePng, "base64");
  const padded = (bytes: number) => Buffer.concat([png, Buffer.alloc(bytes - png.length)]);
  const image = (bytes: number) => ({ data: padded(bytes).toString("base64") });
  const five = 5 * 1024 * 1024;
  expect(messageParts({ text: "", images: Array(4).fill(image(five)) }).attached).toHaveLength(4);
  const problemOf = (message: Parameters<typeof messageParts>[0]) => {
    try {
      messageParts(message);
    } catch (error) {
      return error;
    }
  };
  expect(problemOf({ text: "", images: [image(five + 3)] })).toMatchObject({
    code: "invalid_input",
    message: expect.stringContaining("larger than 5 MiB"),
  });
  expect(problemOf({ text: "", images: Array(5).fill(image(five)) })).toMatchObject({
    code: "too_large",
  });
  const umlauts = { name: "a.txt", text: "ü".repeat(600 * 1024) };
  expect(problemOf({ text: "", files: [umlauts] })).toMatchObject({ code: "too_large" });
  const many = Array(11).fill({ name: "a.txt", text: "" });
  const images = Array(11).fill({ data: samplePng });
  expect(problemOf({ text: "", files: many, images })).toMatchObject({ code: "invalid_input" });
});
