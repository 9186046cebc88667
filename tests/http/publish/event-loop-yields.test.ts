import { expect, test } from "vitest";
import { redactPublication } from "../../../packages/core/src/hub/index.ts";
import { prepare, scanComponents } from "../../../supabase/functions/hub-publish/prepare.ts";

/*
 * Tests that waiting requests run between the long steps of a publication, not after all of them, because an isolate has only one thread.
 */

const ID = "00000000-0000-4000-8000-000000000001";

test("between judging a publication and redacting it", async () => {
  const order: string[] = [];
  const content = {
    // The name is read to judge the publication, and again to redact it.
    get name() {
      if (order.length === 0) setTimeout(() => order.push("another request"), 0);
      order.push("read");
      return "n";
    },
    content: "x",
  };
  const source = { asset_type: "template" as const, ref_id: ID, content, attribution: null };
  const wanted = {
    ...{
      assetType: "orchestration" as const,
      refId: ID,
      title: "t",
      description: "d",
      tags: [],
      rawTags: [],
    },
    ...{
      license: "cc0" as const,
      thumbnailUrl: null,
      mode: "bundle" as const,
      items: [],
      scanToken: null,
      dryRun: true,
      ...{ label: null, changelog: null, organization: null, offer: null },
    },
  };
  const main = {
    asset_type: "orchestration" as const,
    ref_id: ID,
    content: { name: "o", nodes: [], edges: [], stage_configs: [] },
    attribution: null,
  };
  await prepare(wanted, { main, items: [source] }, ID, async () => ({ unchanged: [false] }));
  expect(order.at(0)).toBe("read");
  expect(order.indexOf("another request")).toBeGreaterThan(0);
  expect(order.lastIndexOf("read")).toBeGreaterThan(order.indexOf("another request"));
});

test("between redaction and verification", async () => {
  const order: string[] = [];
  await redactPublication(
    { title: "t", description: "d", tags: [], thumbnail_url: null, payload: { content: "x" }, items: [] },
    async () => void order.push("pause"),
  );
  expect(order).toEqual(["pause"]);
});

test("between the items of a kit, which are redacted and verified one by one", async () => {
  const order: string[] = [];
  const item = (name: string) => ({
    ...{ asset_type: "template" as const, ref_id: ID, title: name },
    payload: {
      get content() {
        if (order.at(-1) !== name) order.push(name);
        return "x";
      },
    },
  });
  const listing = { title: "t", description: "d", tags: [], thumbnail_url: null, payload: {} };
  await redactPublication(
    { ...listing, items: [item("first"), item("second")] },
    async () => void order.push("pause"),
  );
  // Verification reads the redacted copies, not these items, so it adds only pauses.
  expect(order).toEqual(["pause", "first", "pause", "second", "pause", "pause", "pause"]);
});

test("between two components that are scanned", async () => {
  const order: string[] = [];
  const component = (name: string) => ({
    ...{ asset_type: "component" as const, ref_id: ID, title: name },
    payload: {
      source: {
        toString() {
          order.push(name);
          setTimeout(() => order.push("another request"), 0);
          return "f()";
        },
      },
    },
  });
  const listing = { title: "t", description: "d", tags: [], thumbnail_url: null, payload: {} };
  await scanComponents("orchestration", { ...listing, items: [component("first"), component("second")] });
  expect(order.slice(0, 3)).toEqual(["first", "another request", "second"]);
});
