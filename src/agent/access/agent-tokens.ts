import type { Closable } from '../../env/async.ts'
import type { AgentTokenSlot } from '../../features/contract/access-control.ts'
import type { AccessTokens } from '../settings/access-settings.ts'

/** With that which no configuration has. */
type Held = AccessTokens & { readonly meshReplication: string }

const configuredSlots = {
  default: 'default',
  agent: 'agent',
  'agent-master': 'agentMaster',
  replication: 'replication',
} as const

const slots: Readonly<Record<AgentTokenSlot, keyof Held>> = {
  ...configuredSlots,
  'mesh-replication': 'meshReplication',
}

/**
 * Secrets of the tokens that the agent itself goes by. What is set while it runs holds until it ends, or until the
 * configuration says something new. Reference: access-control.md#agent-token-slots, access-control.md#special-tokens.
 */
export class AgentTokens {
  #configured: AccessTokens
  #now: Held
  readonly #followers = new Set<() => void>()

  constructor(configured: AccessTokens) {
    this.#configured = configured
    this.#now = { ...configured, meshReplication: '' }
  }

  /** Stands in where a request has none, and for services without their own. */
  get default(): string {
    return this.#now.default
  }

  /** Of what the agent does of its own accord. */
  get agent(): string {
    return this.#now.agent === '' ? this.#now.default : this.#now.agent
  }

  get agentMaster(): string {
    return this.#now.agentMaster
  }

  get replication(): string {
    return this.#now.replication
  }

  /** Of a server that asks the primary datacenter for the mesh; unless it has one for that, the one with which it copies the rest. */
  get meshReplication(): string {
    return this.#now.meshReplication === '' ? this.#now.replication : this.#now.meshReplication
  }

  /** Empty clears it. */
  set(slot: AgentTokenSlot, secret: string): void {
    this.#take({ ...this.#now, [slots[slot]]: secret })
  }

  /** Calls `use` when one of them has become another. */
  onChange(use: () => void): Closable {
    this.#followers.add(use)
    return { close: () => this.#followers.delete(use) }
  }

  /** Of a configuration that was read again, what is new in it. */
  reload(configured: AccessTokens): void {
    let next = this.#now
    for (const name of Object.values(configuredSlots)) {
      if (configured[name] !== this.#configured[name]) next = { ...next, [name]: configured[name] }
    }
    this.#configured = configured
    this.#take(next)
  }

  #take(next: Held): void {
    const before = this.#now
    this.#now = next
    if (Object.values(slots).every((name) => next[name] === before[name])) return
    for (const use of [...this.#followers]) use()
  }
}
