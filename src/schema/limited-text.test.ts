import { expect, test } from "vitest";
import { TEXT_BYTES } from "./constants.ts";
import { SendBody, StartBody } from "./http/http.ts";
import { RaceRequest } from "./workspace/race.ts";

const fields = [
  ["the prompt of a start", StartBody.shape.prompt],
  ["a message", SendBody.shape.input],
  ["the prompt of a race", RaceRequest.shape.prompt],
  ["the check of a race", RaceRequest.shape.check],
] as const;

test.each(fields)("limits %s to 8 MiB in bytes", (_, schema) => {
  const errors = (text: string) => schema.safeParse(text).error?.issues.map((one) => one.message);
  const tooLarge = ["the text is larger than 8 MiB; write it to a file and name the file instead"];
  expect(errors("a".repeat(TEXT_BYTES))).toBeUndefined();
  expect(errors("a".repeat(TEXT_BYTES + 1))).toEqual(tooLarge);
  expect(errors("é".repeat(TEXT_BYTES / 2))).toBeUndefined();
  expect(errors(`${"é".repeat(TEXT_BYTES / 2)}a`)).toEqual(tooLarge);
  expect(errors("🙂".repeat(TEXT_BYTES / 4))).toBeUndefined();
  expect(errors(`${"🙂".repeat(TEXT_BYTES / 4)}a`)).toEqual(tooLarge);
});
