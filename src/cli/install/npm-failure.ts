/**
 * Explains an npm failure from npm's standard error, with advice if the error code is known. Returns undefined if the
 * output contains no error.
 */
export function explainNpmFailure(output: string): string | undefined {
  const lines = output
    .split("\n")
    .filter((line) => line.startsWith("npm error"))
    .map((line) => line.replace(/^npm error ?/, "").trim())
    .filter((line) => line !== "" && !NOISE.test(line));
  if (lines.length === 0) return undefined;
  const code = lines.map((line) => /^code (\S+)$/.exec(line)?.[1]).find(Boolean);
  const message = [...new Set(lines)].filter((line) => !/^(?:code|errno|syscall) /.test(line));
  const advice = Object.entries(adviceFor).find(([codes]) => codes.split(" ").includes(code ?? ""));
  const excerpt = [...(code === undefined ? [] : [code]), ...message.slice(0, MAX_LINES)].join(
    "\n",
  );
  return advice === undefined ? excerpt : `${advice[1]}\n${excerpt}`;
}

const MAX_LINES = 6;
const NOISE =
  /^A complete log of this run|^(?:network|notsup|404)? ?(?:This is a problem related to|In most cases you are behind|'proxy' config|Note that you can also install|tarball, folder)/;

const adviceFor: Readonly<Record<string, string>> = {
  "ENOTFOUND EAI_AGAIN ECONNREFUSED ECONNRESET ENETUNREACH EHOSTUNREACH ETIMEDOUT ERR_SOCKET_TIMEOUT EIDLETIMEOUT":
    'The npm registry cannot be reached. Check the network, the proxy and "npm config get registry".',
  EINTEGRITY:
    'A package is not the one that Halyard was tested with: its hash differs from the lockfile. Nothing was installed. Check "npm config get registry".',
  "E401 E403": 'The npm registry denied access. Check "npm config get registry" and "npm whoami".',
  E404: 'The npm registry does not have the package. Check "npm config get registry".',
  EUSAGE: 'The npm registry or npm\'s settings do not match the lockfile. Check "npm config list".',
};
