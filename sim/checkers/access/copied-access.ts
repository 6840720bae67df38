import type { AgentConfig } from '../../../src/agent/settings/agent-config.ts'
import { type CheckedRun, checker, eventIn, type Judge } from '../checker.ts'
import type { AccessState, TokenState } from './access-facts.ts'
import type { AccessPlace } from './access-federation.ts'
import { judge, statementsOf } from './access-judge.ts'
import { tokenName, within } from './access-versions.ts'
import { CopiesOf, type CopyExcuses, policyKind, tokenKind } from './copies.ts'

/** Whether the token may read tokens with their secrets, by the present policies. */
function mayReadTokens(token: TokenState | undefined, { versions }: AccessPlace): boolean {
  if (token === undefined) return false
  const texts = token.policies.map((id) => versions.policies.get(id)?.at(-1)?.value ?? '')
  const statements = texts.map((text) => ({ legacy: false, statements: statementsOf(text) }))
  const right = { resource: 'acl', name: '', right: 'write' } as const
  return token.management || judge({ texts: statements, defaultPolicy: 'deny', listing: false }, right)
}

/** A5 of one datacenter. */
export class CopiedAccess {
  readonly #run: Pick<CheckedRun, 'nowUs' | 'federation' | 'staleDefaultMs'> & Judge<CopyExcuses>
  readonly #policies: CopiesOf<string>
  readonly #tokens: CopiesOf<TokenState>
  #datacenter = ''
  #own: AccessPlace | undefined
  #leader: string | undefined
  /** Number of changes of the federation that were compared. */
  #compared = -1

  constructor(run: Pick<CheckedRun, 'nowUs' | 'federation' | 'staleDefaultMs'> & Judge<CopyExcuses>) {
    this.#run = run
    this.#policies = new CopiesOf(policyKind, run)
    this.#tokens = new CopiesOf(tokenKind, run)
  }

