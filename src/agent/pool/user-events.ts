import { hideUuids } from '../../base/uuid.ts'
import type { Closable } from '../../env/async.ts'
import type { Env } from '../../env/env.ts'
import type { ReceivedEvents } from '../../features/contract/local-services.ts'
import { decodeUserEvent, suits } from '../../features/event/model.ts'
import type { Pool } from '../../gossip/pool.ts'
import type { ServiceFacts } from '../../model/catalog.ts'
import { userEventPrefix } from '../../model/naming/names.ts'
import type { UserEvent } from '../../model/remote-exec.ts'
import { FilterWork } from './filter-work.ts'

/** Number of events that an agent remembers. Reference: events.md#listing-events. */
const eventsMax = 256

/** Events of the pool that concern this agent, for clients that list them; a new one displaces the oldest. */
export class UserEvents implements ReceivedEvents {
  readonly #watchers = new Set<() => void>()
  readonly #listening: Closable
  #events: readonly UserEvent[] = []
  #stopped = false

  /** `heard` is called with each event as it arrives. */
  constructor(
    env: Pick<Env, 'clock' | 'log' | 'metrics'>,
    pool: Pool,
    nodeName: string,
    services: () => readonly ServiceFacts[],
    heard: (event: UserEvent) => void,
  ) {
    const work = new FilterWork(env.clock)
    const mayCompile = (expression: string): boolean => {
      if (work.mayCompile(expression)) return true
      env.metrics.count('gossip.dropped.filter')
      return false
    }
    this.#listening = pool.onEvent(({ name, lamport, payload }) => {
      if (!name.startsWith(userEventPrefix)) return
      const event = decodeUserEvent(payload, lamport)
      if (event === undefined) {
        env.metrics.count('gossip.dropped.event')
        env.log.write('debug', 'agent', 'a user event cannot be read', { name: hideUuids(name) }, 'sampled')
        return
      }
      // An agent that had no answer from one server asks another to fire the event: the pool takes them for two events.
      if (this.#events.some(({ id }) => id === event.id)) return
      if (!suits(event, nodeName, services(), mayCompile)) return
      env.log.write('debug', 'agent', 'new event', { name: hideUuids(event.name), id: event.id }, 'sampled')
      this.#events = [...this.#events.slice(1 - eventsMax), event]
      heard(event)
      for (const use of [...this.#watchers]) use()
    })
  }

  list(): readonly UserEvent[] {
    return this.#events
  }

  onChange(use: () => void): Closable {
    this.#watchers.add(use)
    return { close: () => this.#watchers.delete(use) }
  }

  get isStopped(): boolean {
    return this.#stopped
  }

  stop(): void {
    this.#stopped = true
    this.#listening.close()
    for (const use of [...this.#watchers]) use()
    this.#watchers.clear()
  }
}
