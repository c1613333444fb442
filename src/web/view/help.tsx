import { keyHelp } from "../state/keys.ts";
import { Dialog } from "./dialog.tsx";

/** Lists the keys. */
export function Help() {
  return (
    <Dialog title="Keys">
      <dl class="keys">
        {keyHelp.map(([keys, what]) => (
          <div>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
