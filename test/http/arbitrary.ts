import fc from "fast-check";

/** The part of JSON Schema that the OpenAPI document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
}

export interface ArbitraryOptions {
  readonly schemas: Readonly<Record<string, Schema>>;
  /** The arbitraries for properties with these names, which replace the arbitraries from the schema. */
  readonly known: Readonly<Record<string, fc.Arbitrary<unknown>>>;
}

/** Returns an arbitrary for the values that a schema allows. */
export function arbitraryOf(schema: Schema, options: ArbitraryOptions): fc.Arbitrary<unknown> {
  if (schema.$ref) {
    const target = options.schemas[schema.$ref.split("/").at(-1) ?? ""];
    if (target === undefined) throw new Error(`The schema ${schema.$ref} does not exist.`);
    return arbitraryOf(target, options);
  }
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => arbitraryOf(choice, options)));
  switch (schema.type) {
    case "string":
      if (schema.format === "uri") return fc.webUrl();
      if (schema.pattern) return fc.stringMatching(new RegExp(schema.pattern));
      return fc.string({ minLength: schema.minLength ?? 0, unit: "grapheme" });
    case "integer":
      return fc.integer({ min: schema.minimum ?? schema.exclusiveMinimum ?? -1000 });
    case "number":
      return fc.double({ min: schema.minimum ?? -1000, noNaN: true, noDefaultInfinity: true });
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(arbitraryOf(schema.items ?? {}, options), { maxLength: 3 });
    case "object":
      return objectOf(schema, options);
    default:
      return fc.jsonValue();
  }
}

function objectOf(schema: Schema, options: ArbitraryOptions): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties } = schema;
  if (typeof additionalProperties === "object") {
    const names = fc.string({ unit: "grapheme" });
    return fc.dictionary(names, arbitraryOf(additionalProperties, options), { maxKeys: 3 });
  }
  const model = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [
      name,
      options.known[name] ?? arbitraryOf(property, options),
    ]),
  );
  return fc.record(model, {
    requiredKeys: Object.keys(model).filter((key) => required.includes(key)),
  });
}
