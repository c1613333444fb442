import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FILE_BYTES } from "../schema/attachment.ts";
import { temporaryDirectory } from "../testing/temporary-directory.ts";
import { attach } from "./attachments.ts";

test.each([
  [undefined, /^Cannot read the schema \S+: .+\. Check its path and permissions\.$/],
  [Buffer.from([0xff]), /^\S+ is not a JSON Schema: it is not text\. Correct the file/],
  ["[]", /^\S+ is not a JSON Schema: it is not an object\. Correct the file/],
  ["{", /^\S+ is not a JSON Schema: .*JSON.*\. Correct the file/],
  [" ".repeat(FILE_BYTES + 1), /^\S+ is larger than \d+ MiB, the limit for a schema\. Shorten it/],
])("rejects an unreadable, too large or malformed schema with advice", async (content, message) => {
  const path = join(await temporaryDirectory(), "schema.json");
  if (content !== undefined) await writeFile(path, content);
  await expect(attach("hi", { schema: path })).rejects.toMatchObject({
    message: expect.stringMatching(message),
  });
});

test.each(["", "root:x:0:0", "\x89PN"])(
  "rejects an image file with the content %j",
  async (content) => {
    const path = join(await temporaryDirectory(), "a.png");
    await writeFile(path, content, "latin1");
    await expect(attach("hi", { image: [path] })).rejects.toMatchObject({
      code: "invalid_input",
      message: `${path} is not a PNG, JPEG, GIF or WebP image. Convert it to PNG, or attach a text file with --file.`,
    });
  },
);

test("rejects an attached file that is not text with advice for attachments", async () => {
  const path = join(await temporaryDirectory(), "a.bin");
  await writeFile(path, Buffer.from([0xff]));
  await expect(attach("hi", { file: [path] })).rejects.toMatchObject({
    message: `${path} is not text. Attach an image with --image, or ask the agent to read the file.`,
  });
});
