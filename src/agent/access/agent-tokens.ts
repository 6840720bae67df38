import type { Closable } from '../../env/async.ts'
import type { AgentTokenSlot } from '../../features/contract/access-control.ts'
import type { AccessTokens } from '../settings/access-settings.ts'

/** The configured tokens, and the one that can only be set over the API. */
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
 * Secrets of the tokens that the agent itself uses. A token that is set at run time holds until the agent ends, or
 * until a reload brings another value. Reference: access-control.md#agent-token-slots,
 * access-control.md#special-tokens.
 */
export class AgentTokens {
  #configured: AccessTokens
  #now: Held
  readonly #followers = new Set<() => void>()

  constructor(configured: AccessTokens) {
    this.#configured = configured
    this.#now = { ...configured, meshReplication: '' }
  }

  /** Used for requests without a token, and for services without a token of their own. */
  get default(): string {
    return this.#now.default
  }

  /** Used for the agent's own requests. */
  get agent(): string {
    return this.#now.agent === '' ? this.#now.default : this.#now.agent
  }

  get agentMaster(): string {
    return this.#now.agentMaster
  }

  get replication(): string {
    return this.#now.replication
  }

  /** Used by a server that asks the primary datacenter for mesh data; falls back to the replication token. */
  get meshReplication(): string {
    return this.#now.meshReplication === '' ? this.#now.replication : this.#now.meshReplication
  }

  /** An empty secret clears the slot. */
  set(slot: AgentTokenSlot, secret: string): void {
    this.#take({ ...this.#now, [slots[slot]]: secret })
  }

  /** Calls `use` when one of the tokens changes. */
  onChange(use: () => void): Closable {
    this.#followers.add(use)
    return { close: () => this.#followers.delete(use) }
  }

  /** Takes over what a new configuration changed. */
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