  /**
   * What the copies of this datacenter still lack, and could get; undefined: nothing, or this datacenter does not copy.
   */
  get lacks(): string | undefined {
    this.#compare()
    const [own, primary] = [this.#own, this.#primary]
    if (own === undefined || primary === undefined || !this.#mayCopy(own, primary, this.#run.nowUs())) return undefined
    return this.#policies.lacks ?? this.#tokens.lacks
  }

  settings(config: Pick<AgentConfig, 'access' | 'datacenter'>): void {
    this.#datacenter = config.datacenter
    this.#own = this.#run.federation?.joined(config)
  }

  recorded(isNew: boolean): void {
    if (this.#own !== undefined) this.#own.isNew = isNew
  }

  began(leader: string): void {
    this.disturbed()
    this.#leader = leader
    if (this.#own !== undefined) this.#own.ledSinceUs = this.#run.nowUs()
  }

  ended(server: string): void {
    if (server !== this.#leader) return
    this.disturbed()
    this.#leader = undefined
    if (this.#own !== undefined) this.#own.ledSinceUs = undefined
  }

  disturbed(): void {
    this.#run.federation?.troubled(this.#run.nowUs())
  }

  /** A process reports this in its log or by a counter. */
  told(what: string): void {
    if (what !== 'acl: replication failed') return
    this.#policies.failed()
    this.#tokens.failed()
  }

  changed(state: AccessState, isRestore: boolean): void {
    this.#own?.versions.changed(state, eventIn(this.#run))
    this.#changedAt(state.atUs, isRestore)
  }

  tokenWritten(atUs: number, secret: string, token: TokenState): void {
    this.#own?.versions.tokenWritten(atUs, secret, token, eventIn(this.#run))
    this.#changedAt(atUs, false)
  }

  #changedAt(atUs: number, isRestore: boolean): void {
    const [own, primary] = [this.#own, this.#primary]
    this.#run.federation?.changed()
    if (own === undefined || primary === undefined) return
    if (isRestore) {
      this.#policies.replaced()
      this.#tokens.replaced()
      return
    }
    const excusesStale = this.#run.staleDefaultMs > 0
    this.#policies.changed(own, primary, atUs, excusesStale)
    if (!own.copiesTokens) return
    this.#tokens.changed(own, primary, atUs, excusesStale)
    if (!excusesStale) this.#areWhole(own, primary, atUs)
  }

  /**
   * A new copy has the rights of its token from the first moment: of the policies of the token the datacenter lacks only
   * those that the primary datacenter has removed. A removed policy comes back by a restore alone.
   */
  #areWhole(own: AccessPlace, primary: AccessPlace, atUs: number): void {
    for (const versions of own.versions.tokens.values()) {
      const [now, before] = [versions.at(-1), versions.at(-2)?.value]
      if (now?.fromUs !== atUs || now.value === undefined || now.value.isLocal || before !== undefined) continue
      this.#run.judged('A5')
      for (const id of now.value.policies) {
        const theirs = primary.versions.policies.get(id) ?? []
        const isThere = theirs.length > 0 && theirs.every(({ value }) => value !== undefined)
        if (!isThere || own.versions.policies.get(id)?.at(-1)?.value !== undefined) continue
        const what = `${tokenName(now.value)} was copied without its policy ${id}, which the primary datacenter has`
        this.#run.report('A5', what, [now.event, theirs.at(-1)?.event ?? 0])
      }
    }
  }

  get #primary(): AccessPlace | undefined {
    return this.#run.federation?.primaryOf(this.#datacenter)
  }

  /** Called when the state of the network is sampled. */
  look(isTroubled: () => boolean): void {
    const [own, primary, federation] = [this.#own, this.#primary, this.#run.federation]
    if (own === undefined || primary === undefined || federation === undefined) return
    if (isTroubled()) this.disturbed()
    this.#compare()
    const mayCopy = (sinceUs: number): boolean => this.#mayCopy(own, primary, sinceUs)
    for (const kind of [this.#policies, this.#tokens]) kind.look(this.#run.nowUs(), federation.calmSinceUs, mayCopy)
  }

  /** Whether the replication token has had its right in the primary from then until now. */
  #mayCopy(own: AccessPlace, primary: AccessPlace, sinceUs: number): boolean {
    const tokens = within(primary.versions.tokens.get(own.replicationSecret), sinceUs, this.#run.nowUs())
    return tokens.every((token) => mayReadTokens(token, primary))
  }

  #compare(): void {
    const [own, primary, federation] = [this.#own, this.#primary, this.#run.federation]
    if (own === undefined || primary === undefined || federation === undefined) return
    if (own.isNew !== primary.isNew) {
      this.#compared = -1
      for (const kind of [this.#policies, this.#tokens]) kind.waits()
      return
    }
    if (federation.changes === this.#compared) return
    this.#compared = federation.changes
    this.#policies.compare(own, primary, this.#run.nowUs())
    if (own.copiesTokens) this.#tokens.compare(own, primary, this.#run.nowUs())
  }
}

export const copiedAccess = checker({
  codes: {
    A5: {
      text: 'copies: a token that the primary keeps stays valid where it was copied, and comes with its policies; a copy is removed after its original, in time',
      sources: ['docs/reference/access-control.md#primary-and-secondary-datacenters'],
      evidence: ['rights', 'requests', 'forwards'],
      judges: ['copy or visit', 'copies and visits'],
      excuses: {
        'refused to copy':
          'A datacenter whose replication token has no right in the primary copies nothing; until that token has it again.',
        'stale default reads':
          'Where a scenario allows stale reads of default consistency, a copy may go back to what such a read returned; until the next round.',
        'denies when down':
          'With the down policy deny a server without a leader refuses every token; until one has led for 15 seconds.',
      },
    },
  },
  make: (run) => new CopiedAccess(run),
  takes: {
    'settings read': (it, { config }) => it.settings(config),
    'mode recorded': (it, { isNew }) => it.recorded(isNew),
    'access changed': (it, { state, by }) => it.changed(state, by === 'restore'),
    'token written': (it, { atUs, secret, token }) => it.tokenWritten(atUs, secret, token),
    'leader began': (it, { node }) => it.began(node),
    'leader ended': (it, { node }) => it.ended(node),
    'process began': (it) => it.disturbed(),
    'process died': (it) => it.disturbed(),
    'process paused': (it) => it.disturbed(),
    'process resumed': (it) => it.disturbed(),
    'process told': (it, { what }) => it.told(what),
    'network looked at': (it, { isTroubled }) => it.look(isTroubled),
  },
})
