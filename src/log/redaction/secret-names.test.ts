import { expect, test } from "vitest";
import { isSecretName } from "./secret-names.ts";

test.each([
  ...["ANTHROPIC_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD", "aws_secret", "Authorization", "GH_PAT"],
  ...["MYSQL_PWD", "PGPASSWORD", "SENTRY_DSN", "REDIS_PASS", "GOOGLE_CREDENTIALS", "npm_auth"],
  ...["apiKey", "x-api-key", "OPENAI_KEY_2", "SECRET_KEY_BASE", "--access-token", "MY_PASSWD"],
  ...["password", "passwd", "token1", "Cookie", "PROXY_AUTH", "dbPassword", "OPENAI_APIKEY"],
])("recognizes %s as the name of a secret", (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each([
  ...["PATH", "KEYBOARD", "TOKENIZERS_PARALLELISM", "PWD", "OLDPWD", "HOME", "PATTERN", "COMPASS"],
  ...["AUTHOR", "KEYMAP", "DATABASE_URL", "MONKEY_SEE", "SSH_CONNECTION", "PASSENGER", "DISPATCH"],
])("does not treat %s as the name of a secret", (name) => {
  expect(isSecretName(name)).toBe(false);
});
