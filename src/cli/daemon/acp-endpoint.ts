import { z } from "zod";
import type { AcpContext, ModelChoice } from "../../acp/context.ts";
import type { AcpEndpoint } from "../../acp/remote/acp-endpoint.ts";
import { loadConfig } from "../../config/load.ts";
import { homeDirectory } from "../../config/paths.ts";
import type { Halyard } from "../../contracts/halyard.ts";
import type { DaemonEndpoint } from "../../daemon/run.ts";
import { parseInput } from "../../errors/parse-input.ts";
import { ReasoningLevel } from "../../schema/model.ts";
import { PermissionPolicy } from "../../schema/permission.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import { namedModels } from "../acp/named-models.ts";
import { findAcpSdk } from "../install/acp-sdk.ts";
import { type EndpointOptions, lazyEndpoint } from "./lazy-endpoint.ts";

/**
 * The query parameters of `/acp`: the settings of sessions that the client starts. They have the same meaning as the
 * flags of `halyard acp`.
 */
const Query = z.strictObject({
  runtime: RuntimeName.optional(),
  model: z.string().min(1).optional(),
  reasoning: ReasoningLevel.optional(),
  /** The policy of new sessions, and also the loosest policy that the client can use. */
  permissions: PermissionPolicy.optional(),
  plan: z.stringbool().optional(),
});

/** Creates the daemon's `/acp` endpoint. Loads the ACP SDK when the first client connects. */
export function acpEndpoint(halyard: Halyard, options: EndpointOptions): DaemonEndpoint {
  return lazyEndpoint("/acp", () => load(halyard, options));
}

async function load(halyard: Halyard, options: EndpointOptions): Promise<AcpEndpoint> {
  const { console, version, log } = options;
  const { env } = console;
  const home = homeDirectory(env);
  const [sdk, { AcpEndpoint }, config] = await Promise.all([
    findAcpSdk(console),
    import("../../acp/remote/acp-endpoint.ts"),
    loadConfig({ env, cwd: home, home }),
  ]);
  const models = namedModels(config);
  const context = (query: URLSearchParams) => contextOf(halyard, query, { models, log });
  return new AcpEndpoint(sdk, { version, context });
}

function contextOf(
  halyard: Halyard,
  query: URLSearchParams,
  { models, log }: { readonly models: readonly ModelChoice[]; log(line: string): void },
): AcpContext {
  const request = parseInput(Query, Object.fromEntries(query));
  const { permissions } = request;
  return {
    halyard,
    startRequest: async (cwd) => ({ ...request, cwd }),
    resumeOptions: async () => ({}),
    ...(permissions !== undefined && { limit: permissions }),
    canReconnect: true,
    models,
    log: (line) => log(`acp: ${line}`),
  };
}
