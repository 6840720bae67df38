import { describe, it } from 'vitest'
import { tokenDelete, tokenUpdate } from '../../../src/features/acl/commands.ts'
import { aclFeature } from '../../../src/features/acl/feature.ts'
import { legacyDelete, legacySet } from '../../../src/features/acl/legacy/legacy-commands.ts'
import type { TokenRow } from '../../../src/features/acl/model.ts'
import { migrateTokens } from '../../../src/features/acl/system/mode-commands.ts'
import * as views from '../../../src/features/acl/views.ts'
import type { CommandDefinition } from '../../../src/features/contract/command.ts'
import { modifyIndexOf } from '../../../src/model/log-position.ts'
import { Store } from '../../../src/store/store.ts'
import { fc } from '../../fast-check.ts'

const runs = process.env['SVC_TEST_LONG'] === '1' ? 20_000 : 150

const secret = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'anonymous')

/** `draw` and `propose` of one leader are apart: others, and their batches, come between. */
const step = fc.oneof(
  fc.record({
    kind: fc.constant('set' as const),
    secret,
    type: fc.constantFrom('client' as const, 'management' as const),
  }),
  fc.record({ kind: fc.constant('delete' as const), secret }),
  fc.record({ kind: fc.constant('draw' as const), leader: fc.nat(2), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ kind: fc.constant('propose' as const), leader: fc.nat(2) }),
  fc.record({ kind: fc.constant('upgrade' as const), secret }),
  fc.record({ kind: fc.constant('delete-new' as const), secret }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

class Cluster {
  readonly store = new Store(aclFeature.tables ?? [])
  /** What each leader has drawn up and not proposed yet. */
  readonly #drawn = new Map<number, readonly { secret: string; accessor: string; at: number }[]>()
  #accessors = 0

  do<Body, Outcome>(command: CommandDefinition<Body, Outcome>, body: Body): Outcome {
    return this.store.apply(modifyIndexOf(this.store.index + 1), (tx) => command.apply(tx, command.body.parse(body)))
  }

  take(step: Step): void {
    switch (step.kind) {
      case 'set':
        this.do(legacySet, { id: step.secret, name: 'n', type: step.type, rules: '', unlessThere: false })
        return
      case 'delete':
        this.do(legacyDelete, { id: step.secret })
        return
      case 'draw': {
        const tokens = [...views.unmigratedTokens(this.store.read())].slice(0, step.count)
        // Few, so that two leaders draw the same for two tokens.
        const draw = (): string => `aaaaaaaa-0000-4000-8000-${String(this.#accessors++ % 7).padStart(12, '0')}`
        this.#drawn.set(
          step.leader,
          tokens.map(({ secret, modifyIndex: at }) => ({ secret, accessor: draw(), at })),
        )
        return
      }
      case 'propose':
        this.do(migrateTokens, { tokens: this.#drawn.get(step.leader) ?? [] })
        return
      case 'upgrade':
      case 'delete-new': {
        const accessor = this.token(step.secret)?.accessor ?? ''
        if (accessor === '') return
        if (step.kind === 'delete-new') this.do(tokenDelete, { accessor })
        else this.do(tokenUpdate, { accessor, description: 'new', local: false, policies: [] })
      }
    }
  }

  token(secret: string): TokenRow | undefined {
    return views.tokenBySecret(this.store.read(), secret)
  }

  rows(): readonly TokenRow[] {
    return [...views.allTokens(this.store.read())]
  }
}

function mustBe(holds: boolean, what: string): void {
  if (!holds) throw new Error(what)
}

describe('the migration of legacy tokens', () => {
  it('gives each token one accessor for ever, whichever server leads and whatever comes between', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const cluster = new Cluster()
        for (const each of steps) {
          const before = cluster.rows()
          const complete = views.migrationOf(cluster.store.read())?.completeIndex ?? 0
          cluster.take(each)
          const after = cluster.rows()
          const given = after.map(({ accessor }) => accessor).filter((accessor) => accessor !== '')
          mustBe(new Set(given).size === given.length, 'two tokens have one accessor')
          for (const token of before) {
            const now = cluster.token(token.secret)
            if (now === undefined || now.createIndex !== token.createIndex) continue
            mustBe(token.accessor === '' || token.accessor === now.accessor, 'an accessor changed')
            if (each.kind !== 'propose') continue
            const rights = (row: TokenRow) => JSON.stringify(views.rightsOf(cluster.store.read(), row, 'dc1'))
            mustBe(rights(token) === rights(now), 'a batch changed what a token may do')
            mustBe(now.accessor === '' || now.hash !== '', 'a token without a hash')
          }
          const proof = views.migrationOf(cluster.store.read())?.completeIndex ?? 0
          if (each.kind === 'propose' && proof === cluster.store.index && proof !== complete) {
            mustBe(
              after.every(({ accessor }) => accessor !== ''),
              'a proof of what is not so',
            )
          }
        }
      }),
      { numRuns: runs },
    )
  })
})
