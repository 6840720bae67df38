import { checker, eventIn, type Judge } from '../checker.ts'
import type { Facts } from '../facts.ts'
import { secondsText } from '../keys/key-history.ts'
import type { AccessSettings, AccessState, DuePart, ResolutionFacts, TokenState, Visit } from './access-facts.ts'
import type { AccessFederation, AccessPlace } from './access-federation.ts'
import { AccessVerdicts } from './access-verdicts.ts'
import { AccessVersions, tokenName, type Version } from './access-versions.ts'
import { copiedAccess } from './copied-access.ts'
import { tokenMigration } from './token-migration.ts'

type AccessExcuses = Readonly<Record<'A1' | 'A4' | 'A7', 'out of reach'>> & { readonly A5: 'denies when down' }

/** Time in which an agent notices that it reaches servers again. */
const noticingUs = 15_000_000

/**
 * Judges answers to requests with tokens.
 * 1. A1: some state allowed whatever was allowed or shown, or took effect. The states that count are those of each
 *    token and policy between the call and the answer, or at most its time to live before the call (longer while the
 *    agent reached no server). If a datacenter copies tokens, its copies count, too.
 * 2. A4: a token that existed, and was allowed this in every such state, is not refused if its agent reaches a server,
 *    whatever the refusal says.
 * 3. A7: under the same conditions, what a list must have had is shown.
 * 4. A5: nor is it refused after it was copied, even if the primary datacenter cannot be reached any more.
 */
export class AccessHistory {
  readonly #judge: Judge<AccessExcuses>
  readonly #facts: ResolutionFacts
  readonly #federation: AccessFederation | undefined
  #settings: AccessSettings | undefined
  readonly #versions = new AccessVersions()
  readonly #verdicts = new AccessVerdicts()

  constructor(judge: Judge<AccessExcuses>, facts: ResolutionFacts, federation?: AccessFederation) {
    this.#judge = judge
    this.#facts = facts
    this.#federation = federation
  }

  /** An agent starts with these settings. Until one has started, nothing is judged. */
  settings(settings: AccessSettings): void {
    this.#settings = settings
    this.#verdicts.settings(settings)
  }

  changed(state: AccessState): void {
    this.#versions.changed(state, eventIn(this.#judge))
  }

  /** Adds a version of one token. */
  tokenWritten(atUs: number, secret: string, token: TokenState): void {
    this.#versions.tokenWritten(atUs, secret, token, eventIn(this.#judge))
  }

