import { z } from "zod";

/** An image that a model received. */
export interface ReceivedImage {
  readonly mediaType: string;
  /** The content as base64. */
  readonly data: string;
}

const Anthropic = z
  .looseObject({
    type: z.literal("image"),
    source: z.looseObject({ media_type: z.string(), data: z.string() }),
  })
  .transform(({ source: { media_type: mediaType, data } }) => ({ mediaType, data }));

const OpenAi = z
  .looseObject({
    type: z.enum(["image_url", "input_image"]),
    image_url: z.union([
      z.string(),
      z.looseObject({ url: z.string() }).transform(({ url }) => url),
    ]),
  })
  .transform(({ image_url }) => {
    const [, mediaType = "", data = ""] = /^data:([^;]+);base64,(.*)$/s.exec(image_url) ?? [];
    return { mediaType, data };
  });

const Image = z.union([Anthropic, OpenAi]);

/** Returns the images in a model request's body, in the format of any of the three APIs. */
export function imagesIn(body: unknown): ReceivedImage[] {
  const { data: image } = Image.safeParse(body);
  if (image !== undefined) return [image];
  if (typeof body !== "object" || body === null) return [];
  return Object.values(body).flatMap(imagesIn);
}
