import { expect } from "vitest";
import { newTurnId } from "../../errors/require-id.ts";
import { samplePng } from "../sample-image.ts";
import type { AdapterTest } from "./adapter-test.ts";
import { assistantTexts } from "./conversation.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";

/** Tests the capability `images`. */
export function describeImages(test: AdapterTest, { encodesImages }: RuntimeUnderTest): void {
  test("sends an image to the model with its message", async ({ shared }) => {
    const { model, conversation } = shared;
    model.on("look", { text: "One pixel." });
    const from = conversation.drafts.length;
    const image = { data: samplePng, mediaType: "image/png", name: "dot.png" } as const;
    const turnId = newTurnId();
    await conversation.connection.send({ turnId, text: "look at this", images: [image] });
    const { drafts, end } = await conversation.finishedTurn(from);
    expect(end).toMatchObject({ status: "completed" });
    expect(assistantTexts(drafts)).toEqual(["One pixel."]);
    const [received, ...others] = model.images;
    expect([received?.mediaType, others]).toEqual(["image/png", []]);
    const data = received?.data ?? "";
    expect(encodesImages ? headerOf(data) : data).toBe(
      encodesImages ? headerOf(samplePng) : samplePng,
    );
  });
}

/** Returns the header of a PNG image, with its size and color type. */
function headerOf(data: string): string {
  return Buffer.from(data, "base64").subarray(0, 29).toString("hex");
}
