import type { Requirement } from "@keyhub/core/formats";
import { MODEL_TAG, modelsOf } from "@keyhub/core/hub";
import { tagPath } from "../data/addresses.ts";
import type { Listing } from "../data/hub.ts";
import { tagName } from "./format.ts";

/** Shows what a user must have in another tool to use the asset, such as credentials and packages. `Models` shows the models. */
export function Needs({ requirements }: { requirements: readonly Requirement[] }) {
  const shown = requirements.filter(({ kind }) => kind !== "model");
  if (shown.length === 0) return null;
  return (
    <div>
      <dt>Needs</dt>
      <dd>
        <ul class="plain">
          {shown.map(({ kind, name }) => (
            <li key={`${kind} ${name}`}>
              <bdi>{name}</bdi> <span class="quiet">{kind}</span>
            </li>
          ))}
        </ul>
      </dd>
    </div>
  );
}

/** Shows the models that the content or the tags name. */
export function Models({ asset, pathOf = tagPath }: { asset: Listing; pathOf?: (tag: string) => string }) {
  const models = modelsOf([asset, ...asset.items]);
  const tags = asset.tags.filter((tag) => MODEL_TAG.test(tag) && !models.includes(tag));
  if (models.length + tags.length === 0) return null;
  return (
    <div>
      <dt>{models.length + tags.length === 1 ? "Model" : "Models"}</dt>
      <dd>
        <ul class="tags">
          {models.map((model) => (
            <li key={model}>
              <code>{model}</code>
            </li>
          ))}
          {tags.map((tag) => (
            <li key={tag}>
              <a class="tag" href={pathOf(tag)}>
                #{tagName(tag)}
              </a>
            </li>
          ))}
        </ul>
      </dd>
    </div>
  );
}
