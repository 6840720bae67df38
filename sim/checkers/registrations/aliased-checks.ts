import { type CheckedRun, checker, eventIn, type Judge } from '../checker.ts'
import { AliasDefinition } from './alias-definition.ts'
import { Outages } from './outages.ts'
import { Owing, type Telling, telling } from './owing.ts'
import { type NodeRows, noRows, type RegistrationChange } from './registration-facts.ts'
import { type LocalView, localStatus, remoteStatus } from './stood-for.ts'

const lookEveryUs = 500_000

/** An agent that waits for changes of a node learns of one within this time: its pause between reads, and the answer. */
const readUs = 500_000

type Excuse = 'outcome unknown' | 'out of reach' | 'restored'

type Run = Pick<CheckedRun, 'nowUs' | 'network'> & Judge<{ E11: Excuse }>

/** An alias check of an agent, as the catalog shows it and as it should be. */
interface Alias {
  readonly definition: AliasDefinition
  readonly owing: Owing
  /** What it should be by the last look. */
  expected: string | undefined
  isAsExpected: boolean
  /** Since when that is expected, or differs from the catalog; and the event in which it came to that. */
  sinceUs: number
  sinceIn: number
  isJudged: boolean
  /** The event in which its status in the catalog changed last. */
  listedIn: number
}

interface Node {
  readonly aliases: Map<string, Alias>
  /** Undefined: the catalog has not changed since the node is followed. */
  rows: NodeRows | undefined
}

/**
 * E11. An alias check has the worst status of the checks for which it stands, within a time limit (`owing.ts`) while
 * its agent reaches a leader. An alias of the agent's own services looks through other such aliases; one of a node of
 * the catalog takes its checks as the catalog has them, the membership check too.
 */
export class AliasedChecks {
  readonly #run: Run
  readonly #telling: Telling
  readonly #outages: Outages
  readonly #nodes = new Map<string, Node>()
  #nextLookUs = 0

  constructor(run: Run, told: Telling) {
    this.#run = run
    this.#telling = told
    this.#outages = new Outages(told)
  }

  began(change: RegistrationChange): void {
    for (const { checkId } of change.aliases) this.#alias(change.node, checkId).definition.began(change)
  }

  ended(change: RegistrationChange): void {
    const contactUs = this.#telling.contactSinceUs(change.node)
    for (const { checkId, target } of change.aliases) {
      const alias = this.#alias(change.node, checkId)
      if (alias.definition.ended(change, target, contactUs)) this.#run.excused('E11', 'outcome unknown')
      this.#expects(alias, undefined)
    }
    this.#lookAtAll()
  }

