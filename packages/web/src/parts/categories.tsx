import { tagPath } from "../data/addresses.ts";
import type { Categories as Data } from "../data/hub.ts";
import { categoryName, counted } from "./format.ts";

/** The icons of the suggested categories, as SVG paths in a square of 24 × 24 units. */
const PATHS: Record<string, string> = {
  education: "m12 5 10 5-10 5L2 10l10-5Zm-6 7v4c2 2.5 10 2.5 12 0v-4m4-2v6",
  marketing: "M4 10v4l3 .5L9 20h3l-1.500-5L19 18V6L7 9.500 4 10Zm18 .5v3",
  "data-extraction": "M4 6c0-3 16-3 16 0s-16 3-16 0v12c0 3 16 3 16 0V6M4 12c0 3 16 3 16 0",
  summarization: "M4 5h16M4 10h16M4 15h9m-9 5h5m8-5v6m-3-3 3 3 3-3",
  "code-generation": "m8 7-5 5 5 5m8-10 5 5-5 5M13.5 5l-3 14",
  "content-creation": "m4 20 1-5L16 4l4 4L9 19l-5 1Zm9-13 4 4",
  qa: "m5 12 5 5L20 7",
  translation: "M3 6h10M8 4v2m3 0c0 4-3 7-7 8m1-5c1 2 4 4.500 7 5m1 6 4-10 4 10m-6.800-3h5.600",
  classification: "M4 4h7v7H4V4Zm9 9h7v7h-7v-7Zm0-9h7v7h-7V4ZM4 13h7v7H4v-7Z",
  healthcare: "M12 20C5 15 3 11 4 8c1.500-4 6-4 8 0 2-4 6.500-4 8 0 1 3-1 7-8 12Z",
  legal: "M12 4v16m-5 0h10M5 7h14M5 7l-3 7c1 2 5 2 6 0L5 7Zm14 0-3 7c1 2 5 2 6 0l-3-7Z",
  ecommerce: "M5 8h14l-1 12H6L5 8Zm4 3V7c0-4 6-4 6 0v4",
  research: "M11 18a7 7 0 1 1 0-14 7 7 0 0 1 0 14Zm5-2 4 4M8 11h6m-3-3v6",
};
const OTHER = "M9 4 7 20M17 4l-2 16M4 9h16M4 15h16";

/** Shows a tile for each category that has listings. */
export function Categories({ items }: { items: Data["items"] }) {
  return (
    <ul class="tiles">
      {items
        .filter(({ count }) => count > 0)
        .map(({ tag, count, kind }) => (
          <li key={tag}>
            <a class={`tile ${kind}`} href={tagPath(tag)}>
              <svg
                class="sign"
                viewBox="0 0 24 24"
                width="24"
                height="24"
                aria-hidden="true"
                focusable="false"
              >
                <path
                  d={PATHS[tag] ?? OTHER}
                  fill="none"
                  stroke="currentColor"
                  stroke-width="1.7"
                  stroke-linecap="round"
                  stroke-linejoin="round"
                />
              </svg>
              <span>
                <strong>{categoryName(tag)}</strong>
                <span class="count">{counted(count, "listing")}</span>
              </span>
            </a>
          </li>
        ))}
    </ul>
  );
}
