import { keyHelp } from "../state/keys.ts";
import { Dialog } from "./dialog.tsx";

/** Lists the keyboard shortcuts. */
export function Help() {
  return (
    <Dialog title="Keys">
      <dl class="keys">
        {keyHelp.map(([keys, what]) => (
          <div>
            <dt>
              {keys.split(" / ").map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
