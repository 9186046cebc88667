import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { assetPath, creatorPath, TYPE_NAMES, tagPath } from "../data/addresses.ts";
import type { Card as CardData } from "../data/hub.ts";
import { counted, money, number, tagName } from "./format.ts";
import { Icon } from "./icon.tsx";
import { Initial } from "./initial.tsx";
import { Picture } from "./picture.tsx";

/** The addresses, the picture and the badge of a card on a shelf, which only members can see. */
export interface CardPlace {
  pathOf: (card: CardData) => string;
  tagPath: (tag: string) => string;
  pictureOf: (card: CardData) => string;
  badge: ComponentChildren;
}

interface CardProps {
  card: CardData;
  as?: "h2" | "h3" | undefined;
  /** The addresses, picture and badge of a card on a shelf; undefined for a card on the public hub. */
  place?: CardPlace | undefined;
}

/**
 * Shows one listing in a grid. The whole card links to the listing, and links inside it lead to their own addresses. On the public hub the
 * actions are links, so that they lead somewhere without JavaScript, too.
 */
export function Card({ card, as: Heading = "h3", place }: CardProps) {
  const path = (place?.pathOf ?? assetPath)(card);
  return (
    <article
      class={`card ${card.asset_type}`}
      data-asset={card.id}
      data-slug={card.slug}
      data-type={card.asset_type}
      data-title={card.title}
    >
      <Picture card={card} src={place?.pictureOf(card)} />
      <div class="card-body">
        <p class="kind">
          <Icon name={card.asset_type} />
          {TYPE_NAMES[card.asset_type].one}
          {card.license === "paid" && <span class="badge price">{money(card)}</span>}
          {card.remix_depth > 0 && (
            <span class="badge" title="Made from somebody else's listing">
              <Icon name="remix" /> Remix
            </span>
          )}
        </p>
        {place?.badge}
        <Heading class="card-title" dir="auto">
          <a class="cover" href={path}>
            {card.title}
          </a>
        </Heading>
        <p class="card-description" dir="auto">
          {card.description}
        </p>
        {card.tags.length > 0 && (
          <ul class="tags" aria-label="Tags">
            {card.tags.slice(0, 3).map((tag) => (
              <li key={tag}>
                <a class="tag" href={(place?.tagPath ?? tagPath)(tag)} dir="auto">
                  #{tagName(tag)}
                </a>
              </li>
            ))}
            {card.tags.length > 3 && <li class="tag more">+{card.tags.length - 3}</li>}
          </ul>
        )}
        <div class="card-foot">
          {card.creator ? (
            <a class="creator" href={creatorPath(card.creator.username)}>
              <Initial of={card.creator.username} />
              <span class="creator-name">@{card.creator.username}</span>
              {card.creator.verified && <Verified />}
            </a>
          ) : (
            <span class="creator">deleted account</span>
          )}
          <span class="counts">
            <span title={counted(card.install_count, "install")}>
              <Icon name="install" /> <span class="hidden">Installs:</span> {number(card.install_count)}
            </span>
            <span title={counted(card.star_count, "star")}>
              <Icon name="star" /> <span class="hidden">Stars:</span>{" "}
              <span data-stars={card.id}>{number(card.star_count)}</span>
            </span>
          </span>
        </div>
        {place ? <MemberActions card={card} /> : <Actions card={card} path={path} />}
      </div>
    </article>
  );
}

/** Shows the word that marks a creator whose identity an admin has verified. */
export function Verified() {
  return (
    <span class="badge" title="A verified creator">
      verified
    </span>
  );
}

function Actions({ card, path }: { card: CardData; path: string }) {
  const menu = useId();
  const signIn = `/login?returnTo=${encodeURIComponent(path)}`;
  return (
    <div class="card-actions">
      {card.license === "paid" ? (
        <a class="button primary" href={signIn} data-action="buy" aria-label={`Buy: ${card.title}`}>
          <span>Buy</span>
        </a>
      ) : (
        <a class="button primary" href={signIn} data-action="use" aria-label={`Use this: ${card.title}`}>
          <Icon name="install" /> Use this
        </a>
      )}
      <a class="button" href={`${path}#content`} data-action="preview" aria-label={`Preview: ${card.title}`}>
        Preview
      </a>
      <button class="icon" type="button" popoverTarget={menu} aria-label={`More for ${card.title}`}>
        <Icon name="more" />
      </button>
      <ul class="menu" id={menu} popover="auto">
        {card.license !== "paid" && (
          <li>
            <a href={signIn} data-action="remix">
              <Icon name="remix" /> Remix
            </a>
          </li>
        )}
        <li>
          <a href={signIn} data-action="star">
            <Icon name="star" /> <span>Star</span>
          </a>
        </li>
        <li>
          <a href={signIn} data-action="report">
            <Icon name="flag" /> Report
          </a>
        </li>
        <li>
          <a href={path} data-action="copy-link">
            <Icon name="copy" /> Copy link
          </a>
        </li>
        <li>
          <a href={`${path}#take`} data-action="embed">
            <Icon name="component" /> Embed
          </a>
        </li>
      </ul>
    </div>
  );
}

/**
 * Shows the actions of a card on a shelf. They are buttons, because the router of these pages would follow links, and there are no public
 * addresses to link to.
 */
function MemberActions({ card }: { card: CardData }) {
  const menu = useId();
  return (
    <div class="card-actions">
      <button class="primary" type="button" data-action="use" aria-label={`Use this: ${card.title}`}>
        <Icon name="install" /> Use this
      </button>
      <button class="icon" type="button" popoverTarget={menu} aria-label={`More for ${card.title}`}>
        <Icon name="more" />
      </button>
      <ul class="menu" id={menu} popover="auto">
        <li>
          <button type="button" data-action="remix">
            <Icon name="remix" /> Remix
          </button>
        </li>
        <li>
          <button type="button" data-action="star">
            <Icon name="star" /> <span>Star</span>
          </button>
        </li>
        <li>
          <button type="button" data-action="report">
            <Icon name="flag" /> Report
          </button>
        </li>
      </ul>
    </div>
  );
}

interface CardsProps {
  cards: CardData[];
  as?: "h2" | "h3";
  place?: CardPlace;
  /** The layout of a row on the landing page; see styles/cards.css. */
  layout?: "lead" | "thirds";
}

export function Cards({ cards, as, place, layout }: CardsProps) {
  return (
    <div class={layout ? `cards ${layout}` : "cards"}>
      {cards.map((card) => (
        <Card key={card.id} card={card} as={as} place={place} />
      ))}
    </div>
  );
}
