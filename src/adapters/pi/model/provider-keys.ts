import { type Environment, variablesIn } from "../../../programs/environment.ts";

/** The variables that contain the keys for Pi's providers. If a provider has two variables, Pi prefers the later one. */
export const providerKeys: readonly (readonly [provider: string, variable: string])[] = [
  ["anthropic", "ANTHROPIC_API_KEY"],
  ["anthropic", "ANTHROPIC_OAUTH_TOKEN"],
  ["openai", "OPENAI_API_KEY"],
  ["deepseek", "DEEPSEEK_API_KEY"],
  ["google", "GEMINI_API_KEY"],
  ["groq", "GROQ_API_KEY"],
  ["cerebras", "CEREBRAS_API_KEY"],
  ["xai", "XAI_API_KEY"],
  ["openrouter", "OPENROUTER_API_KEY"],
  ["vercel-ai-gateway", "AI_GATEWAY_API_KEY"],
  ["zai", "ZAI_API_KEY"],
  ["mistral", "MISTRAL_API_KEY"],
  ["minimax", "MINIMAX_API_KEY"],
  ["moonshotai", "MOONSHOT_API_KEY"],
  ["huggingface", "HF_TOKEN"],
  ["fireworks", "FIREWORKS_API_KEY"],
  ["together", "TOGETHER_API_KEY"],
  ["opencode", "OPENCODE_API_KEY"],
  ["kimi-coding", "KIMI_API_KEY"],
];

/** Returns the provider keys in an environment, by variable. */
export function keysIn(env: Environment): Record<string, string> {
  return variablesIn(
    env,
    providerKeys.map(([, variable]) => variable),
  );
}
