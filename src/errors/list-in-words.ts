/** Joins names in a sentence: `a`, `a or b`, `a, b or c`. */
export function listInWords(names: Iterable<string>, word: "and" | "or"): string {
  const type = word === "and" ? "conjunction" : "disjunction";
  return new Intl.ListFormat("en-GB", { type }).format(names); // "en-US" adds a comma before the word
}
