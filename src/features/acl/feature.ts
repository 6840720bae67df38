import type { Feature } from '../manifest.ts'
import { policyDelete, policySet, tokenCreate, tokenDelete, tokenUpdate } from './commands.ts'
import { legacyBootstrap, legacyDelete, legacySet } from './legacy-commands.ts'
import { bootstrap, enterNewMode, migrateTokens, putBuiltins } from './mode-commands.ts'
import { bootstrapTable, migrationTable, modeTable, policiesTable, tokensTable } from './tables.ts'

/** Who may do what: tokens and the policies that they are bound to. */
export const aclFeature: Feature = {
  name: 'acl',
  tables: [tokensTable, policiesTable, modeTable, bootstrapTable, migrationTable],
  commands: [
    legacySet,
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
  ],
}
