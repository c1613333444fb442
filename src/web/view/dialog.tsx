import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useApp } from "./context.ts";
import { Icon } from "./icon.tsx";

/** Shows a modal dialog. The browser keeps the focus inside the dialog. */
export function Dialog({ title, children }: { title: string; children: ComponentChildren }) {
  const { dialog } = useApp();
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => place.current?.showModal(), []);
  const close = () => dialog.set(undefined);
  return (
    <dialog
      ref={place}
      aria-label={title}
      onClose={close}
      onClick={(event) => {
        if (event.target === place.current) close();
      }}
      onKeyDown={() => {}}
    >
      <div class="dialog">
        <header>
          <h2>{title}</h2>
          <button type="button" class="quiet icon" aria-label="Close" onClick={close}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  );
}
