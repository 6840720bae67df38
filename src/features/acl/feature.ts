import type { Feature } from '../contract/manifest.ts'
import type { Route } from '../contract/route.ts'
import type { RouteContext } from '../contract/route-context.ts'
import { policyDelete, policySet, tokenCreate, tokenDelete, tokenUpdate } from './commands.ts'
import { tokensDuty } from './duty.ts'
import { legacyBootstrap, legacyDelete, legacySet, legacySetLater } from './legacy/legacy-commands.ts'
import {
  legacyDeleteEndpoint,
  legacyListEndpoint,
  legacyReadEndpoint,
  legacySetEndpoint,
} from './legacy/legacy-endpoints.ts'
import { legacyRoutes } from './legacy/legacy-routes.ts'
import { legacyPageEndpoint, policyPageEndpoint, tokenPageEndpoint } from './replication/page-endpoints.ts'
import { replicatePolicies, replicateTokens } from './replication/replication-commands.ts'
import { replicationStatusEndpoint } from './replication/replication-status.ts'
import { explainEndpoint, explainRoutes } from './system/explain.ts'
import { bootstrap, enterNewMode, migrateTokens, putBuiltins } from './system/mode-commands.ts'
import { bootstrapEndpoint, standingEndpoint } from './system/system-endpoints.ts'
import { systemRoutes } from './system/system-routes.ts'
import { translateRoutes } from './system/translate-routes.ts'
import { bootstrapTable, migrationTable, modeTable, policiesTable, tokensTable } from './tables.ts'
import {
  policyBatchEndpoint,
  policyDeleteEndpoint,
  policyListEndpoint,
  policyReadEndpoint,
  policySetEndpoint,
} from './tokens/policy-endpoints.ts'
import { policyRoutes } from './tokens/policy-routes.ts'
import {
  tokenBatchEndpoint,
  tokenListEndpoint,
  tokenReadEndpoint,
  tokenSelfEndpoint,
  tokensKeptEndpoint,
} from './tokens/token-endpoints.ts'
import { tokenRoutes } from './tokens/token-routes.ts'
import { tokenCloneEndpoint, tokenDeleteEndpoint, tokenSetEndpoint } from './tokens/token-write-endpoints.ts'

const aclRoutes: readonly Route<RouteContext>[] = [
  ...systemRoutes,
  ...tokenRoutes,
  ...policyRoutes,
  ...translateRoutes,
  ...explainRoutes,
  ...legacyRoutes,
]

/** Access control: tokens, and the policies that they link to. */
export const aclFeature: Feature = {
  name: 'acl',
  tables: [tokensTable, policiesTable, modeTable, bootstrapTable, migrationTable],
  commands: [
    legacySet,
    legacySetLater,
    legacyDelete,
    legacyBootstrap,
    enterNewMode,
    putBuiltins,
    bootstrap,
    migrateTokens,
    policySet,
    policyDelete,
    tokenCreate,
    tokenUpdate,
    tokenDelete,
    replicatePolicies,
    replicateTokens,
  ],
  endpoints: [
    bootstrapEndpoint,
    standingEndpoint,
    explainEndpoint,
    replicationStatusEndpoint,
    policyReadEndpoint,
    policyListEndpoint,
    policyBatchEndpoint,
    policySetEndpoint,
    policyDeleteEndpoint,
    tokenReadEndpoint,
    tokenSelfEndpoint,
    tokenListEndpoint,
    tokenBatchEndpoint,
    tokensKeptEndpoint,
    tokenSetEndpoint,
    tokenCloneEndpoint,
    tokenDeleteEndpoint,
    legacyReadEndpoint,
    legacyListEndpoint,
    legacySetEndpoint,
    legacyDeleteEndpoint,
    policyPageEndpoint,
    tokenPageEndpoint,
    legacyPageEndpoint,
  ],
  routes: aclRoutes,
  duties: [tokensDuty],
}