  listed(node: string, rows: NodeRows, isRestored: boolean): void {
    const known = this.#node(node)
    for (const [checkId, alias] of known.aliases) {
      if ((known.rows ?? noRows).statuses.get(checkId) !== rows.statuses.get(checkId))
        alias.listedIn = eventIn(this.#run)
    }
    known.rows = rows
    if (isRestored) this.#restored()
    this.#lookAtAll()
  }

  replaced(node: string): void {
    this.#nodes.get(node)?.aliases.clear()
  }

  lookAround(): void {
    const nowUs = this.#run.nowUs()
    for (const node of this.#nodes.keys()) this.#outages.look(node, nowUs)
    if (nowUs < this.#nextLookUs) return
    this.#nextLookUs = nowUs + lookEveryUs
    this.#lookAtAll()
  }

  #restored(): void {
    for (const { aliases } of this.#nodes.values()) {
      for (const { owing } of aliases.values()) owing.restored(this.#run.nowUs())
      this.#run.excused('E11', 'restored', aliases.size)
    }
  }

  #lookAtAll(): void {
    for (const [node, { aliases, rows }] of this.#nodes) {
      if (rows !== undefined) for (const [checkId, alias] of aliases) this.#look(node, checkId, alias, rows)
    }
  }

  #look(node: string, checkId: string, alias: Alias, rows: NodeRows): void {
    const listed = rows.statuses.get(checkId)
    // E5 judges whether it exists.
    if (listed === undefined) return
    const expected = this.#statusOf(node, checkId, alias, rows)
    if (expected !== alias.expected) this.#expects(alias, expected)
    if (expected === undefined) return
    const contactUs = this.#telling.contactSinceUs(node)
    if (listed === expected) {
      alias.owing.matches()
      if (!alias.isJudged) this.#run.judged('E11')
      alias.isJudged = true
      alias.isAsExpected = true
      return
    }
    if (alias.isAsExpected) this.#since(alias)
    const lateUs = this.#lateUs(node, alias, contactUs)
    if (lateUs === undefined) return
    this.#run.judged('E11')
    const ago = ((this.#run.nowUs() - alias.sinceUs) / 1e6).toFixed(3)
    this.#run.report(
      'E11',
      `check ${checkId} of ${node} stands for ${alias.definition.text()} and is ${listed} in the catalog, and should be ${expected}, as that has been for ${ago} s`,
      [alias.sinceIn, alias.listedIn],
    )
    alias.definition.forget()
  }

  #statusOf(node: string, checkId: string, alias: Alias, rows: NodeRows): string | undefined {
    const { target } = alias.definition
    if (target === undefined) return undefined
    if (target.node === '') return localStatus(this.#viewOf(node, rows), checkId, target.service)
    const its = this.#nodes.get(target.node)?.rows
    return its === undefined ? undefined : remoteStatus(its, target.service, target.node === node ? checkId : undefined)
  }

  #viewOf(node: string, rows: NodeRows): LocalView {
    const { aliases } = this.#node(node)
    return { rows, aliasOf: (checkId) => aliases.get(checkId)?.definition }
  }

  #lateUs(node: string, alias: Alias, contactUs: number | undefined): number | undefined {
    const { definition, sinceUs, owing } = alias
    const nowUs = this.#run.nowUs()
    const isAtOnce = this.#telling.isAtOnce(node, contactUs, sinceUs)
    if (definition.target?.node === '') return owing.overdueUs(nowUs, { owedUs: sinceUs, contactUs, isAtOnce })
    const readsUs = this.#outages.readAgainUs(node)
    if (isAtOnce && readsUs <= sinceUs) return owing.overdueUs(nowUs, { owedUs: sinceUs + readUs, contactUs, isAtOnce })
    return owing.overdueUs(nowUs, { owedUs: Math.max(sinceUs, readsUs), contactUs, isAtOnce: false })
  }

  #expects(alias: Alias, expected: string | undefined): void {
    if (!alias.isJudged && alias.expected !== undefined) this.#run.excused('E11', 'out of reach')
    alias.owing.matches()
    alias.expected = expected
    alias.isJudged = false
    this.#since(alias)
  }

  #since(alias: Alias): void {
    alias.isAsExpected = false
    alias.sinceUs = this.#run.nowUs()
    alias.sinceIn = eventIn(this.#run)
  }

  #node(node: string): Node {
    const known = this.#nodes.get(node) ?? { aliases: new Map(), rows: undefined }
    this.#nodes.set(node, known)
    return known
  }

  #alias(node: string, checkId: string): Alias {
    const { aliases } = this.#node(node)
    const alias = aliases.get(checkId) ?? {
      definition: new AliasDefinition(),
      owing: new Owing(this.#run.network),
      expected: undefined,
      isAsExpected: false,
      sinceUs: 0,
      sinceIn: 0,
      isJudged: false,
      listedIn: 0,
    }
    aliases.set(checkId, alias)
    return alias
  }
}

export const aliasedChecks = checker({
  codes: {
    E11: {
      text: 'aliases: an alias check is in the catalog with the worst status of the checks that it stands for, soon after they change',
      sources: ['docs/reference/definitions.md#check-alias'],
      evidence: ['requests', 'catalog', 'forwards'],
      judges: ['status of an alias', 'statuses of aliases'],
      excuses: {
        'outcome unknown':
          'A change of an alias without an answer may have been made or not; until another change of it is answered.',
        'out of reach':
          'The status that it should have changed before it was shown, or its agent reached no leader, or was asked to leave; until the next such status.',
        restored: 'A restored snapshot has what agents knew before; until the full comparison of each agent.',
      },
    },
  },
  make: (run) => new AliasedChecks(run, run.of(telling)),
  takes: {
    'registration began': (it, { change }) => it.began(change),
    'registration ended': (it, { change }) => it.ended(change),
    'node listed': (it, { node, rows, isRestored }) => it.listed(node, rows, isRestored),
    'machine replaced': (it, { node }) => it.replaced(node),
    'network looked at': (it) => it.lookAround(),
  },
})
