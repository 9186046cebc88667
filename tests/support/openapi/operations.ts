import { gatewayOperations } from "./gateway.ts";
import { hubOperations, hubRules, hubSchemas } from "./hub.ts";
import { keyOperations, keySchemas } from "./keys.ts";
import type { Operation } from "./operation.ts";

/** Every operation of the document. A further function adds a file of its own and its lines here. */
export const operations: readonly Operation[] = [...keyOperations, ...gatewayOperations, ...hubOperations];

/** The contracts that the document has under a name. */
export const schemas = { ...keySchemas, ...hubSchemas };

/** By the name of a schema: rules that refer to other schemas. */
export const rules = hubRules;
