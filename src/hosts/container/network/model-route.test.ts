import { expect, test } from "vitest";
import { routeTo } from "./model-route.ts";

test("passes the runtime a loopback address for the model, but no key", () => {
  const model = { id: "m", baseUrl: "https://gateway.example/v1", apiKey: "sk-secret" };
  const route = routeTo({ ...model, api: "openai-chat" }, { network: "none" });
  expect(route).toMatchObject({
    target: "https://gateway.example/v1",
    headers: { authorization: "Bearer sk-secret" },
    model: { id: "m", api: "openai-chat", apiKey: "kept-outside" },
  });
  expect(route?.model.baseUrl).toBe(`http://${route?.address}:4141/v1`);
  expect(route?.address).toMatch(/^127\.\d+\.\d+\.\d+$/);
  expect(routeTo({ ...model, apiKey: "sk-another" }, { network: "none" })?.name).not.toBe(
    route?.name,
  );
});

test("routes a key with an API to the vendor's endpoint", () => {
  expect(routeTo({ id: "m", api: "anthropic", apiKey: "k" }, { network: undefined })).toMatchObject(
    {
      target: "https://api.anthropic.com",
      headers: { "x-api-key": "k" },
    },
  );
});

test("sends the key in both headers if the API is unknown, and sends no header without a key", () => {
  const baseUrl = "http://127.0.0.1:8000";
  expect(routeTo({ id: "m", baseUrl, apiKey: "k" }, { network: "none" })?.headers).toEqual({
    "x-api-key": "k",
    authorization: "Bearer k",
  });
  expect(routeTo({ id: "m", baseUrl }, { network: "none" })?.headers).toEqual({});
});

test("opens no route for the runtime's own model, and rejects that model if the container has no network", () => {
  expect(routeTo({ id: "m" }, { network: undefined })).toBeUndefined();
  expect(routeTo(undefined, { network: "bridge" })).toBeUndefined();
  expect(() => routeTo({ id: "m" }, { network: "none" })).toThrow(/--base-url/);
});
