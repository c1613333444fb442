/**
 * @typedef {object} Result The measurements of one subject; NaN if a measurement does not apply.
 * @property {string} name
 * @property {string} title
 * @property {boolean} isOurs
 * @property {number} rounds
 * @property {number} p50
 * @property {number} p99
 * @property {number} startMs
 * @property {number} tailMs
 * @property {number} longTailMs
 * @property {number} perSecond
 * @property {number} lost
 * @property {number} rssMb
 * @property {number} fannedPerSecond
 * @property {number} fannedLost
 * @property {number} coldMs
 *
 * @typedef {object} Figure
 * @property {string} title
 * @property {(result: Result) => string} show
 * @property {(result: Result) => number} rank Smaller is better.
 */

/**
 * Returns a Markdown table, and one sentence for each figure in which a peer is better than Halyard.
 * @param {readonly Result[]} results
 * @param {ReadonlyMap<string, number>} sizes
 * @param {ReadonlyMap<string, string>} missing
 * @param {{ node: string, cores: number, rounds: number }} machine
 */
export function toReport(results, sizes, missing, { node, cores, rounds }) {
  const figures = figuresWith(sizes);
  const head = ["", ...results.map(({ title }) => title)];
  const rows = figures.map(({ title, show }) => [title, ...results.map(show)]);
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  const behind = figures.flatMap((figure) => whereBehind(figure, results));
  const absent = [...missing].map(
    ([peer, reason]) => `- ${peer} could not be installed: ${reason}`,
  );
  return [
    ...lines,
    "",
    `Medians of ${rounds} alternating rounds, Node ${node}, ${cores} cores, the same agent for all.`,
    "The harness uses this machine as its sandbox. Its bridge alone forwards the output that our loop reads from the agent.",
    ...absent,
    "",
    behind.length > 0 ? "A peer is better in these cases:" : "No peer is better in any of these.",
    ...behind.map((sentence) => `- ${sentence}`),
  ].join("\n");
}

/**
 * @param {ReadonlyMap<string, number>} sizes
 * @returns {Figure[]}
 */
function figuresWith(sizes) {
  const sizeOf = (/** @type {Result} */ { name }) => sizes.get(name) ?? Number.NaN;
  return [
    {
      title: "agent's write → consumer, p50 / p99 ms",
      show: ({ p50, p99 }) => `${p50.toFixed(2)} / ${p99.toFixed(1)}`,
      rank: ({ p50 }) => p50,
    },
    {
      title: "events/s to one reader (lost)",
      show: ({ perSecond, lost }) => rate(perSecond, lost),
      rank: ({ perSecond, lost }) => (lost > 0 ? Number.POSITIVE_INFINITY : -perSecond),
    },
    {
      title: "events/s to ten readers together (lost by the worst)",
      show: ({ fannedPerSecond, fannedLost }) => rate(fannedPerSecond, fannedLost),
      rank: (result) =>
        result.fannedLost > 0 ? Number.POSITIVE_INFINITY : -result.fannedPerSecond,
    },
    { title: "end of a turn of 20 pieces, ms", ...inMs(({ tailMs }) => tailMs, 2) },
    { title: "end of a turn of 400 pieces, ms", ...inMs(({ longTailMs }) => longTailMs, 2) },
    { title: "until a session accepts prompts, ms", ...inMs(({ startMs }) => startMs, 0) },
    { title: "cold `--version`, ms", ...inMs(({ coldMs }) => coldMs, 0) },
    { title: "server with one session, MB", ...inMs(({ rssMb }) => rssMb, 0) },
    { title: "install, MB", ...inMs(sizeOf, 0) },
  ];
}

/**
 * @param {(result: Result) => number} value
 * @param {number} digits
 */
function inMs(value, digits) {
  const show = (/** @type {Result} */ result) => {
    const number = value(result);
    return Number.isNaN(number) ? "" : number.toFixed(digits);
  };
  return { show, rank: value };
}

/**
 * @param {number} perSecond
 * @param {number} lost
 */
function rate(perSecond, lost) {
  if (Number.isNaN(perSecond)) return "";
  const share = lost > 0 ? `**${(lost * 100).toFixed(0)} %**` : "none";
  return `${Math.round(perSecond / 1000)} k (${share})`;
}

/**
 * Compares the better of the two Halyard subjects with all peers except the plain pipe.
 * @param {Figure} figure
 * @param {readonly Result[]} results
 */
function whereBehind({ title, show, rank }, results) {
  const ours = best(
    results.filter(({ isOurs }) => isOurs),
    rank,
  );
  const peers = results.filter(({ isOurs, name }) => !isOurs && name !== "direct");
  if (ours === undefined) return [];
  const better = peers.filter((peer) => rank(peer) < rank(ours));
  if (better.length === 0) return [];
  const theirs = better.map((peer) => `${peer.title} ${show(peer)}`).join(", ");
  return [`${title}: ${theirs}; ours ${show(ours)}`];
}

/**
 * @param {readonly Result[]} results
 * @param {(result: Result) => number} rank
 */
function best(results, rank) {
  const known = results.filter((result) => !Number.isNaN(rank(result)));
  return [...known].sort((a, b) => rank(a) - rank(b))[0];
}
