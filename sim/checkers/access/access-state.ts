import { legacySet } from '../../../src/features/acl/legacy/legacy-commands.ts'
import type { TokenRow } from '../../../src/features/acl/model.ts'
import { migrateTokens } from '../../../src/features/acl/system/mode-commands.ts'
import { modeTable, policiesTable, tokensTable } from '../../../src/features/acl/tables.ts'
import { allPolicies, allTokens, isNewMode, tokenBySecret } from '../../../src/features/acl/views.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import { type CheckedRun, checker, type Tell } from '../checker.ts'
import type { Facts } from '../facts.ts'
import type { AccessState, TokenState } from './access-facts.ts'

/** Reads from the replicated state how commands changed access control. */
class AccessStates {
  readonly #tell: Tell
  readonly #nowUs: () => number

  constructor({ tell, nowUs }: CheckedRun) {
    this.#tell = tell
    this.#nowUs = nowUs
  }

  tookEffect({ node, command: { kind, body }, index, tx }: Facts['command took effect']): void {
    if (tx.lastChange(modeTable) > 0) this.#tell('mode recorded', { node, isNew: isNewMode(tx) })
    if (tx.lastChange(tokensTable) !== index && tx.lastChange(policiesTable) !== index) return
    if (kind === legacySet.kind) return this.#token((body as { readonly id: string }).id, tx)
    const by = kind === migrateTokens.kind ? 'migration' : 'command'
    this.#tell('access changed', { state: accessStateOf(tx, this.#nowUs()), by })
  }

  replaced({ node, tx }: Facts['state replaced']): void {
    this.#tell('mode recorded', { node, isNew: isNewMode(tx) })
    this.#tell('access changed', { state: accessStateOf(tx, this.#nowUs()), by: 'restore' })
  }

  #token(secret: string, tx: ReadTransaction): void {
    const token = tokenBySecret(tx, secret)
    if (token !== undefined) this.#tell('token written', { atUs: this.#nowUs(), secret, token: stateOf(token) })
  }
}

export const accessStates = checker({
  codes: {},
  make: (run) => new AccessStates(run),
  takes: {
    'command took effect': (it, fact) => it.tookEffect(fact),
    'state replaced': (it, fact) => it.replaced(fact),
  },
})

function accessStateOf(tx: ReadTransaction, atUs: number): AccessState {
  const tokens = new Map<string, TokenState>()
  for (const token of allTokens(tx)) tokens.set(token.secret, stateOf(token))
  return { atUs, tokens, policies: new Map([...allPolicies(tx)].map(({ id, rules }) => [id, rules])) }
}

function stateOf({ accessor, type, rules, policies, local }: TokenRow): TokenState {
  return {
    accessor,
    management: type === 'management',
    legacyRules: type === 'client' ? rules : undefined,
    policies: policies.map(({ id }) => id),
    isLocal: local,
  }
}
