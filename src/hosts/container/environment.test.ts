import { expect, test } from "vitest";
import { containerEnvironment } from "./environment.ts";

test("passes keys and the language to a container, but not this machine's directories and proxies", () => {
  const env = {
    PATH: "/usr/bin",
    HOME: "/home/me",
    LANG: "de_DE.UTF-8",
    OPENAI_API_KEY: "sk-1",
    ANTHROPIC_BASE_URL: "https://gateway.example",
    GOOGLE_TOKEN: "/home/me/token.json",
    CODEX_HOME: "/home/me/.codex",
    HTTPS_PROXY: "http://127.0.0.1:3128",
  };
  expect(containerEnvironment(env)).toEqual({
    PATH: "(elsewhere)",
    LANG: "de_DE.UTF-8",
    OPENAI_API_KEY: "sk-1",
    ANTHROPIC_BASE_URL: "https://gateway.example",
  });
});