  visited(visit: Visit): void {
    if (this.#settings === undefined) return
    if (visit.said === 'allowed') this.#wasAllowed(visit, visit.callUs - this.#settings.ttlUs)
    else this.#wasRefused(visit, visit.callUs - this.#settings.ttlUs)
  }

  /** `fromUs`: states that ended before this time may no longer be used. */
  #wasAllowed(visit: Visit, fromUs: number): void {
    this.#judge.judged('A1')
    const isBeside = this.#isSteady(this.#facts.reachingSinceUs(visit.agent), visit)
    const isSteady = isBeside && this.#reachesPrimary(visit)
    const copies = this.#copiesFor(visit)?.versions
    // An agent that was out of contact may have used cached rights; if the token was copied, its copy decides.
    const isHeard = isBeside && wasKnown(copies?.tokens.get(visit.secret), fromUs)
    if (!isSteady && !isHeard) this.#judge.excused('A1', 'out of reach')
    const ownUs = isSteady || isHeard ? fromUs : Number.NEGATIVE_INFINITY
    const isAllowed =
      this.#verdicts.of(this.#versions, visit, ownUs).includes('allowed') ||
      (copies !== undefined && this.#verdicts.of(copies, visit, isBeside ? fromUs : ownUs).includes('allowed'))
    if (!isAllowed) this.#tell('A1', visit, 'no state of that time allows it')
  }

  #wasRefused(visit: Visit, fromUs: number): void {
    if (!this.#isSteady(this.#facts.reachingSinceUs(visit.agent), visit))
      return this.#judge.excused('A4', 'out of reach')
    const place = this.#copiesFor(visit)
    if (place !== undefined) return this.#wasRefusedCopy(visit, place, fromUs)
    if (!this.#reachesPrimary(visit)) return this.#judge.excused('A4', 'out of reach')
    this.#judge.judged('A4')
    if (this.#verdicts.of(this.#versions, visit, fromUs).every((each) => each === 'allowed')) {
      this.#tell('A4', visit, 'every state of that time allows it, and its agent reaches a server')
    }
  }

  /** A list was shown. If tokens are copied, the copies must have allowed it as well. */
  compared(asked: Facts['view compared']['visit'], due: readonly DuePart[]): void {
    if (this.#settings === undefined || due.length === 0) return
    const fromUs = asked.callUs - this.#settings.ttlUs
    const copies = this.#copiesFor(asked)?.versions
    const isReaching = this.#isSteady(this.#facts.reachingSinceUs(asked.agent), asked)
    if (!isReaching || (copies === undefined && !this.#reachesPrimary(asked))) {
      return this.#judge.excused('A7', 'out of reach')
    }
    const states = copies === undefined ? [this.#versions] : [this.#versions, copies]
    const mustBeSeen = ({ needs }: DuePart): boolean =>
      states.every((each) => this.#verdicts.of(each, { ...asked, needs }, fromUs).every((said) => said === 'allowed'))
    const hidden = due.filter((part) => !part.isShown && mustBeSeen(part))
    if (hidden.length > 0 || due.some(({ isShown }) => isShown)) this.#judge.judged('A7')
    for (const { name } of hidden.slice(0, 1)) {
      const what = `${asked.what}, without ${name}`
      this.#tell(
        'A7',
        { ...asked, what, said: 'allowed' },
        'it was there, and every state of that time lets it be seen',
      )
    }
  }

  /**
   * In a datacenter that copies tokens, a copied token is valid for as long as the primary datacenter has the same
   * token.
   */
  #wasRefusedCopy(visit: Visit, place: AccessPlace, fromUs: number): void {
    const isLed = (place.ledSinceUs ?? Number.POSITIVE_INFINITY) + noticingUs <= visit.callUs
    const isCalm = (this.#federation?.calmSinceUs ?? 0) + noticingUs <= visit.callUs
    if (place.deniesWhenDown && !(isLed && isCalm)) return this.#judge.excused('A5', 'denies when down')
    this.#judge.judged('A5')
    const copiedUs = changesOf(place.versions, visit.secret).find(
      (atUs) =>
        atUs <= fromUs &&
        this.#verdicts
          .of(place.versions, { ...visit, returnUs: atUs + 1 }, atUs + 1)
          .every((each) => each === 'allowed') &&
        this.#verdicts.of(this.#versions, visit, atUs + 1).every((each) => each === 'allowed'),
    )
    if (copiedUs === undefined) return
    this.#tell('A5', visit, `its copy allowed it at ${secondsText(copiedUs)}, and so has every state of the primary`)
  }

  #isSteady(reachingUs: number | undefined, { callUs }: Pick<Visit, 'callUs'>): boolean {
    return reachingUs !== undefined && reachingUs + noticingUs <= callUs
  }

  /** Whether the servers of the agent's datacenter reach those of the primary datacenter. */
  #reachesPrimary(visit: Pick<Visit, 'callUs' | 'datacenter'>): boolean {
    if (this.#federation?.primaryOf(visit.datacenter) === undefined) return true
    return this.#isSteady(this.#facts.reachingFirstSinceUs(visit.datacenter), visit)
  }

  /** Undefined: the agent's datacenter copies no tokens. */
  #copiesFor({ datacenter }: Pick<Visit, 'datacenter'>): AccessPlace | undefined {
    const place = this.#federation?.placeOf(datacenter)
    return place?.copiesTokens === true && this.#federation?.primaryOf(datacenter) !== undefined ? place : undefined
  }

  #tell(code: 'A1' | 'A4' | 'A5' | 'A7', visit: Omit<Visit, 'needs'>, why: string): void {
    const { agent, what, said, words = said, callUs, secret, calledIn = 0 } = visit
    const name = tokenName(this.#versions.tokens.get(secret)?.findLast(({ value }) => value !== undefined)?.value)
    this.#judge.report(
      code,
      `${agent} says '${words}' to ${name}, which would ${what} (asked at ${secondsText(callUs)}): ${why}`,
      [calledIn, ...this.#versions.eventsOf(secret)],
    )
  }
}

/** Whether it had been created by this time, even if it was removed since. */
function wasKnown(versions: readonly Version<TokenState>[] | undefined, byUs: number): boolean {
  return (versions?.[0]?.fromUs ?? Number.POSITIVE_INFINITY) <= byUs
}

/** When the token, or any policy that it was ever linked to, changed. */
function changesOf({ tokens, policies }: AccessVersions, secret: string): readonly number[] {
  const states = tokens.get(secret) ?? []
  const linked = new Set(states.flatMap(({ value }) => value?.policies ?? []))
  const ofPolicies = [...linked].flatMap((id) => policies.get(id) ?? [])
  return [...states, ...ofPolicies].map(({ fromUs }) => fromUs)
}

export const accessHistory = checker({
  codes: {
    A1: {
      text: 'no escalation: everything that is allowed, shown or applied is allowed by the rules of some state during the request',
      sources: ['docs/reference/access-control.md#evaluation'],
      evidence: ['rights', 'requests', 'forwards', 'commands'],
      judges: ['visit allowed', 'visits allowed'],
      excuses: {
        'out of reach':
          'An agent that reaches no server may continue with any rights that it knew before; until it has reached one for 15 seconds.',
      },
      excusesMost: { 'out of reach': 0.4 },
    },
    A7: {
      text: 'views: a list shows everything that was there throughout the request and that its caller may see',
      sources: ['docs/reference/access-control.md#evaluation'],
      evidence: ['rights', 'requests', 'forwards', 'commands'],
      judges: ['list of visible parts', 'lists of visible parts'],
      excuses: {
        'out of reach':
          'An agent that reaches no server may continue with any rights that it knew before; until it has reached one for 15 seconds.',
      },
      excusesMost: { 'out of reach': 0.4 },
    },
  },
  also: [tokenMigration, copiedAccess],
  make: (run) => new AccessHistory(run, run.resolution, run.federation),
  takes: {
    'settings read': (it, { config: { access } }) => {
      const ttlUs = (access.tokenTtlMs + access.policyTtlMs) * 1000
      it.settings({ ttlUs, defaultPolicy: access.defaultPolicy })
    },
    'access changed': (it, { state }) => it.changed(state),
    'token written': (it, { atUs, secret, token }) => it.tokenWritten(atUs, secret, token),
    'visit made': (it, visit) => it.visited(visit),
    'view compared': (it, { visit, due }) => it.compared(visit, due),
  },
})
