/** The icons as SVG paths in a square of 24 × 24 units, drawn in the colour of the text around them. */
const PATHS = {
  brand: "M8 12a4 4 0 1 1 3.9 4.9L10 19H8v2H5v-3l4.2-4.2A4 4 0 0 1 8 12Zm6-1.5h.01",
  search: "M11 18a7 7 0 1 1 0-14 7 7 0 0 1 0 14Zm5-2 4 4",
  theme:
    "M12 3v2m0 14v2m9-9h-2M5 12H3m15.4-6.4L17 7M7 17l-1.4 1.4m12.8 0L17 17M7 7 5.6 5.6M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z",
  star: "m12 4 2.5 5 5.5.8-4 3.9.9 5.5-4.9-2.6-4.9 2.6.9-5.5-4-3.9 5.5-.8L12 4Z",
  install: "M12 4v10m0 0-4-4m4 4 4-4M5 19h14",
  remix:
    "M7 5a2 2 0 1 1 0 4 2 2 0 0 1 0-4Zm0 4v6m0 0a2 2 0 1 1 0 4 2 2 0 0 1 0-4Zm10-10a2 2 0 1 1 0 4 2 2 0 0 1 0-4Zm0 4c0 4-10 2-10 6",
  flag: "M6 21V4m0 1h11l-2.5 4L17 13H6",
  play: "M8 5v14l11-7L8 5Z",
  copy: "M9 9h10v11H9V9Zm-4 6V4h10",
  warning: "M12 4 2.8 20h18.4L12 4Zm0 6v5m0 2.5v.01",
  orchestration: "M4 6h6v5H4V6Zm10 7h6v5h-6v-5ZM10 8.5h3a4 4 0 0 1 4 4",
  template: "M6 3h9l4 4v14H6V3Zm3 8h7M9 15h7M9 7h3",
  component: "m8 7-5 5 5 5m8-10 5 5-5 5M13.5 5l-3 14",
  ai_preset: "M5 7h8m4 0h2M5 12h2m4 0h8M5 17h9m4 0h1M15 5v4M9 10v4m7 1v4",
  workspace: "M4 7h6l2 2h8v10H4V7Z",
  people:
    "M9 11a3.5 3.5 0 1 1 0-7 3.5 3.5 0 0 1 0 7Zm-6.5 9c0-3.6 2.9-6 6.5-6s6.5 2.4 6.5 6M16 4.3a3.5 3.5 0 0 1 0 6.4M18 14.6c2.1.9 3.5 2.8 3.5 5.4",
  more: "M6 12h.01M12 12h.01M18 12h.01",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="sign" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.8"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
