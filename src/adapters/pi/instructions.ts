/** What goes behind Pi's own system prompt. */
export function addedInstructions(request: {
  readonly plan: boolean;
  readonly systemPrompt?: string | undefined;
}): string[] {
  const { plan, systemPrompt } = request;
  return [...(systemPrompt === undefined ? [] : [systemPrompt]), ...(plan ? [PLAN] : [])];
}

const PLAN =
  "You are to plan, not to act. Look at whatever helps, change nothing, and answer with a plan: what to do, " +
  "in which files, in which order, and how to tell that it worked.";
