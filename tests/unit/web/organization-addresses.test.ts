import { expect, test } from "vitest";
import { shelfLink } from "../../../packages/core/src/hub/index.ts";
import { proposedSlug } from "../../../packages/web/src/app/organizations/organizations.tsx";
import { createHandler } from "../../../packages/web/src/server.tsx";

test("every address below /orgs is one answer, and the project is asked nothing about it", async () => {
  const asked: string[] = [];
  const handler = createHandler({
    supabaseUrl: "https://project.example",
    publishableKey: "sb_publishable_of_a_test",
    assets: { style: "/style.css", script: "/main.js", theme: "/theme.js" },
    preview: { code: "", hash: "" },
    fetch: async (input) => {
      asked.push(String(input instanceof Request ? input.url : input));
      return Response.json([]);
    },
  });
  const answer = async (path: string) => {
    const response = await handler(new Request(`https://keyhub.example${path}`));
    return { status: response.status, headers: [...response.headers], body: await response.text() };
  };
  const first = await answer("/orgs/acme-labs");
  expect(first.status).toBe(200);
  expect(first.body).toContain('<meta name="robots" content="noindex"/>');
  expect(first.body).not.toContain("acme");
  for (const path of [
    "/orgs/acme-labs/secret-plan-0a1b2c3d",
    "/orgs/acme-labs/members",
    "/orgs/acme-labs/reported?v=2",
    "/orgs/no-such-thing?q=acme",
    "/orgs/a/b/c/d/e",
    "/orgs",
  ])
    expect(await answer(path), path).toEqual(first);
  expect(asked.filter((url) => /acme|plan|orgs|organization|shelf/.test(url))).toEqual([]);
});

test("a shared listing that is called like a page of its organization is addressed by its id", () => {
  const id = "3f0c1c9e-5f0e-4a57-9f35-0a4c7cf3a111";
  expect(shelfLink("acme", { slug: "a-plan-0a1b2c3d", id })).toBe("/orgs/acme/a-plan-0a1b2c3d");
  for (const slug of ["members", "reported"])
    expect(shelfLink("acme", { slug, id })).toBe(`/orgs/acme/${id}`);
});

test.each([
  ["Blue Heron Lab", "blue-heron-lab"],
  ["  Zürich & Söhne, AG! ", "zurich-sohne-ag"],
  [`${"a".repeat(39)} tail`, "a".repeat(39)],
  ["日本", ""],
])("%j proposes the short name %j", (name, slug) => {
  expect(proposedSlug(name)).toBe(slug);
});
