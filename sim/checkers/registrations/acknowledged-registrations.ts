import { catalogDeregister } from '../../../src/features/catalog/commands.ts'
import type { DeregisterRequest } from '../../../src/model/catalog.ts'
import { type CheckedRun, checker, eventIn, type Judge } from '../checker.ts'
import { AgentNames, agentNames } from '../pool/agent-names.ts'
import { type Item, isPossible, newItem, type Value } from './acknowledged-item.ts'
import { type Telling, telling } from './owing.ts'
import { type NodeRows, noRows, type RegistrationChange } from './registration-facts.ts'

/** Interval of looks at what is owed while nothing happens. */
const lookEveryUs = 500_000
/** An abandoned request takes effect, if ever, by the time its agent has been in contact for this long. */
const settledAfterUs = 2_000_000

type Excuse = 'outcome unknown' | 'out of reach' | 'restored' | 'machine replaced'

type Run = Pick<CheckedRun, 'nowUs' | 'network'> & Judge<{ E5: Excuse }>

interface Node {
  readonly items: Map<string, Item>
  rows: NodeRows
}

/**
 * E5. What an agent has acknowledged about its services and checks is in the catalog within a time limit (`owing.ts`)
 * while the agent reaches a leader, and disappears only when a client removes it. Of overlapping requests, either may
 * be the last. A request without an answer may or may not have taken effect. At rest each agent itself has what it
 * acknowledged, whatever became of its processes since.
 */
export class AcknowledgedRegistrations {
  readonly #run: Run
  readonly #telling: Telling
  readonly #names: AgentNames
  readonly #nodes = new Map<string, Node>()
  #nextLookUs = 0

  constructor(run: Run, told: Telling, names = new AgentNames()) {
    this.#run = run
    this.#names = names
    this.#telling = told
  }

  began(change: RegistrationChange): void {
    for (const name of change.items.keys()) {
      const item = this.#item(change.node, name)
      // Everything acknowledged from here on may take effect before or after this request.
      item.open.set(change, new Set())
    }
  }

  ended(change: RegistrationChange): void {
    if (change.outcome === 'not held') for (const { checkId } of change.heard) this.#notHeld(change, checkId)
    for (const [name, value] of change.items) {
      const item = this.#item(change.node, name)
      const alongside = item.open.get(change)
      // The machine was replaced meanwhile, and requests to the old one do not count.
      if (alongside === undefined) continue
      item.open.delete(change)
      if (change.outcome === 'done') this.#acknowledged(item, change, value, alongside)
      else if (change.outcome === 'unknown') this.#lost(item, change)
    }
    this.#look(change.node)
  }

