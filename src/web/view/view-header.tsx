import type { ComponentChildren } from "preact";
import { BackLink } from "./back-link.tsx";

/** Shows a view's title, aligned with its content. */
export function ViewHeader({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <header class="view-header">
      <BackLink />
      <h1>{title}</h1>
      {children}
    </header>
  );
}
