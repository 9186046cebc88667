import { expect, test } from "vitest";
import { loginPath, returnPath } from "../../../packages/web/src/app/session.ts";

const back = (path: string) => returnPath(new URL(loginPath(path), "https://keyhub.example").search);

test.each(["/workspace", "/hub/templates/a-slug?version=2", "/"])("%s is a page to come back to", (path) => {
  expect(back(path)).toBe(path);
});

test.each([
  "https://evil.example",
  "//evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  " /hub",
  "javascript:alert(1)",
  "evil.example",
  "",
])("%j is another site or no path: the hub instead", (path) => {
  expect(back(path)).toBe("/hub");
});

test("without a wish it is the hub", () => {
  expect(returnPath("")).toBe("/hub");
});
