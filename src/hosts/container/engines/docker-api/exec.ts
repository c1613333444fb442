import type { Socket } from "node:net";
import { z } from "zod";
import type { ExecCommand, InteractiveExec } from "../../../../contracts/container-engine.ts";
import { HalyardError } from "../../../../errors/error.ts";
import { type EngineConnection, unlessMissing } from "./connection.ts";
import { createDemultiplexer } from "./demultiplex.ts";

/** Starts a program in a container and connects to its standard streams. */
export async function startExec(
  engine: EngineConnection,
  container: string,
  { args, env = {}, cwd, user }: ExecCommand,
): Promise<InteractiveExec> {
  const { Id: id } = await engine.json(Created, {
    method: "POST",
    path: `/containers/${encodeURIComponent(container)}/exec`,
    body: {
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      Cmd: args,
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      ...(cwd !== undefined && { WorkingDir: cwd }),
      ...(user !== undefined && { User: user }),
    },
  });
  const { socket, head } = await engine.upgrade({
    method: "POST",
    path: `/exec/${id}/start`,
    body: { Detach: false, Tty: false },
  });
  return connected(engine, id, socket, head);
}

const Created = z.looseObject({ Id: z.string() });

function connected(
  engine: EngineConnection,
  id: string,
  socket: Socket,
  head: Buffer,
): InteractiveExec {
  const output = createDemultiplexer(() => socket.resume());
  const take = (bytes: Buffer): void => {
    if (!output.take(bytes)) socket.pause();
  };
  if (head.length > 0) take(head);
  socket.setNoDelay();
  socket.on("data", take);
  let isLeft = false;
  const exited = new Promise<number | undefined>((resolve, reject) => {
    socket.once("error", reject);
    socket.once("close", () => {
      output.end();
      if (!isLeft) exitCode(engine, id).then(resolve, reject);
    });
  });
  exited.catch(() => {}); // the caller that awaits the promise receives the error
  return {
    id,
    stdout: output.stdout,
    stderr: output.stderr,
    exited,
    write: (text) =>
      new Promise((resolve, reject) => {
        socket.write(text, (error) => (error ? reject(error) : resolve()));
      }),
    hold: () => void socket.ref(),
    unref: () => void socket.unref(),
    close() {
      isLeft = true;
      socket.destroy();
    },
  };
}

/**
 * Returns whether a program that `startExec` started is running, and its exit code. Returns undefined if the engine no
 * longer knows the program.
 */
export async function findExec(
  engine: EngineConnection,
  id: string,
): Promise<ExecState | undefined> {
  const state = await unlessMissing(
    engine.json(State, { method: "GET", path: `/exec/${id}/json` }),
  );
  return state && { running: state.Running, code: state.ExitCode ?? undefined };
}

export interface ExecState {
  readonly running: boolean;
  readonly code: number | undefined;
}

const State = z.looseObject({ Running: z.boolean(), ExitCode: z.number().nullish() });

/** Returns the exit code. Polls, because the connection can close shortly before the engine records the exit. */
async function exitCode(engine: EngineConnection, id: string): Promise<number | undefined> {
  for (let attempt = 0; attempt < 20; attempt++) {
    const state = await findExec(engine, id);
    if (state === undefined) return undefined;
    if (!state.running) return state.code;
    await new Promise((resolve) => setTimeout(resolve, 10 * attempt));
  }
  throw new HalyardError(
    "lost",
    "The container engine closed its connection to a program that is still running. Check that the engine is running, then resume the session.",
  );
}
