export type { Database, Json } from "@keyhub/core/database";
export type {
  Acting,
  ListingChange,
  OwnCopy,
  OwnListing,
  OwnRecord,
  Profile,
  ProfileChange,
  Work,
} from "./acting.ts";
export type * from "./answers.ts";
export type { DataClient } from "./client.ts";
export type { Connection } from "./connection.ts";
export { HubError } from "./error.ts";
export { createHub, type Hub, type HubOptions } from "./hub.ts";
export type { EventNames, HubEvent, Moderation, NamedListing } from "./moderation.ts";
export type { InvitationOptions, Member, Organizations, SharedListing } from "./organizations.ts";
export { type ClientCode, type Fault, type HubProblem, problemOf } from "./problem.ts";
export { type ListingsRequest, pictureUrl, type Reading } from "./reading.ts";
export type { Fees, RefundRequest, Selling } from "./selling.ts";
export type { ImportOptions, PublishOptions, PublishRequest, Retry, Sharing } from "./sharing.ts";
export type { Item, ItemChange, NewItem, Workspace } from "./workspace.ts";
