import type { EventDraft } from "../contracts/event-draft.ts";
import type { ErrorInfo } from "../schema/error.ts";
import type { ModelEndpoint } from "../schema/model.ts";
import { errorInfo } from "./error.ts";
import { sentence } from "./sentence.ts";

/**
 * Classifies a model error by its HTTP status, if the runtime reports it, and by the runtime's error message. Returns
 * undefined for any other error.
 */
export function modelFailureCode(
  message: string,
  status?: number,
): "not_signed_in" | "unknown_model" | "rate_limited" | undefined {
  if (status === 429 || USAGE_LIMIT.test(message)) return "rate_limited";
  if (status === 401 || WRONG_KEY.test(message)) return "not_signed_in";
  return UNKNOWN_MODEL.test(message) ? "unknown_model" : undefined;
}

const WRONG_KEY =
  /(?:^|status(?: code)?|error|http|code)[\s:("=]*401\b|\b401 unauthori[sz]ed|authentication[_ ](?:error|failed)|(?:invalid|incorrect|wrong|bad)[ _a-z-]{0,12}(?:api[ _-]?key|x-api-key|bearer token|access token)|invalid authentication|^unauthori[sz]ed\.?$/i;

const USAGE_LIMIT =
  /(?:^|status(?: code)?|error|http|code)[\s:("=]*429\b|\b429 too many requests|too many requests|rate[_ -]?limit(?:ed|[_ ](?:error|exceeded|reached|hit))|(?:hit|reached|exceeded) your (?:\w+ ){0,3}limit|usage limit (?:reached|exceeded)|usage_limit_reached|insufficient_quota|exceeded your current quota/i;

const UNKNOWN_MODEL =
  /model[_ ]not[_ ]found|unknown model|invalid model|no such model|issue with the selected model|\bmodel\b(?!\.\w).{0,100}\b(?:does not|doesn't|may not) exist|\bmodel\b(?!\.\w).{0,100}\b(?:not found|is not (?:available|supported|a valid model))|(?:not_found_error|404)\b.{0,60}\bmodel\b/is;

/** How the user can fix a model error. */
export interface Remedies {
  /** The variable to set or the command to run, as a sentence fragment. */
  readonly signIn?: string | undefined;
  readonly model?: ModelEndpoint | undefined;
}

/**
 * Replaces `agent_failed` with the code for a rejected key, an unknown model or a usage limit, if the runtime's message
 * shows one. Adds advice for a rejected key and an unknown model.
 */
export function explainFailure(draft: EventDraft, remedies: Remedies): EventDraft {
  if (draft.type === "error") return { ...draft, ...explain(draft, remedies) };
  if (draft.type !== "completion" || !draft.error) return draft;
  return { ...draft, error: explain(draft.error, remedies) };
}

function explain(error: ErrorInfo, remedies: Remedies): ErrorInfo {
  const { code, message } = error;
  const known = code === "agent_failed" ? modelFailureCode(message) : code;
  if (known === "not_signed_in" && !message.includes(SIGN_IN))
    return errorInfo(known, `${sentence(message)} ${SIGN_IN}: ${signInOf(remedies)}.`);
  if (known === "unknown_model" && !message.includes(MODEL))
    return errorInfo(known, `${sentence(message)} ${MODEL} ${nameOf(remedies)}.`);
  return known === "rate_limited" && code !== known ? errorInfo(known, message) : error;
}

const SIGN_IN = "The key or login was rejected";
const MODEL = "Choose a model other than";

function signInOf({ signIn, model }: Remedies): string {
  if (model?.baseUrl !== undefined)
    return `check the key for ${hostOf(model.baseUrl)} (HALYARD_API_KEY, --api-key-env, or apiKey in models.json or in the request)`;
  return signIn ?? "sign in to the runtime again";
}

function nameOf({ model }: Remedies): string {
  return model?.id === undefined ? "the runtime's default" : `"${model.id}"`;
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}
