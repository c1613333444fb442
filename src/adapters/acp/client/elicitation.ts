import { z } from "zod";
import type { RequestDraft } from "../../../contracts/event-draft.ts";
import type { Answer, RequestOption } from "../../../schema/permission.ts";

const text = z.string().nullish().catch(undefined);
const Choices = z
  .array(z.looseObject({ const: z.string(), title: text, description: text }))
  .nullish()
  .catch(undefined);
const names = z.array(z.string()).nullish().catch(undefined);

/**
 * A field in a form. A choice is a name, or a value with a title. The choices of a field with several values are in
 * `items`.
 */
const Field = z.looseObject({
  type: z.string(),
  title: text,
  description: text,
  enum: names,
  oneOf: Choices,
  items: z.looseObject({ enum: names, anyOf: Choices }).nullish().catch(undefined),
});
type Field = z.infer<typeof Field>;

/** Parameters of `elicitation/create`: a form for the user of a session. */
export const Elicitation = z.looseObject({
  sessionId: z.string(),
  mode: z.literal("form"),
  message: z.string(),
  toolCallId: text,
  requestedSchema: z.looseObject({
    properties: z.record(z.string(), Field).nullish(),
    required: names,
  }),
});
export type Elicitation = z.infer<typeof Elicitation>;

/**
 * Builds the question draft for a form. If the form has one question with a single value, the choices are the options.
 * If the form has several questions, the text lists the questions, and there are no options. If the form has no fields,
 * the options are Accept and Decline.
 */
export function elicitationDraft(nativeId: string, form: Elicitation): RequestDraft {
  const questions = questionsOf(form);
  const [only, ...others] = questions;
  const lines = others.length > 0 ? questions.map(describe) : [];
  return {
    type: "request",
    nativeId,
    kind: "question",
    text: [form.message, ...lines].join("\n"),
    options: only === undefined ? yesOrNo : others.length > 0 ? [] : optionsOf(only),
  };
}

/**
 * Converts an answer to the result of `elicitation/create`. If the form has several questions, each line of the answer
 * belongs to one question. An undefined answer means that the request was cancelled.
 */
export function elicitationResult(form: Elicitation, answer: Answer | undefined): unknown {
  if (answer === undefined) return { action: "cancel" };
  if (answer.decision === "deny") return { action: "decline" };
  const questions = questionsOf(form);
  const reply = answer.optionId ?? answer.text ?? "";
  const replies = questions.length > 1 ? reply.split("\n") : [reply];
  const values = questions.flatMap((question, at) => valuesOf(question, replies[at]?.trim() ?? ""));
  return { action: "accept", content: Object.fromEntries(values) };
}

/** A question in a form. */
interface Question {
  readonly key: string;
  readonly field: Field;
  readonly choices: readonly Choice[];
  /** The text field for an answer that is not one of the choices. */
  readonly otherKey?: string;
}

interface Choice {
  readonly value: string | boolean;
  readonly label: string;
  readonly description?: string | null | undefined;
}

/** Returns the questions in a form. An optional text field after a field with choices belongs to the same question. */
function questionsOf({ requestedSchema: { properties, required } }: Elicitation): Question[] {
  const questions: Question[] = [];
  for (const [key, field] of Object.entries(properties ?? {})) {
    const choices = choicesOf(field);
    const last = questions.at(-1);
    const isFreeText = field.type === "string" && choices.length === 0 && !required?.includes(key);
    if (isFreeText && last && last.choices.length > 0 && last.otherKey === undefined)
      questions[questions.length - 1] = { ...last, otherKey: key };
    else questions.push({ key, field, choices });
  }
  return questions;
}

function choicesOf({ type, enum: own, oneOf, items }: Field): Choice[] {
  if (type === "boolean")
    return [
      { value: true, label: "Yes" },
      { value: false, label: "No" },
    ];
  const titled = oneOf ?? items?.anyOf;
  if (titled)
    return titled.map(({ const: value, title, description }) => ({
      value,
      label: title ?? value,
      description,
    }));
  return (own ?? items?.enum ?? []).map((value) => ({ value, label: value }));
}

function optionsOf({ field, choices }: Question): RequestOption[] {
  if (field.type === "array") return []; // an option represents one value only
  return choices.map(({ value, label, description }) => ({
    id: String(value),
    label: description ? `${label}: ${description}` : label,
    decision: "allow",
  }));
}

function describe({ key, field: { title, description, type }, choices }: Question): string {
  const labels = choices.map(({ label }) => label).join(" / ");
  const several = type === "array" ? "one or several of " : "";
  const name = [title, description].filter(Boolean).join(": ") || key;
  return labels === "" ? `- ${name}` : `- ${name} (${several}${labels})`;
}

/** Returns the fields that an answer sets. An empty answer sets none. */
function valuesOf(question: Question, reply: string): [key: string, value: unknown][] {
  if (reply === "") return [];
  const { key, field, choices, otherKey } = question;
  const parts = field.type === "array" ? reply.split(",").map((part) => part.trim()) : [reply];
  const chosen = parts.map((part) => choiceNamed(choices, part)?.value);
  if (otherKey !== undefined && chosen.includes(undefined)) return [[otherKey, reply]];
  const values = parts.map((part, at) => chosen[at] ?? toValue(field, part));
  return [[key, field.type === "array" ? values : values[0]]];
}

function choiceNamed(choices: readonly Choice[], name: string): Choice | undefined {
  const wanted = name.toLowerCase();
  return choices.find(({ value, label }) =>
    [String(value).toLowerCase(), label.toLowerCase()].includes(wanted),
  );
}

function toValue({ type }: Field, reply: string): string | number {
  const number = type === "number" || type === "integer" ? Number(reply) : Number.NaN;
  return Number.isNaN(number) ? reply : number;
}

/** The options for a form without fields. */
const yesOrNo: RequestOption[] = [
  { id: "accept", label: "Accept", decision: "allow" },
  { id: "decline", label: "Decline", decision: "deny" },
];
