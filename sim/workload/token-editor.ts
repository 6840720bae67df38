import type { Env } from '../../src/env/env.ts'
import type { Endpoint } from '../../src/env/net.ts'
import type { Decisions } from '../world/decisions/decisions.ts'
import type { Draws } from '../world/decisions/draws.ts'
import { allRules, drawnRules } from './drawn-rules.ts'
import { TokenClient } from './token-client.ts'

/** What an editor of tokens does, with all defaults applied. */
export interface EditorPlan {
  readonly name: string
  readonly places: number
  /** Prefix of keys, in which # is the number of the place. Undefined: rules of all kinds, for these names. */
  readonly prefix: string | undefined
  readonly names: readonly string[]
  /** Whether all tokens are legacy ones. */
  readonly isOld: boolean
  readonly ratePerSecond: number
}

export interface EditorWorld {
  readonly decisions: Decisions
  readonly agent: (draws: Draws) => Endpoint | undefined
  /** The secret of the token with which the editor works. */
  readonly secret: () => string
  /** The latest secret of each place. */
  readonly onList: (secrets: readonly string[]) => void
}

/** A token with a policy of its own; the token is created and deleted, and the policy changes. */
interface Place {
  /** The accessor ID in the last answer; undefined while the place has no token. */
  accessor: string | undefined
  /** The latest token, even if it was deleted. */
  secret: string
  hasPolicy: boolean
  /** It has rules of its own, in the old form, and no policy. */
  readonly isLegacy: boolean
  mayWrite: boolean
  /** Linked to a second policy, shared by all places, which has no rules for its keys. */
  isLinkedTwice: boolean
  /** Rules of a legacy token in the last request for it. */
  rules: string
  /** A legacy token that may do everything, whatever its rules say. */
  isManagement: boolean
}

/** `links`: of a legacy token its type, which stands for them. */
type Edit = 'remove' | 'rules' | 'links'

/** Weights in a hundred of the edits of an existing token. */
const edits: readonly (readonly [Edit, number])[] = [
  ['remove', 30],
  ['rules', 35],
  ['links', 35],
]

/** With names, one place in this many has a legacy token. */
const legacyOneIn = 4

/** One place in this many is never edited, so that its token exists throughout. */
const steadyOneIn = 3

/** An operator that creates tokens, changes their policies and links, and deletes them, one request after another. */
export class TokenEditor {
  readonly #env: Env
  readonly #plan: EditorPlan
  readonly #world: EditorWorld
  readonly #places: Place[]
  readonly #client: TokenClient
  #isBusy = false
  #hasSecond = false
  #round = 0

