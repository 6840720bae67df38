import { intentionsTable } from '../../../src/features/intention/tables.ts'
import { allIntentions } from '../../../src/features/intention/views.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import type { Version } from '../access/access-versions.ts'
import { within } from '../access/access-versions.ts'
import { type CheckedRun, checker, eventIn, type Judge } from '../checker.ts'
import { secondsText } from '../keys/key-history.ts'
import { type LeaderContact, leaderContact } from '../raft/leader-contact.ts'
import type { HeldIntention, IntentionChange, IntentionDecision } from './intention-facts.ts'
import { deciding, pairOf } from './intention-judge.ts'

/** Time in which an agent in contact learns what its leader has committed. */
const keptWithinUs = 2_000_000
/** Maximum pause between an agent's attempts: it pauses for as long as nothing has answered, up to this limit. */
const retryMaxUs = 65_000_000
const noticingUs = 15_000_000
/** By this share the clock of an agent may be faster. */
const clockShare = 0.06

type Excuses = { readonly C7: 'restored'; readonly C8: 'out of reach' }
type Run = Pick<CheckedRun, 'nowUs' | 'contactSinceUs' | 'staleDefaultMs'> & Judge<Excuses>
type Contact = Pick<LeaderContact, 'changedUs' | 'byAllUs'>
type Held = readonly HeldIntention[]

/**
 * Judges intentions and decisions.
 * 1. C7: each pair of ends has at most one intention. An acknowledged change was in the state at the time of its
 *    answer, a refused one never is. A command changes only the intention that it names.
 * 2. C8: `check` decides as an independent judge does by the intentions at some time between the question and the
 *    answer. An agent's decision by its cached intentions is the same, or follows those of shortly before. An agent that
 *    is cut off decides by intentions no older than its last refresh. It calls no cached intentions older than its
 *    process, with which its cache began.
 */
export class IntentionLaws {
  readonly #run: Run
  readonly #contact: Contact
  /** By agent, when its cache was last known to be refreshed. */
  readonly #refreshedUs = new Map<string, number>()
  /** All intentions, with all versions. */
  readonly #versions: Version<Held>[] = [{ value: [], fromUs: 0, event: 0 }]
  /** By agent, when its process began. */
  readonly #begunUs = new Map<string, number>()
  /** What was refused, by its unique description. */
  readonly #refused = new Map<string, string>()
  readonly #described = new Set<string>()
  #isAllowedByDefault = true
  #restoredUs = Number.NEGATIVE_INFINITY

  constructor(run: Run, contact: Contact) {
    this.#run = run
    this.#contact = contact
  }

  settings(isAllowedByDefault: boolean): void {
    this.#isAllowedByDefault = isAllowedByDefault
  }

  began(agent: string): void {
    this.#begunUs.set(agent, this.#run.nowUs())
  }

  /** `id`: that of the intention that the command names. */
  changed(now: Held, id: string): void {
    const before = new Map(this.#now.map((each) => [each.id, JSON.stringify(each)]))
    const after = new Map(now.map((each) => [each.id, JSON.stringify(each)]))
    const others = [...new Set([...before.keys(), ...after.keys()])].filter(
      (each) => each !== id && before.get(each) !== after.get(each),
    )
    this.#run.judged('C7')
    if (others.length > 0) this.#run.report('C7', `a command about ${id} has changed ${others.join(', ')}, too`)
    this.#are(now)
  }

  replaced(now: Held): void {
    if (now.length + this.#now.length === 0) return
    this.#run.excused('C7', 'restored')
    this.#restoredUs = this.#run.nowUs()
    this.#are(now)
  }

  get #now(): Held {
    return this.#versions.at(-1)?.value ?? []
  }

  #are(now: Held): void {
    const pairs = new Map<string, string>()
    for (const each of now) {
      const other = pairs.get(pairOf(each))
      this.#run.judged('C7')
      if (other !== undefined) this.#run.report('C7', `${pairOf(each)} has two intentions, ${other} and ${each.id}`)
      pairs.set(pairOf(each), each.id)
      this.#described.add(each.description)
      this.#isNotRefused(each.description)
    }
    this.#versions.push({ value: now, fromUs: this.#run.nowUs(), event: eventIn(this.#run) })
  }

