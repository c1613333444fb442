import type { Racer } from "../../schema/workspace/race.ts";
import type { Console } from "../console/console.ts";
import { raceTable, resultOf } from "./race-table.ts";

/** Shows a race while it runs, on standard error. */
export interface RaceView {
  show(racers: readonly Racer[]): void;
  /** Removes the table, so that only the result stays on the console. */
  close(): void;
}

/** Creates a view that redraws a table on a console, and otherwise prints one line for each change. */
export function createRaceView({ err, canAnimate }: Console): RaceView {
  const write = (text: string) => void err.write(text).catch(() => {}); // the sink drops text if stderr is closed
  if (!canAnimate) return lineView(write);
  let height = 0;
  const clear = () => (height === 0 ? "" : `\x1b[${height}A\x1b[0J`);
  return {
    show(racers) {
      const lines = raceTable(racers, err.columns - 1);
      write(`${clear()}${lines.join("\n")}\n`);
      height = lines.length;
    },
    close() {
      write(clear());
      height = 0;
    },
  };
}

function lineView(write: (text: string) => void): RaceView {
  const shown = new Map<number, string>();
  return {
    show(racers) {
      for (const [index, racer] of racers.entries()) {
        const result = resultOf(racer);
        if (shown.get(index) === result || result === "waiting") continue;
        shown.set(index, result);
        write(`${racer.runtime}: ${result}${racer.sessionId ? ` (${racer.sessionId})` : ""}\n`);
      }
    },
    close() {},
  };
}
