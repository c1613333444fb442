/** The highlight's name in the style sheet. */
const NAME = "found";

/** The maximum time to wait until the transcript shows the event's item, in milliseconds. */
const PATIENCE_MS = 3000;

/**
 * Marks words in an event's transcript item as soon as the item is loaded, and opens the item if it is folded. Uses the
 * browser's highlight API, which does not change elements. A browser without this API only shows the position. Returns
 * a function that removes the marks.
 */
export function showWords(document: Document, words: string, seq: number | undefined): () => void {
  if (seq === undefined || words.trim() === "") return () => {};
  let frame = 0;
  const started = performance.now();
  const attempt = () => {
    const item = document.querySelector<HTMLElement>(".item.target");
    const isThere = item !== null && Number(item.dataset.seq) <= seq;
    if (!isThere && performance.now() - started < PATIENCE_MS)
      frame = requestAnimationFrame(attempt);
    else if (item) mark(item, words);
  };
  attempt();
  return () => {
    cancelAnimationFrame(frame);
    if ("highlights" in CSS) CSS.highlights.delete(NAME);
  };
}

function mark(item: HTMLElement, words: string): void {
  for (const fold of item.querySelectorAll("details")) fold.open = true;
  if (!("highlights" in CSS)) return;
  const ranges: Range[] = [];
  const wanted = words.toLowerCase().replaceAll('"', "").split(/\s+/).filter(Boolean);
  const walker = document.createTreeWalker(item, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    for (const word of wanted) ranges.push(...rangesOf(node, word));
  CSS.highlights.set(NAME, new Highlight(...ranges));
  ranges[0]?.startContainer.parentElement?.scrollIntoView({ block: "center" });
}

function rangesOf(node: Node, word: string): Range[] {
  const text = node.textContent?.toLowerCase() ?? "";
  const ranges: Range[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    const range = new Range();
    range.setStart(node, at);
    range.setEnd(node, at + word.length);
    ranges.push(range);
  }
  return ranges;
}
