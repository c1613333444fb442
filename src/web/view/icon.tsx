/** The icons' outlines, on a 16 by 16 grid. */
const outlines = {
  back: "M10 3 5 8l5 5",
  changes: "M8 2.5v6M5 5.5h6M5 12.5h6",
  close: "m4 4 8 8m0-8-8 8",
  copy: "M5.5 5.5v-2a1 1 0 0 1 1-1h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-2M3.5 5.5h6a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1h-6a1 1 0 0 1-1-1v-6a1 1 0 0 1 1-1z",
  down: "M8 3v10M4 9l4 4 4-4",
  find: "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.5 10.5l3 3",
  help: "M6 6a2 2 0 1 1 3 1.7c-.7.4-1 .8-1 1.6M8 11.8v.1M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13z",
  link: "M6.5 9.5 9.5 6.5M7 4.5l1.3-1.3a3 3 0 0 1 4.3 4.3L11.2 9M9 11.5l-1.3 1.3a3 3 0 0 1-4.3-4.3L4.8 7",
  more: "M3.5 8h.01M8 8h.01M12.5 8h.01",
  screen:
    "M2.5 3.5h11a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zM4.5 6.5 6.5 8l-2 1.5M8 9.8h3",
  settings:
    "M2 4.5h6M12 4.5h2M2 11.5h2M8 11.5h6M10 6.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6 13.5a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  "theme-auto": "M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12z",
  "theme-dark": "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z",
  "theme-light":
    "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1M8 13.5v1M1.5 8h1M13.5 8h1M3.4 3.4l.7.7M11.9 11.9l.7.7M12.6 3.4l-.7.7M4.1 11.9l-.7.7",
  up: "M8 13V3M4 7l4-4 4 4",
  usage: "M3 13.5v-4M8 13.5v-11M13 13.5v-7",
} as const;

export type IconName = keyof typeof outlines;

/** Shows a small outline icon in the text color. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg
      class={`icon-mark icon-${name}`}
      width="16"
      height="16"
      viewBox="0 0 16 16"
      aria-hidden="true"
    >
      <path d={outlines[name]} />
      {name === "theme-auto" && <path class="filled" d="M8 3v10a5 5 0 0 0 0-10z" />}
    </svg>
  );
}
