import { describe, expect, test } from "vitest";
import {
  type Attribution,
  inherit,
  inheritItem,
  licensedSources,
  licenseProblem,
  type Origin,
  strictest,
} from "../../../packages/core/src/hub/index.ts";

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

describe("what binds the license of a work", () => {
  test.each([
    ["an original", null, []],
    ["a copy of my own original", { root: origin(ME), parent: origin(ME) }, [true, true]],
    ["a copy of somebody else's", { root: origin(OTHER), parent: origin(OTHER) }, [false, false]],
    ["a copy of my remix of theirs", { root: origin(OTHER), parent: origin(ME, "cc-by", 1) }, [false, false]],
    ["a copy of their remix of mine", { root: origin(ME), parent: origin(OTHER, "cc-by", 1) }, [true, false]],
    // The copied work is my remix of their remix of my original. It does not count as mine alone, because it contains their work.
    ["a copy of my remix of that", { root: origin(ME), parent: origin(ME, "cc-by", 2) }, [true, false]],
    ["what an author who is gone made", { root: origin(null), parent: origin(null) }, [false, false]],
    ["what a document claims to be mine", { claimed: origin(ME) }, [false]],
    // Older rows have the kit as the parent of its item. My kit is not my own work here, because the root is the work of somebody else.
    [
      "an item out of a kit of mine",
      { root: origin(OTHER), parent: { ...origin(ME), id: ME } },
      [false, false],
    ],
    ["my original, on a file's word", { root: origin(ME), parent: origin(ME), claimed: {} }, [false, false]],
    ["theirs, handed on in my kit", { root: origin(OTHER), via: [origin(ME)] }, [false, true]],
    [
      "mine, with theirs between",
      { root: origin(ME), parent: origin(ME), via: [origin(OTHER)] },
      [true, true, false],
    ],
    ["what nobody made any more, to nobody", { root: origin(null), via: [origin(null)] }, [false, false]],
    ["no attribution at all", "text", []],
    ["a list", [origin(ME)], []],
  ])("%s", (_, attribution, own) => {
    expect(licensedSources(attribution, ME).map((source) => source.own)).toEqual(own);
  });

  test("each passes on its own license", () => {
    const sources = licensedSources(
      { root: origin(OTHER, "cc0"), parent: origin(OTHER, "platform-free") },
      ME,
    );
    expect(sources.map(({ license }) => license)).toEqual(["cc0", "platform-free"]);
    expect(licenseProblem("cc0", sources)).toBe("license_incompatible");
    expect(licenseProblem("platform-free", sources)).toBeNull();
  });

  test("a license that nobody can read lets nothing through but the strictest", () => {
    for (const claimed of [{ license: "none-such" }, {}]) {
      const sources = licensedSources({ claimed }, ME);
      expect(licenseProblem("cc0", sources)).toBe("license_incompatible");
      expect(licenseProblem("platform-free", sources)).toBeNull();
    }
  });

  test("a claim binds only where there is neither root nor parent, and then with all that it names", () => {
    const claimed = { license: "cc-by", root: { license: "cc0" }, via: [{ license: "platform-free" }, {}] };
    const licenses = (attribution: unknown) => licensedSources(attribution, ME).map(({ license }) => license);
    expect(licenses({ claimed })).toEqual(["cc-by", "cc0", "platform-free"]);
    expect(licenses({ root: origin(OTHER, "cc0"), claimed })).toEqual(["cc0"]);
  });
});

describe("a chain", () => {
  let count = 0;
  const listing = (creator_id: string | null, license: Origin["license"], remix_depth = 0): Origin => {
    count += 1;
    return { id: `id ${count}`, title: "T", slug: "t", creator_id, license, version: 1, remix_depth };
  };

  test("names everybody between root and parent, and binds by the strictest of all", () => {
    const [a, b, c, d] = ["a", "b", "c", "d"].map((who, n) =>
      listing(who, n === 1 ? "platform-free" : "cc0", n),
    );
    let carried: Attribution | null = null;
    for (const one of [a, b, c, d]) carried = inherit(one as Origin, carried);
    expect(carried).toEqual({ root: a, parent: d, via: [b, c] });
    expect(licenseProblem("cc0", licensedSources(carried, "e"))).toBe("license_incompatible");
    // Even somebody who made both the root and the parent may not choose a less strict license.
    expect(licenseProblem("cc0", licensedSources({ ...carried, root: { ...a, creator_id: "d" } }, "d"))).toBe(
      "license_incompatible",
    );
  });

  test("an author is in it once, with the strictest license; without a name, each work is", () => {
    const root = listing("a", "cc0");
    const [free, strict] = [listing("b", "cc-by"), listing("b", "platform-free")];
    const gone = [listing(null, "cc0"), listing(null, "cc0")] as const;
    const end = listing("c", "cc0");
    const lineage = [free, strict, listing("b", "cc0"), ...gone, end].reduce<Attribution>(
      (carried, one) => inherit(one, carried),
      { root, parent: root },
    );
    expect(lineage).toEqual({ root, parent: end, via: [strict, ...gone] });
  });

  test("through kits the item keeps its own; what the kit's maker made comes from the kit", () => {
    const [x, r, kit, next] = [
      listing("o", "cc0"),
      listing("b", "platform-free", 1),
      listing("a", "platform-free"),
      listing("c", "platform-free"),
    ];
    const taken = inheritItem(kit, { root: x, parent: r });
    expect(taken).toEqual({ root: x, parent: r, via: [kit] });
    expect(inheritItem(next, taken)).toEqual({ root: x, parent: r, via: [kit, next] });
    expect(licenseProblem("cc0", licensedSources(taken, "a"))).toBe("license_incompatible");
    expect(inheritItem(kit, null)).toEqual({ root: kit, parent: kit });
  });

  test("a claim goes along without its license", () => {
    const from = listing("a", "cc0");
    const claimed = {
      title: "X",
      creator: "ada",
      license: "cc-by" as const,
      via: [{ title: "Y", creator: null }],
    };
    expect(inherit(from, { claimed })).toEqual({
      ...{ root: from, parent: from },
      claimed: { title: "X", creator: "ada", via: [{ title: "Y", creator: null }] },
    });
  });
});

test("the strictest of licenses", () => {
  expect(strictest(["cc0", "platform-free", "cc-by"])).toBe("platform-free");
  expect(strictest(["cc0", "cc-by"])).toBe("cc-by");
  expect(strictest([])).toBe("cc0");
});