  constructor(env: Env, plan: EditorPlan, world: EditorWorld) {
    this.#env = env
    this.#plan = plan
    this.#world = world
    this.#client = new TokenClient(env, world.secret)
    this.#places = Array.from({ length: plan.places }, (_, number) => ({
      accessor: undefined,
      secret: '',
      hasPolicy: false,
      isLegacy: plan.isOld || (plan.prefix === undefined && number % legacyOneIn === legacyOneIn - 1),
      mayWrite: true,
      isLinkedTwice: false,
      rules: '',
      isManagement: false,
    }))
  }

  start(): void {
    this.#round++
    this.#scheduleNext(this.#round, 1)
  }

  stop(): void {
    this.#round++
  }

  openRequests(): readonly string[] {
    return this.#isBusy ? [`${this.#plan.name} edits tokens`] : []
  }

  /** Schedules the nth turn, whose draws are its own. */
  #scheduleNext(round: number, nth: number): void {
    const draws = this.#world.decisions.draws('token editors', this.#plan.name, round, nth)
    this.#env.timers.after((1000 / this.#plan.ratePerSecond) * (0.5 + draws.fraction()), () => {
      if (this.#round !== round) return
      this.#scheduleNext(round, nth + 1)
      if (this.#isBusy || !this.#world.decisions.happens(draws)) return
      this.#world.decisions.tell(draws, () => `edit ${this.#plan.name}.${round}.${nth}`)
      this.#env.detach(this.#edit(draws))
    })
  }

  async #edit(draws: Draws): Promise<void> {
    const agent = this.#world.agent(draws)
    const number = this.#numberOf(draws)
    const place = this.#places[number]
    if (agent === undefined || place === undefined) return
    this.#isBusy = true
    await this.#editPlace(agent, number, place, draws)
    this.#isBusy = false
    this.#world.onList(this.#places.map(({ secret }) => secret))
  }

  /** Every place gets its token first; after that, only some are edited. */
  #numberOf(draws: Draws): number {
    const fresh = this.#places.findIndex(({ secret }) => secret === '')
    if (fresh >= 0) return fresh
    const edited = [...this.#places.keys()].filter((number) => number % steadyOneIn !== 0)
    return edited[draws.below(edited.length)] ?? 0
  }

  async #editPlace(agent: Endpoint, number: number, place: Place, draws: Draws): Promise<void> {
    if (place.isLegacy) return this.#editLegacy(agent, number, place, draws)
    if (!this.#hasSecond)
      this.#hasSecond = await this.#client.putPolicy(agent, `${this.#plan.name}-all`, this.#secondRules(draws))
    if (!place.hasPolicy) place.hasPolicy = await this.#putRules(agent, number, place.mayWrite, draws)
    if (place.accessor === undefined) return this.#create(agent, number, place)
    const edit = drawnEdit(draws)
    if (edit === 'rules') await this.#changeRules(agent, number, place, draws)
    else if (edit === 'links') await this.#changeLinks(agent, number, place)
    else await this.#remove(agent, place)
  }

  /** The ID of a legacy token is its secret. */
  async #editLegacy(agent: Endpoint, number: number, place: Place, draws: Draws): Promise<void> {
    const { accessor } = place
    const rules = drawnRules(draws, this.#plan.names, 'legacy')
    if (accessor === undefined) {
      Object.assign(place, { rules, isManagement: false })
      const made = await this.#client.ask(agent, 'PUT', '/v1/acl/create', this.#legacy(number, place))
      if (made === undefined) return
      const { ID } = JSON.parse(made) as { readonly ID: string }
      Object.assign(place, { accessor: ID, secret: ID })
      return
    }
    const edit = drawnEdit(draws)
    if (edit === 'remove') {
      const gone = await this.#client.ask(agent, 'PUT', `/v1/acl/destroy/${accessor}`)
      if (gone !== undefined) place.accessor = undefined
      return
    }
    Object.assign(place, edit === 'rules' ? { rules } : { isManagement: !place.isManagement })
    await this.#client.ask(agent, 'PUT', '/v1/acl/update', { ID: accessor, ...this.#legacy(number, place) })
  }

  #legacy(number: number, { rules, isManagement }: Place): object {
    return { Name: this.#policyOf(number), Type: isManagement ? 'management' : 'client', Rules: rules }
  }

  async #create(agent: Endpoint, number: number, place: Place): Promise<void> {
    const made = await this.#client.ask(agent, 'PUT', '/v1/acl/token', this.#linked(number, place))
    if (made === undefined) return
    const token = JSON.parse(made) as { readonly AccessorID: string; readonly SecretID: string }
    place.accessor = token.AccessorID
    place.secret = token.SecretID
  }

  async #changeRules(agent: Endpoint, number: number, place: Place, draws: Draws): Promise<void> {
    if (await this.#putRules(agent, number, !place.mayWrite, draws)) place.mayWrite = !place.mayWrite
  }

  async #changeLinks(agent: Endpoint, number: number, place: Place): Promise<void> {
    const next = { ...place, isLinkedTwice: !place.isLinkedTwice }
    const target = `/v1/acl/token/${place.accessor}`
    const changed = await this.#client.ask(agent, 'PUT', target, {
      AccessorID: place.accessor,
      ...this.#linked(number, next),
    })
    if (changed !== undefined) place.isLinkedTwice = next.isLinkedTwice
  }

  /** A deletion without an answer is requested again, as the next edit of the place. */
  async #remove(agent: Endpoint, place: Place): Promise<void> {
    if ((await this.#client.ask(agent, 'DELETE', `/v1/acl/token/${place.accessor}`)) !== undefined)
      place.accessor = undefined
  }

  #linked(number: number, { isLinkedTwice }: Place): object {
    const names = [this.#policyOf(number), ...(isLinkedTwice ? [`${this.#plan.name}-all`] : [])]
    return { Description: this.#policyOf(number), Policies: names.map((Name) => ({ Name })) }
  }

  #policyOf(number: number): string {
    return `${this.#plan.name}-${number}`
  }

  #putRules(agent: Endpoint, number: number, mayWrite: boolean, draws: Draws): Promise<boolean> {
    const { prefix, names } = this.#plan
    // The first place creates what the others may see a part of.
    const drawn = number === 0 ? allRules : drawnRules(draws, names, 'new')
    const rules =
      prefix === undefined
        ? drawn
        : `key_prefix "${prefix.replaceAll('#', String(number))}" { policy = "${mayWrite ? 'write' : 'read'}" }`
    return this.#client.putPolicy(agent, this.#policyOf(number), rules)
  }

  /** Rules of the shared policy, which say nothing about keys. */
  #secondRules(draws: Draws): string {
    const { prefix, names } = this.#plan
    return prefix === undefined ? drawnRules(draws, names, 'new') : 'agent "none" { policy = "read" }'
  }
}

function drawnEdit(draws: Draws): Edit {
  let left = draws.below(100)
  for (const [edit, share] of edits) {
    if (left < share) return edit
    left -= share
  }
  return 'rules'
}
