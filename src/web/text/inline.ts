/** A part of a Markdown line. */
export type Inline =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "code"; readonly text: string }
  | { readonly kind: "strong" | "emphasis" | "strike"; readonly parts: readonly Inline[] }
  | { readonly kind: "link"; readonly href: string; readonly parts: readonly Inline[] };

const TOKEN = new RegExp(
  [
    /(?<ticks>`+)(?<code>[\s\S]*?[^`])\k<ticks>(?!`)/,
    /!?\[(?<label>[^\]\n]*)\]\((?<href>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+"[^"\n]*")?\)/,
    /\*\*(?<strong>(?=\S)[\s\S]*?\S)\*\*/,
    /~~(?<strike>(?=\S)[\s\S]*?\S)~~/,
    /(?<![\w*])\*(?<star>(?=\S)[^*\n]*?\S)\*(?![\w*])/,
    /(?<![\w_])_(?<line>(?=\S)[^_\n]*?\S)_(?![\w_])/,
    /(?<url>https?:\/\/[^\s<>"'`)\]]*[^\s<>"'`)\].,;:!?])/,
    /\\(?<escaped>[\\`*_{}[\]()#+\-.!|~>])/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "g",
);

/** Parses emphasis, code and links. Links to anything other than web pages and mail addresses are shown as text. */
export function parseInline(text: string, depth = 0): Inline[] {
  if (depth > MAX_DEPTH || text.length > MAX_LENGTH) return [{ kind: "text", text }];
  const parts: Inline[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const part = toPart(match.groups ?? {}, match[0], depth);
    if (match.index > end) parts.push({ kind: "text", text: text.slice(end, match.index) });
    parts.push(part);
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ kind: "text", text: text.slice(end) });
  return parts;
}

/** Returns the text of a Markdown line without its marks. */
export function plainText(text: string): string {
  return parseInline(text).map(textOf).join("");
}

function textOf(part: Inline): string {
  return "text" in part ? part.text : part.parts.map(textOf).join("");
}

const MAX_DEPTH = 6;

/**
 * The maximum length of a paragraph that is parsed. A longer paragraph is data rather than prose and is shown
 * unchanged.
 */
const MAX_LENGTH = 20_000;

function toPart(groups: Partial<Record<string, string>>, whole: string, depth: number): Inline {
  const { code, label, href, strong, strike, url, escaped } = groups;
  const emphasis = groups.star ?? groups.line;
  if (code !== undefined) return { kind: "code", text: code.trim() };
  if (strong !== undefined) return { kind: "strong", parts: parseInline(strong, depth + 1) };
  if (strike !== undefined) return { kind: "strike", parts: parseInline(strike, depth + 1) };
  if (emphasis !== undefined) return { kind: "emphasis", parts: parseInline(emphasis, depth + 1) };
  if (url !== undefined) return { kind: "link", href: url, parts: [{ kind: "text", text: url }] };
  if (escaped !== undefined) return { kind: "text", text: escaped };
  if (href !== undefined && isSafe(href))
    return { kind: "link", href, parts: parseInline(label || href, depth + 1) };
  return { kind: "text", text: href !== undefined && label ? `${label} (${href})` : whole };
}

function isSafe(href: string): boolean {
  return /^(https?:\/\/|mailto:)/i.test(href);
}
