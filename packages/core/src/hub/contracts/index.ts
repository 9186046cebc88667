/**
 * The contracts of all answers of the hub, of some requests, and of the values in them. Tests compare real answers with them, and `npm run
 * generate` makes the types of `@keyhub/hub` from them. The key of a contract in `contracts` is the name of its type.
 */
import type * as z from "zod/mini";
import * as checkouts from "../checkout-request.ts";
import { publishRequest } from "../contract.ts";
import { archive, archiveAttribution, archiveItem, archiveOrigin } from "../export-file.ts";
import * as cards from "./card.ts";
import * as imports from "./import.ts";
import * as listings from "./listing.ts";
import * as moderation from "./moderation.ts";
import * as organizations from "./organization.ts";
import * as payments from "./payments.ts";
import * as publishing from "./publish.ts";
import * as scans from "./scan.ts";
import * as searches from "./search.ts";

export const contracts = {
  AssetType: cards.assetType,
  License: cards.license,
  Creator: cards.creator,
  Card: cards.card,
  CardList: cards.cardList,
  ListingRow: cards.listingRow,
  SearchSort: searches.searchSort,
  Cardinality: searches.cardinality,
  SearchRequest: searches.searchRequest,
  SearchPage: searches.searchPage,
  Facets: searches.facets,
  FacetedPage: searches.facetedPage,
  Categories: searches.categories,
  CreatorCard: searches.creatorCard,
  CreatorList: searches.creatorList,
  CreatorPage: searches.creatorPage,
  Finding: scans.finding,
  Scan: scans.scan,
  Payload: listings.payload,
  Origin: listings.origin,
  Claim: listings.claim,
  Lineage: listings.lineage,
  ShownOrigin: listings.shownOrigin,
  ShownAttribution: listings.shownAttribution,
  BundleItem: listings.bundleItem,
  Asset: listings.asset,
  Tombstone: listings.tombstone,
  BareTombstone: listings.bareTombstone,
  AssetAnswer: listings.assetAnswer,
  RemixPage: listings.remixPage,
  Versions: listings.versions,
  Update: listings.update,
  Updates: listings.updates,
  RestoredCopy: listings.restoredCopy,
  PublishBody: publishRequest,
  AssetRow: publishing.assetRow,
  OwnPicture: publishing.ownPicture,
  SetPicture: publishing.setPicture,
  Published: publishing.published,
  Preview: publishing.preview,
  Archive: archive,
  ArchiveItem: archiveItem,
  ArchiveOrigin: archiveOrigin,
  ArchiveAttribution: archiveAttribution,
  Warning: imports.warning,
  CloudImport: imports.cloudImport,
  LocalImport: imports.localImport,
  ImportAnswer: imports.importAnswer,
  FormatList: imports.formatList,
  ReportReason: moderation.reportReason,
  ReportOutcome: moderation.reportOutcome,
  ReviewQueue: moderation.reviewQueue,
  Decisions: moderation.decisions,
  OpenAppeals: moderation.openAppeals,
  Organization: organizations.organization,
  OrganizationRole: organizations.organizationRole,
  OwnOrganizations: organizations.ownOrganizations,
  InvitationTo: organizations.invitationTo,
  MadeInvitation: organizations.madeInvitation,
  Invitations: organizations.invitations,
  OrganizationQueue: organizations.organizationQueue,
  Purchases: payments.purchases,
  Revenue: payments.revenue,
  OrderPage: payments.orderPage,
  OrderState: payments.orderState,
  CheckoutAnswer: checkouts.checkoutAnswer,
} satisfies Record<string, z.ZodMiniType>;
