import { migrateTokens } from '../../src/features/acl/mode-commands.ts'
import { modeTable, policiesTable, tokensTable } from '../../src/features/acl/tables.ts'
import { allPolicies, allTokens, isNewMode } from '../../src/features/acl/views.ts'
import type { ReadTransaction } from '../../src/store/types.ts'
import type { AccessState, TokenState } from './access-history.ts'
import type { Invariants } from './invariants.ts'

/** A command was carried out for the first time: what it did to access control, if anything. */
export function tellAccess(all: Invariants, node: string, kind: string, index: number, tx: ReadTransaction): void {
  if (tx.lastChange(modeTable) > 0) all.accessMode.recorded(node, isNewMode(tx))
  if (tx.lastChange(tokensTable) !== index && tx.lastChange(policiesTable) !== index) return
  const state = accessStateOf(tx, all.nowUs())
  all.access.changed(state)
  all.migration.changed(state, kind === migrateTokens.kind)
}

/** Another state took the place of this one. */
export function tellAccessReplaced(all: Invariants, node: string, tx: ReadTransaction): void {
  all.accessMode.recorded(node, isNewMode(tx))
  const state = accessStateOf(tx, all.nowUs())
  all.access.changed(state)
  all.migration.replaced(state)
}

function accessStateOf(tx: ReadTransaction, atUs: number): AccessState {
  const tokens = new Map<string, TokenState>()
  for (const { secret, accessor, type, rules, policies } of allTokens(tx)) {
    tokens.set(secret, {
      accessor,
      management: type === 'management',
      legacyRules: type === 'client' ? rules : undefined,
      policies: policies.map(({ id }) => id),
    })
  }
  return { atUs, tokens, policies: new Map([...allPolicies(tx)].map(({ id, rules }) => [id, rules])) }
}