  listed(node: string, rows: NodeRows, isRestored: boolean): void {
    const known = this.#node(node)
    for (const [name, item] of known.items) {
      if (known.rows.items.get(name) !== rows.items.get(name)) item.listedIn = eventIn(this.#run)
    }
    known.rows = rows
    if (isRestored) {
      for (const { owing } of known.items.values()) owing.restored(this.#run.nowUs())
      this.#run.excused('E5', 'restored', known.items.size)
    }
    this.#look(node)
  }

  /** The servers remove one service or check from the catalog. E3 judges whole nodes. */
  deregistered({ node: listed, serviceId, checkId }: DeregisterRequest): void {
    if (serviceId === '' && checkId === '') return
    const node = this.#names.nodeOf(listed)
    // What the catalog had under the former name of an agent is not what the agent has.
    if (this.#names.nameOf(node) !== listed) return
    const name = serviceId === '' ? `check ${checkId}` : `service ${serviceId}`
    const item = this.#nodes.get(node)?.items.get(name)
    // A node of the catalog alone has no agent, and so no contact.
    if (item === undefined) return
    const contactUs = this.#telling.contactSinceUs(node)
    if (contactUs === undefined || contactUs > (item.last?.calledUs ?? 0)) return
    if (!item.isJudged || item.open.size > 0 || item.settled.size !== 1 || item.settled.has(undefined)) return
    this.#run.judged('E5')
    const removed = `${name} of ${node} is removed from the catalog`
    this.#run.report('E5', `${removed}, although ${item.last?.what ?? 'nothing'} was acknowledged`, [item.lastIn])
    item.settled = new Set()
  }

  /** The machine's own state is lost with it. */
  replaced(node: string): void {
    const items = this.#nodes.get(node)?.items
    if (items === undefined) return
    this.#run.excused('E5', 'machine replaced', items.size)
    items.clear()
  }

  /** `held`: the agent's own services and checks at rest, by item. */
  atRest(node: string, held: ReadonlyMap<string, string>): void {
    for (const [name, item] of this.#node(node).items) {
      const { last, settled, open } = item
      if (last === undefined || settled.size === 0 || open.size > 0) continue
      this.#run.judged('E5')
      const value = held.get(name)
      if (isPossible(item, name, value)) continue
      const is = `${name} is ${value ?? 'missing'} at ${node} itself, at rest`
      this.#run.report('E5', `${is}, and should be ${wantedText(item)}: that was acknowledged`, [item.lastIn])
    }
  }

  lookAround(): void {
    const nowUs = this.#run.nowUs()
    if (nowUs < this.#nextLookUs) return
    this.#nextLookUs = nowUs + lookEveryUs
    for (const node of this.#nodes.keys()) this.#look(node)
  }

  #acknowledged(item: Item, change: RegistrationChange, value: Value, alongside: ReadonlySet<Value>): void {
    const contactUs = this.#telling.contactSinceUs(change.node)
    const { last } = item
    const wasInReach = last === undefined || (contactUs !== undefined && contactUs <= last.calledUs)
    if (!wasInReach && !item.isJudged) this.#run.excused('E5', 'out of reach')
    for (const others of item.open.values()) others.add(value)
    item.settled = new Set([value, ...alongside])
    // An abandoned request is over if the agent was in contact long before this request.
    const isSettled = contactUs !== undefined && contactUs + settledAfterUs <= change.calledUs
    for (const lost of item.lost) {
      if (isSettled && lost.endedUs + settledAfterUs <= change.calledUs) item.lost.delete(lost)
    }
    item.last = change
    item.lastIn = eventIn(this.#run)
    item.isJudged = false
  }

  #lost(item: Item, change: RegistrationChange): void {
    item.lost.add(change)
    this.#run.excused('E5', 'outcome unknown')
  }

  /** A client reported the status of a check, and the agent says that it has no such check. */
  #notHeld(change: RegistrationChange, checkId: string): void {
    const item = this.#nodes.get(change.node)?.items.get(`check ${checkId}`)
    if (item === undefined || item.open.size > 0 || item.lost.size > 0) return
    const { settled, last } = item
    if (settled.size !== 1 || settled.has(undefined) || last === undefined || last.endedUs > change.calledUs) return
    this.#run.judged('E5')
    const said = `${change.node} says that it has no check ${checkId}`
    this.#run.report('E5', `${said}, though it acknowledged ${last.what}`, [item.lastIn])
    item.settled = new Set()
  }

  #look(node: string): void {
    const { items, rows } = this.#node(node)
    const nowUs = this.#run.nowUs()
    for (const [name, item] of items) {
      const { last, settled, owing } = item
      if (last === undefined || settled.size === 0) continue
      const listed = rows.items.get(name)
      if (isPossible(item, name, listed)) {
        owing.matches()
        if (!item.isJudged && item.open.size === 0 && item.lost.size === 0) {
          item.isJudged = true
          this.#run.judged('E5')
          if (listed !== undefined && name.startsWith('service ')) this.#told(node, last)
        }
        continue
      }
      const contactUs = this.#telling.contactSinceUs(node)
      const isAtOnce = this.#telling.isAtOnce(node, contactUs, last.calledUs)
      const lateUs = owing.overdueUs(nowUs, { owedUs: last.endedUs, contactUs, isAtOnce })
      if (lateUs === undefined) continue
      this.#run.judged('E5')
      const wanted = wantedText(item)
      this.#run.report(
        'E5',
        `${name} of ${node} is ${listed ?? 'missing'} in the catalog, and should be ${wanted}: acknowledged ${seconds(nowUs - last.endedUs)} ago, ${seconds(lateUs)} overdue`,
        [item.lastIn, item.listedIn],
      )
      item.settled = new Set()
    }
  }

  /** A change of a service, with unique content, is in the catalog. */
  #told(node: string, { calledUs }: RegistrationChange): void {
    const contactUs = this.#telling.contactSinceUs(node)
    if (contactUs !== undefined && contactUs <= calledUs) this.#telling.told(node, contactUs, this.#run.nowUs())
  }

  #node(node: string): Node {
    const known = this.#nodes.get(node) ?? { items: new Map(), rows: noRows }
    this.#nodes.set(node, known)
    return known
  }

  #item(node: string, name: string): Item {
    const { items } = this.#node(node)
    const item = items.get(name) ?? newItem(this.#run.network)
    items.set(name, item)
    return item
  }
}

function wantedText({ settled }: Item): string {
  return [...settled].map((value) => value ?? 'gone').join(', or ')
}

function seconds(us: number): string {
  return `${(us / 1e6).toFixed(3)} s`
}

export const acknowledgedRegistrations = checker({
  codes: {
    E5: {
      text: 'registrations: services and checks that an agent acknowledged are soon in the catalog, and disappear only when deregistered',
      sources: ['docs/reference/agent.md#sync-to-the-catalog'],
      evidence: ['requests', 'catalog', 'forwards'],
      judges: ['service or check acknowledged', 'services and checks acknowledged'],
      excuses: {
        'outcome unknown':
          'A change without an answer may have been made or not; until another change of the same item is answered by a running agent.',
        'out of reach':
          'An agent that reaches no leader, or was asked to leave, need not sync; until it has reached one for the bound, or another change is acknowledged.',
        restored:
          'A restored snapshot has what agents held before; until the full comparison that each of them makes by itself.',
        'machine replaced': 'A machine that replaces a lost one has none of its registrations; permanently.',
      },
    },
  },
  make: (run) => new AcknowledgedRegistrations(run, run.of(telling), run.of(agentNames)),
  takes: {
    'registration began': (it, { change }) => it.began(change),
    'registration ended': (it, { change }) => it.ended(change),
    'node listed': (it, { node, rows, isRestored }) => it.listed(node, rows, isRestored),
    'command took effect': (it, { command }) => {
      if (command.kind === catalogDeregister.kind) it.deregistered(command.body as DeregisterRequest)
    },
    'machine replaced': (it, { node }) => it.replaced(node),
    'network looked at': (it) => it.lookAround(),
  },
})
