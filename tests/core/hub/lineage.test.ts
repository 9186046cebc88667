import { describe, expect, test } from "vitest";
import { licensedSources, licenseProblem } from "../../../packages/core/src/hub/index.ts";

const ME = "550e8400-e29b-41d4-a716-446655440000";
const OTHER = "0b7f3c9e-1f0a-4f7c-9f6a-0a1b2c3d4e5f";
const origin = (creator_id: string | null, license = "cc-by", remix_depth = 0) => ({
  id: OTHER,
  title: "A",
  slug: "a",
  creator_id,
  license,
  version: 1,
  remix_depth,
});

describe("what binds the licence of a work", () => {
  test.each([
    ["an original", null, []],
    ["a copy of my own original", { root: origin(ME), parent: origin(ME) }, [true, true]],
    ["a copy of somebody else's", { root: origin(OTHER), parent: origin(OTHER) }, [false, false]],
    ["a copy of my remix of theirs", { root: origin(OTHER), parent: origin(ME, "cc-by", 1) }, [false, false]],
    ["a copy of their remix of mine", { root: origin(ME), parent: origin(OTHER, "cc-by", 1) }, [true, false]],
    // Between my original and my latest remix stands somebody else's.
    ["a copy of my remix of that", { root: origin(ME), parent: origin(ME, "cc-by", 2) }, [true, false]],
    ["what an author who is gone made", { root: origin(null), parent: origin(null) }, [false, false]],
    ["what a document claims to be mine", { claimed: origin(ME) }, [false]],
    ["no attribution at all", "text", []],
    ["a list", [origin(ME)], []],
  ])("%s", (_, attribution, own) => {
    expect(licensedSources(attribution, ME).map((source) => source.own)).toEqual(own);
  });

  test("each passes on its own licence", () => {
    const sources = licensedSources(
      { root: origin(OTHER, "cc0"), parent: origin(OTHER, "platform-free") },
      ME,
    );
    expect(sources.map(({ license }) => license)).toEqual(["cc0", "platform-free"]);
    expect(licenseProblem("cc0", sources)).toBe("license_incompatible");
    expect(licenseProblem("platform-free", sources)).toBeNull();
  });

  test("a licence that nobody can read lets nothing through but the strictest", () => {
    for (const claimed of [{ license: "mit" }, {}]) {
      const sources = licensedSources({ claimed }, ME);
      expect(licenseProblem("cc0", sources)).toBe("license_incompatible");
      expect(licenseProblem("platform-free", sources)).toBeNull();
    }
  });
});
