import type { LoggedCommand } from '../../../src/agent/replication/command-codec.ts'
import { legacySet } from '../../../src/features/acl/legacy/legacy-commands.ts'
import type { TokenRow } from '../../../src/features/acl/model.ts'
import { migrateTokens } from '../../../src/features/acl/system/mode-commands.ts'
import { modeTable, policiesTable, tokensTable } from '../../../src/features/acl/tables.ts'
import { allPolicies, allTokens, isNewMode, tokenBySecret } from '../../../src/features/acl/views.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import type { Invariants } from '../invariants.ts'
import type { AccessState, TokenState } from './access-history.ts'

/** A command was carried out for the first time: what it did to access control, if anything. */
export function tellAccess(
  all: Invariants,
  node: string,
  { kind, body }: Pick<LoggedCommand, 'kind' | 'body'>,
  index: number,
  tx: ReadTransaction,
): void {
  if (tx.lastChange(modeTable) > 0) all.accessMode.recorded(node, isNewMode(tx))
  if (tx.lastChange(tokensTable) !== index && tx.lastChange(policiesTable) !== index) return
  if (kind === legacySet.kind) return tellToken(all, (body as { readonly id: string }).id, tx)
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

/** One of many: a scenario makes thousands. */
function tellToken(all: Invariants, secret: string, tx: ReadTransaction): void {
  const token = tokenBySecret(tx, secret)
  if (token === undefined) return
  all.access.tokenWritten(all.nowUs(), secret, stateOf(token))
  all.migration.tokenWritten(secret, token.accessor)
}

function accessStateOf(tx: ReadTransaction, atUs: number): AccessState {
  const tokens = new Map<string, TokenState>()
  for (const token of allTokens(tx)) tokens.set(token.secret, stateOf(token))
  return { atUs, tokens, policies: new Map([...allPolicies(tx)].map(({ id, rules }) => [id, rules])) }
}

function stateOf({ accessor, type, rules, policies }: TokenRow): TokenState {
  return {
    accessor,
    management: type === 'management',
    legacyRules: type === 'client' ? rules : undefined,
    policies: policies.map(({ id }) => id),
  }
}
