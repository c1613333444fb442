import { isSecretName } from "./redaction.ts";

type Values = Readonly<Record<string, unknown>>;

/** The keys among these variables or options, and in every environment and all headers further down in them. */
export function secretsIn(values: Values): string[] {
  return [...secretValues(values), ...secretsBelow(values, DEEP_ENOUGH)];
}

/** Where the MCP servers of an SDK's options have their environment. */
const DEEP_ENOUGH = 5;

function secretsBelow(values: Values, levels: number): string[] {
  if (levels === 0) return [];
  return Object.entries(values).flatMap(([name, value]) => {
    if (!isPlain(value)) return [];
    const own = isEnvironment(name) ? secretValues(value) : [];
    return [...own, ...secretsBelow(value, levels - 1)];
  });
}

function secretValues(values: Values): string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    typeof value === "string" && isSecretName(name) ? [value.replace(SCHEME, "")] : [],
  );
}

/** What stands before a key in a header is no secret. */
const SCHEME = /^(bearer|basic|token)\s+/i;

function isEnvironment(name: string): boolean {
  return name === "env" || name === "environment" || name.endsWith("headers");
}

/** What is no data, such as an SDK's own objects, is not looked into. */
function isPlain(value: unknown): value is Values {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
