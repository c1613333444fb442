/**
 * The tests that prove four or more requirements: file, title, ids. A test that proves up to three names them in its
 * title instead.
 */
export const proofTable: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  "src/adapters/opencode/routes.real.test.ts": {
    "starts a server and checks its health first": [
      "s3.server.health",
      "s2.endpoint.health",
      "s2.endpoint.events",
    ],
    "creates, prompts, aborts and resumes a session over HTTP": [
      "s2.d1.http-operations",
      "s2.endpoint.session-create",
      "s2.endpoint.session-get",
      "s3.protocol.prompt-async",
      "s3.protocol.sse",
      "s2.endpoint.abort",
      "s3.executor.cancel",
    ],
  },
  "src/adapters/terminal/index.test.ts": {
    "a program without a prompt is ready after a delay, and messages are typed again until it reacts":
      [
        "s1.config.registry-ready",
        "s1.readiness.warmup",
        "s1.readiness.attempt",
        "s1.readiness.backoff",
      ],
  },
  "src/compat/gas-town/cli/gt.test.ts": {
    "passes the runtime to gt as --agent: %j": [
      "s1.cli.start-runtime",
      "s1.cli.sling-runtime",
      "s1.cli.crew-runtime",
      "s1.cli.polecat-runtime",
      "s1.cli.witness-runtime",
      "s1.cli.refinery-runtime",
    ],
  },
  "src/config/resolve-runtime.test.ts": {
    "chooses the runtime by the entry of the agent, the defaults, then pi": [
      "s4.resolve.per-agent",
      "s4.resolve.defaults",
      "s4.resolve.pi",
      "s4.plan.hierarchy",
    ],
  },
  "src/compat/oubliette/executor.test.ts": {
    "yields errors separately from events, and the exit code at the end": [
      "s0.streaming.errors",
      "s3.executor.errors",
      "s0.streaming.wait",
      "s3.executor.wait",
    ],
    "can be closed repeatedly at any time, and stops all processes": [
      "s0.streaming.close",
      "s3.executor.close",
      "s0.streaming.is-closed",
      "s3.executor.is-closed",
    ],
  },
  "src/compat/gas-town/tmux.real.test.ts": {
    "launches, becomes ready, and confirms a message with a receipt": [
      "s1.start-options.mode",
      "s1.claude.launch-tmux",
      "s1.claude.prompt-readiness",
      "s1.open.codex-ready",
      "s1.message.delivery-tmux",
      "s1.ari.is-ready",
      "s1.ari.detect-running",
      "s1.ari.list-sessions",
    ],
  },
  "src/compat/openclaw/pi-runtime.test.ts": {
    "a run returns the result of its Pi session on the requested model": [
      "s4.pi.create",
      "s4.pi.thin",
      "s4.plan.wraps-pi",
      "s4.params.provider-model",
    ],
  },
  "src/compat/openclaw/factory.test.ts": {
    "returns the runtime of the entry of the agent": [
      "s4.test.per-agent",
      "s4.factory.create",
      "s4.interface.kind",
      "s4.interface.display-name",
      "s4.migration.opt-in-code",
    ],
  },
  "src/compat/openclaw/tool-log.test.ts": {
    "logs tools with their names and the context": [
      "s4.tool-log.central",
      "s4.tool-log.start",
      "s4.tool-log.result",
      "s4.test.logs-start",
      "s4.test.logs-result",
      "s4.test.log-context",
    ],
  },
  "src/hooks/native.real.test.ts": {
    "adds the data of Claude's own hooks to the start and stop and delivers each event once": [
      "s1.hooks.native-mapping",
      "s1.claude.settings-hooks",
      "s1.hooks.payload-data",
      "s1.open.hook-origin",
    ],
  },
  "src/hooks/delivery.test.ts": {
    "delivers the events of a session in the payload format of seed 001": [
      "s1.hooks.session-start",
      "s1.hooks.session-stop",
      "s1.hooks.on-message",
      "s1.hooks.on-error",
      "s1.hooks.payload",
    ],
  },
  "src/testing/compat-suite/oubliette.ts": {
    "streams messages, then the completion, and runs another turn": [
      "s0.streaming.lifecycle",
      "s0.runtime.initialize-ready",
      "s0.runtime.execute-streaming",
      "s3.runtime.execute-streaming",
      "s0.streaming.send-message",
      "s3.executor.send-message",
    ],
    "cancels the running turn and then ends": [
      "s0.streaming.cancel-closes-done",
      "s0.streaming.cancel",
      "s0.streaming.done",
      "s3.executor.done",
    ],
    "answers a ping while a session is open, and closes the session": [
      "s0.runtime.ping",
      "s3.runtime.ping",
      "s0.health.ping",
      "s2.d5.ping",
      "s0.runtime.close",
      "s3.runtime.close",
    ],
  },
  "src/testing/compat-suite/gas-town.ts": {
    "launches a session with the variables of its role and directory": [
      "s1.ari.start",
      "s1.start-options.work-dir",
      "s1.start-options.runtime-name",
      "s1.start-options.env",
      "s1.start-options.initial-prompt",
      "s1.env.gt-session-id",
      "s1.env.gt-role",
      "s1.env.gt-rig",
      "s1.env.gt-polecat",
      "s1.env.bd-actor",
      "s1.env.gt-workdir",
    ],
    "returns a serializable handle that another process can use": [
      "s1.handle.fields",
      "s1.handle.plain-data",
      "s1.ari.resume",
      "s1.ari.send-message",
      "s1.message.text",
      "s1.ari.stop",
    ],
  },
  "src/testing/compat-suite/openclaw.ts": {
    "runs a turn, calls the callbacks in order, and returns the documented result": [
      "s4.interface.run",
      "s4.test.result-structure",
      "s4.test.callback-order",
      "s4.callbacks.partial-reply",
      "s4.callbacks.block-reply",
      "s4.callbacks.agent-event",
      "s4.result.reply",
      "s4.result.usage",
      "s4.result.meta",
      "s4.params.core",
      "s4.params.workspace-dir",
      "s4.params.provider-model",
    ],
  },
  "src/testing/halyard/turns.ts": {
    "streams its events and ends with one completion": [
      "s3.events.completion",
      "s0.events.completion",
      "s2.scope.streaming-first",
      "s0.events.message",
    ],
    "runs a tool that writes a file": [
      "s0.events.tool-call",
      "s0.events.tool-result",
      "s3.events.tool-call",
      "s3.events.tool-result",
    ],
  },
  "src/adapters/exchange.real.test.ts": {
    "records the runtime's session id and resumes the runtime's session with it": [
      "s2.d4.droid-id",
      "s0.droid.session-id",
      "s2.d4.opencode-id",
      "s0.opencode.continuation",
    ],
  },
  "src/mcp/mcp.test.ts": {
    "project_options returns runtimes, limits and models without keys": [
      "s0.options.runtimes",
      "s0.options.agent-runtimes",
      "s2.config.project-options",
      "s2.d6.keys-stay-private",
    ],
  },
  "src/adapters/droid/command.test.ts": {
    "uses JSON-RPC in both directions and adds the flags for %j": [
      "s0.droid.json-rpc",
      "s0.droid.skip-permissions",
      "s2.d3.droid-flag",
      "s2.d7.droid-use-spec",
    ],
  },
  "src/hosts/container/docker.containers.test.ts": {
    "the OpenCode server runs in the container": [
      "s0.opencode.container-server",
      "s0.opencode.loopback-client",
      "s2.d1.starts-with-container",
      "s2.d1.loopback-in-container",
      "s2.d1.stops-with-container",
      "s3.server.per-container",
    ],
  },
  "src/compat/gas-town/registry.real.test.ts": {
    "works in mode %s with only the parameters of the seed, without a person": [
      "s1.config.registry-file",
      "s1.config.registry-bin",
      "s1.config.registry-ready",
      "s1.config.registry-delivery",
      "s1.config.registry-example",
      "s1.claude.launch-minimal",
      "s1.claude.settings-hooks",
      "s1.codex.readiness",
      "s1.codex.hook-wrapper",
      "s1.codex.delivery",
    ],
  },
};
