import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { samplePng } from "../sample-image.ts";
import { collect, type OpenFixture, startFake } from "./fixture.ts";

const png = Buffer.from(samplePng, "base64");
const sha256 = createHash("sha256").update(png).digest("hex");
const attachment = { kind: "image", mediaType: "image/png", bytes: png.length, sha256 };

/** Tests messages with images and files. */
export function describeAttachments(open: OpenFixture): void {
  describe("attachments", () => {
    test("reach the runtime, and the log contains only their hashes", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send({ text: "images", images: [{ data: samplePng, name: "dot.png" }] });
      const events = await collect(turn);
      expect((await turn.outcome).text).toBe(`image/png:${sha256}`);
      const attachments = [{ ...attachment, name: "dot.png" }];
      expect(events).toContainEqual(
        expect.objectContaining({ subtype: "turn_started", data: { attachments } }),
      );
      expect(events).toContainEqual(
        expect.objectContaining({ type: "message", role: "user", text: "images", attachments }),
      );
      expect(JSON.stringify(events)).not.toContain(samplePng);
    });

    test("can be text files, whose text follows the message", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const files = [{ name: "a.txt", text: "first\nline" }];
      const { outcome } = session.send({ text: "say done", files });
      expect((await outcome).text).toBe('done\n\n<file name="a.txt">\nfirst\nline\n</file>');
    });

    test("are delivered with a queued message", async () => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const first = session.send("wait");
      const second = session.send({ text: "images", images: [{ data: samplePng }] });
      expect((await second.accepted).status).toBe("queued");
      await first.cancel();
      expect((await second.outcome).text).toBe(`image/png:${sha256}`);
    });

    test.each([
      [
        "an image in an unknown format",
        { images: [{ data: "aGVsbG8=" }] },
        "images.0: is not a PNG",
      ],
      ["an image that is not base64", { images: [{ data: "?" }] }, "images.0.data"],
      [
        "a file name that contains a directory",
        { files: [{ name: "../a", text: "" }] },
        "files.0.name",
      ],
    ])("with %s are rejected", async (_, attachments, message) => {
      await using fixture = await open();
      const session = await startFake(fixture);
      const turn = session.send({ text: "images", ...attachments });
      expect(await turn.accepted).toMatchObject({
        status: "failed",
        error: { code: "invalid_input", message: expect.stringContaining(message) },
      });
      expect((await session.send("images").outcome).text).toBe("none");
    });
  });
}
