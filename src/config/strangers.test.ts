import { expect, test } from "vitest";
import type { Config } from "./config.ts";
import { ModelsFile } from "./files/models.ts";
import { strangersIn } from "./strangers.ts";

const model = { id: "m", baseUrl: "http://theirs/v1", apiKey: "their-key" };

function config(isTrusted: boolean): Config {
  const { id, ...endpoint } = model;
  const value = ModelsFile.parse({ models: { theirs: { model: id, ...endpoint } } });
  return {
    models: { path: "/work/config/models.json", directory: "/work", isTrusted, value },
    factory: { path: "/work/config/factory.json", value: { api_key: "fk-theirs" } },
  };
}

test("an endpoint or an account of a directory that is not trusted is named, without its key", () => {
  const advice = "and /work is not trusted. If that is right: halyard trust /work";
  expect(strangersIn(config(false), "droid", model)).toEqual([
    `/work/config/models.json sends this session to http://theirs/v1, ${advice}`,
    `/work/config/factory.json signs Droid in with a key of its own, ${advice}`,
  ]);
});

test("what the user trusts, or chose elsewhere, is not worth a word", () => {
  expect(strangersIn(config(true), "droid", model)).toEqual([]);
  expect(strangersIn(config(false), "pi", { id: "m", baseUrl: "http://mine/v1" })).toEqual([]);
  expect(strangersIn({}, "droid", model)).toEqual([]);
});
