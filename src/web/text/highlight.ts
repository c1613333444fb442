/** A part of a code text. `kind` is undefined for text that has none of these kinds. */
export interface CodePart {
  readonly kind?: "comment" | "string" | "number" | "keyword";
  readonly text: string;
}

/**
 * Splits code into comments, strings, numbers, keywords and other text, with one approximate grammar for all languages.
 * Returns a single part if the language is plain text or the code is longer than 50,000 characters.
 */
export function highlight(text: string, language: string): CodePart[] {
  const name = language.toLowerCase();
  if (text.length > MAX_LENGTH || plain.has(name)) return [{ text }];
  const pattern = hashComments.has(name) ? withHash : withSlashes;
  const parts: CodePart[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const kind = kinds.find((one) => match.groups?.[one] !== undefined);
    if (match.index > end) parts.push({ text: text.slice(end, match.index) });
    parts.push({ text: match[0], ...(kind && { kind }) });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

const MAX_LENGTH = 50_000;

const kinds = ["comment", "string", "number", "keyword"] as const;

const plain = new Set(["", "text", "txt", "plain", "console", "log", "output", "diff", "patch"]);

const hashComments = new Set(
  "sh,bash,zsh,shell,python,py,ruby,rb,yaml,yml,toml,make,makefile,dockerfile,perl,r,ini,conf".split(
    ",",
  ),
);

const keywords =
  "abstract|and|as|async|await|break|case|catch|class|const|continue|def|default|defer|del|delete|do|done|elif|else|elsif|end|enum|esac|except|export|extends|false|fi|final|finally|fn|for|from|func|function|go|if|impl|implements|import|in|instanceof|interface|is|let|match|mod|module|mut|new|nil|none|None|not|null|or|package|pass|private|protected|pub|public|raise|readonly|return|self|static|struct|super|switch|then|this|throw|trait|true|True|False|try|type|typeof|undefined|use|var|void|where|while|with|yield";

const rest = String.raw`(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|${"`"}(?:[^${"`"}\\]|\\[\s\S])*${"`"})|(?<number>\b(?:0x[\da-fA-F]+|\d+(?:\.\d+)?)\b)|(?<keyword>\b(?:${keywords})\b)`;

const withSlashes = new RegExp(
  String.raw`(?<comment>\/\/.*|\/\*[\s\S]*?(?:\*\/|$)|<!--[\s\S]*?-->)|${rest}`,
  "g",
);

const withHash = new RegExp(String.raw`(?<comment>(?<=^|\s)#.*)|${rest}`, "gm");
