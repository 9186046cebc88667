import { TYPE_NAMES } from "../data/addresses.ts";
import type { AssetType, BundleItem, Finding, Listing } from "../data/hub.ts";
import { Badge } from "./attribution.tsx";
import { ComponentView } from "./component.tsx";
import { LICENSE_WORDS } from "./format.ts";
import { NodeList } from "./nodes.tsx";
import { PipelineDrawing, readPipeline } from "./pipeline.tsx";
import { PresetTable } from "./preset.tsx";
import { TemplateView } from "./template.tsx";

interface Props {
  asset: Pick<Listing, "asset_type" | "title" | "payload"> & {
    items: readonly Pick<
      BundleItem,
      "asset_type" | "ref_id" | "title" | "payload" | "license" | "attribution"
    >[];
  };
  findings: readonly Finding[];
  /** The organization on whose shelf the listing is. */
  shelf?: string;
}

/** Shows the content of a listing in the form that suits its type. */
export function Content({ asset, findings, shelf }: Props) {
  return (
    <>
      <OneContent
        id="main-part"
        heading="h2"
        type={asset.asset_type}
        title={asset.title}
        payload={asset.payload}
        findings={findings.filter(({ path }) => !path?.startsWith("items."))}
      />
      {asset.items.length > 0 && <Items items={asset.items} findings={findings} shelf={shelf} />}
    </>
  );
}

interface OneProps {
  /** The level of the headings inside the content. */
  heading: "h2" | "h3";
  id: string;
  type: AssetType;
  title: string;
  payload: Record<string, unknown>;
  findings: readonly Finding[];
}

function OneContent({ heading, id, type, title, payload, findings }: OneProps) {
  switch (type) {
    case "orchestration":
      return <OrchestrationView payload={payload} title={title} id={id} heading={heading} />;
    case "template":
      return <TemplateView payload={payload} id={id} heading={heading} />;
    case "component":
      return <ComponentView payload={payload} findings={findings} title={title} />;
    case "ai_preset":
      return <PresetTable payload={payload} />;
    default:
      throw new Error(`unknown asset type: ${String(type satisfies never)}`);
  }
}

/** Returns the names of an orchestration's stages, in the order of `stage_configs`. */
export function stagesOf(payload: Record<string, unknown>): string[] {
  const stages = Array.isArray(payload.stage_configs) ? payload.stage_configs : [];
  return stages.map((stage) => String((stage as { name?: unknown } | null)?.name ?? "Stage"));
}

function OrchestrationView({
  payload,
  title,
  id,
  heading: Heading,
}: Pick<OneProps, "payload" | "title" | "id" | "heading">) {
  const pipeline = readPipeline(payload);
  const stages = stagesOf(payload);
  // A flow of another tool has no stages, so the title of its drawing lists the first nodes.
  const shown = stages.length > 0 ? stages : pipeline.nodes.slice(0, 20).map(({ label }) => label);
  return (
    <div class="orchestration-view">
      <section class="scroll" tabIndex={0} aria-label="Diagram of the pipeline" data-drawing>
        <PipelineDrawing pipeline={pipeline} title={`Pipeline of ${title}: ${shown.join(", ")}`} id={id} />
      </section>
      {stages.length > 0 && (
        <>
          <Heading>Stages</Heading>
          <ol class="stages">
            {stages.map((name, place) => (
              <li key={`${place} ${name}`} dir="auto">
                {name}
              </li>
            ))}
          </ol>
        </>
      )}
      <NodeList payload={payload} heading={Heading} />
    </div>
  );
}

interface ItemsProps {
  items: Props["asset"]["items"];
  shelf: string | undefined;
}

/** Shows the items that a bundle or a kit includes. */
function Items({ items, findings, shelf }: Pick<Props, "findings"> & ItemsProps) {
  // The path of a finding in a kit begins with the position of the item.
  const inItem = (place: number) => findings.filter(({ path }) => path?.startsWith(`items.${place}.`));
  return (
    <section aria-labelledby="items">
      <h2 id="items">
        Inside this {items.every(({ asset_type }) => asset_type === "template") ? "bundle" : "kit"}
      </h2>
      {items.map((item, place) => (
        <details
          class="item"
          key={item.ref_id}
          open={(place === 0 && items.length < 4) || inItem(place).length > 0}
        >
          <summary>
            <span dir="auto">{item.title}</span>{" "}
            <span class="quiet">
              {TYPE_NAMES[item.asset_type].one}
              {item.license && `, ${LICENSE_WORDS[item.license].name}`}
            </span>
          </summary>
          {item.attribution && <Badge attribution={item.attribution} shelf={shelf} />}
          <OneContent
            heading="h3"
            id={`item-${place}`}
            type={item.asset_type}
            title={item.title}
            payload={item.payload}
            findings={inItem(place)}
          />
        </details>
      ))}
    </section>
  );
}