  #isNotRefused(description: string): void {
    const what = this.#refused.get(description)
    if (what !== undefined) this.#run.report('C7', `refused, but stored all the same: ${what}`)
  }

  answered(change: IntentionChange): void {
    const { agent, kind, id, wanted, outcome, calledUs, endedUs } = change
    const what = `${kind} ${wanted === undefined ? id : `${pairOf(wanted)} (${wanted.action})`} at ${agent}`
    if (this.#restoredUs >= calledUs) return this.#run.excused('C7', 'restored')
    this.#run.judged('C7')
    const seen = this.#within(calledUs, endedUs)
    if (outcome === 'done') {
      if (!seen.some((held) => isDone(held, id, wanted)))
        this.#run.report('C7', `acknowledged, but in effect at no time in between: ${what}`)
      return
    }
    if (outcome === 'duplicate' && wanted !== undefined) {
      const isThere = (held: Held): boolean => held.some((each) => each.id !== id && pairOf(each) === pairOf(wanted))
      if (!seen.some(isThere))
        this.#run.report('C7', `refused as the second of its pair, although the pair had none: ${what}`)
    }
    if (wanted === undefined) return
    this.#refused.set(wanted.description, what)
    if (this.#described.has(wanted.description)) this.#isNotRefused(wanted.description)
  }

  decided(decision: IntentionDecision): void {
    this.#isOfAge(decision)
    const { agent, how, source, destination, isAllowed, calledUs, endedUs } = decision
    const fromUs = how === 'check' ? calledUs - this.#run.staleDefaultMs * 1000 : this.#keptFromUs(decision)
    if (fromUs === undefined) return this.#run.excused('C8', 'out of reach')
    this.#run.judged('C8')
    const all = this.#within(fromUs, endedUs)
    const isSo = (held: Held): boolean => {
      const found = deciding(held, source, destination)
      return (found === undefined ? this.#isAllowedByDefault : found.action === 'allow') === isAllowed
    }
    if (all.some(isSo)) return
    const found = deciding(all.at(-1) ?? [], source, destination)
    const by = found === undefined ? 'no intention matches' : `${pairOf(found)} says ${found.action}`
    this.#run.report(
      'C8',
      `${how} at ${agent} ${isAllowed ? 'allows' : 'denies'} ${source} to connect to ${destination} (asked at ${secondsText(calledUs)}): ${by}`,
      [this.#versions.at(-1)?.event ?? 0],
    )
  }

  #isOfAge({ agent, destination, ageS, calledUs, endedUs }: IntentionDecision): void {
    if (ageS === undefined) return
    this.#run.judged('C8')
    const ranUs = endedUs - (this.#begunUs.get(agent) ?? 0)
    // It also catches an age that is no number.
    if (ageS * 1e6 <= ranUs * (1 + clockShare)) return
    this.#run.report(
      'C8',
      `authorize at ${agent} decides about ${destination} (asked at ${secondsText(calledUs)}) by intentions with an age of ${ageS} s, but the agent has run for ${(ranUs / 1e6).toFixed(1)} s`,
    )
  }

  /**
   * From when the agent's cached intentions may be; undefined: they may be of any time.
   * 1. An agent in contact refreshes its cache at once. After a failed refresh it pauses for as long as nothing has
   *    answered, which is no longer than the time between its last refresh and the contact.
   * 2. Until then, it has at least what it knew at its last refresh, wherever it has asked meanwhile, if every server
   *    heard a leader then, and none has come back since: otherwise a server may have given it an older state.
   */
  #keptFromUs({ agent, calledUs }: IntentionDecision): number | undefined {
    const contactUs = this.#run.contactSinceUs(agent)
    const knownUs = this.#refreshedUs.get(agent) ?? 0
    if (contactUs !== undefined) {
      const pauseUs = Math.min(retryMaxUs, Math.max(0, contactUs - knownUs))
      if (contactUs + noticingUs + pauseUs <= calledUs) {
        this.#refreshedUs.set(agent, calledUs)
        return calledUs - keptWithinUs
      }
    }
    const keptUs = knownUs - keptWithinUs
    const { changedUs, byAllUs } = this.#contact
    return knownUs > 0 && changedUs <= knownUs && byAllUs >= keptUs ? keptUs : undefined
  }

  #within(fromUs: number, toUs: number): readonly Held[] {
    return within(this.#versions, fromUs, toUs).map((held) => held ?? [])
  }
}

function isDone(held: Held, id: string, wanted: IntentionChange['wanted']): boolean {
  const found = held.find((each) => each.id === id)
  if (wanted === undefined) return found === undefined
  return (
    found !== undefined &&
    pairOf(found) === pairOf(wanted) &&
    found.action === wanted.action &&
    found.description === wanted.description
  )
}

function heldIn(tx: ReadTransaction): Held {
  return allIntentions(tx).map(({ id, source, destination, action, description }) => ({
    id,
    source: `${source.namespace}/${source.name}`,
    destination: `${destination.namespace}/${destination.name}`,
    action,
    description,
  }))
}

export const intentionLaws = checker({
  codes: {
    C7: {
      text: 'intentions: each pair has at most one; an acknowledged change was applied, and a refused one never is',
      sources: ['docs/reference/mesh.md#duplicate-intentions'],
      evidence: ['intentions', 'requests', 'elections'],
      judges: ['state or change of intentions', 'states and changes of intentions'],
      excuses: {
        restored:
          'What a restored snapshot put in the place of intentions; changes that were asked for after it are judged.',
      },
    },
    C8: {
      text: 'decisions: connections are allowed or denied as an independent evaluation of the intentions at that time says, and the age of cached ones is no greater than that of the agent',
      sources: ['docs/reference/mesh.md#precedence', 'docs/reference/http-reads.md#cache-headers'],
      evidence: ['intentions', 'forwards', 'requests'],
      judges: ['decision', 'decisions'],
      excuses: {
        'out of reach':
          'An agent that was not in contact with a leader may decide by what it has cached, of any time once a server has come back meanwhile; until it has been in contact for 15 seconds and as long as it was not.',
      },
      // Its scenarios let leaders die and links break all the time.
      excusesMost: { 'out of reach': 0.65 },
    },
  },
  make: (run) => new IntentionLaws(run, run.of(leaderContact)),
  takes: {
    'process began': (it, { node }) => it.began(node),
    'settings read': (it, { config: { access } }) => it.settings(!access.enabled || access.defaultPolicy === 'allow'),
    'command took effect': (it, { command: { body }, index, tx }) => {
      if (tx.lastChange(intentionsTable) === index) it.changed(heldIn(tx), (body as { readonly id?: string }).id ?? '')
    },
    'state replaced': (it, { tx }) => it.replaced(heldIn(tx)),
    'intention answered': (it, change) => it.answered(change),
    'intention decided': (it, decision) => it.decided(decision),
  },
})
