import { Icon } from "./icon.tsx";

/** Links to the board on a phone, where the board is not beside the view. */
export function BackLink() {
  return (
    <a class="quiet icon back" href="#/" aria-label="All sessions">
      <Icon name="back" />
    </a>
  );
}
