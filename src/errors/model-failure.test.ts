import { expect, test } from "vitest";
import { errorInfo } from "./error.ts";
import { explainFailure, modelFailureCode } from "./model-failure.ts";

test.each([
  "Failed to authenticate. API Error: 401 fake 401",
  "unexpected status 401 Unauthorized: bad key, url: http://127.0.0.1:38027/v1/responses",
  "401 bad key",
  '401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
  "Incorrect API key provided: sk-…. You can find your API key at https://platform.openai.com.",
  "Error code: 401 - {'error': {'message': 'Invalid bearer token'}}",
  "Unauthorized", // the status text, if the response has no message
])("recognizes %j as a rejected key", (message) => {
  expect(modelFailureCode(message)).toBe("not_signed_in");
});

test.each([
  "There's an issue with the selected model (m-1). It may not exist or you may not have access to it.",
  "The model `m-1` does not exist or you do not have access to it.",
  '404 {"type":"error","error":{"type":"not_found_error","message":"model: m-1"}}',
  "unexpected status 404 Not Found: The model `m-1` does not exist",
  "ProviderModelNotFoundError: Model not found: anthropic/m-1",
])("recognizes %j as an unknown model", (message) => {
  expect(modelFailureCode(message)).toBe("unknown_model");
});

test.each([
  "429 Too many requests",
  "API Error: 429 Rate limited",
  '429 {"type":"error","error":{"type":"rate_limit_error","message":"Slow down"}}',
  "You’ve hit your usage limit. Try again at 12:18 PM.",
  "You have hit your usage limit.",
  "You exceeded your current quota, please check your plan",
])("recognizes %j as a usage limit", (message) => {
  expect(modelFailureCode(message)).toBe("rate_limited");
});

test.each([
  "API Error: 529 overloaded",
  "the file model.ts was not found",
  "I could not read line 401",
])("does not classify %j", (message) => {
  expect(modelFailureCode(message)).toBeUndefined();
});

test("adds advice for a rejected key once: on the endpoint, or on the runtime's sign-in", () => {
  const draft = {
    type: "completion",
    status: "failed",
    error: errorInfo("agent_failed", "401 bad key"),
  } as const;
  const signIn = 'set OPENAI_API_KEY, or run "codex login"';
  const explained = explainFailure(draft, { signIn });
  const message = `401 bad key. The key or login was rejected: ${signIn}.`;
  expect(explained).toMatchObject({ error: { code: "not_signed_in", message } });
  expect(explainFailure(explained, { signIn })).toEqual(explained);
  const model = { id: "m", baseUrl: "http://127.0.0.1:1/v1" };
  expect(explainFailure(draft, { signIn, model })).toMatchObject({
    error: { message: expect.stringContaining("check the key for 127.0.0.1:1") },
  });
});
