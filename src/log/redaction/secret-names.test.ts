import { expect, test } from "vitest";
import { isSecretName } from "./secret-names.ts";

test.each([
  ...["ANTHROPIC_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD", "aws_secret", "Authorization", "GH_PAT"],
  ...["MYSQL_PWD", "PGPASSWORD", "SENTRY_DSN", "REDIS_PASS", "GOOGLE_CREDENTIALS", "npm_auth"],
  ...["apiKey", "x-api-key", "OPENAI_KEY_2", "SECRET_KEY_BASE", "--access-token", "MY_PASSWD"],
  ...["TOKEN_GITHUB", "DB_PASS_PROD", "API_KEY_LIVE", "SSH_PRIVATE_KEY_BASE64", "accessKeyProd"],
  ...["password", "passwd", "token1", "Cookie", "PROXY_AUTH", "dbPassword", "OPENAI_APIKEY"],
])("recognizes %s as the name of a secret", (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each([
  ...["PATH", "KEYBOARD", "TOKENIZERS_PARALLELISM", "PWD", "OLDPWD", "HOME", "PATTERN", "COMPASS"],
  ...["TOKEN_FILE", "AWS_ACCESS_KEY_ID", "API_KEY_URL", "TOKEN_LIMIT", "KEY_REPEAT_RATE"],
  ...["AUTHOR", "KEYMAP", "DATABASE_URL", "MONKEY_SEE", "SSH_CONNECTION", "PASSENGER", "DISPATCH"],
])("does not treat %s as the name of a secret", (name) => {
  expect(isSecretName(name)).toBe(false);
});
