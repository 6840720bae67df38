import { describe, expect, it } from 'vitest'
import { Leadership, RunningDuties } from '../../../src/agent/servers/leadership.ts'
import { err, ok, type Result } from '../../../src/base/result.ts'
import { catalogFeature } from '../../../src/features/catalog/feature.ts'
import type { ServerContext } from '../../../src/features/contract/server-context.ts'
import { autopilotTable, clusterNamesTable } from '../../../src/features/operator/tables.ts'
import { termOf } from '../../../src/model/log-position.ts'
import { svcNaming } from '../../../src/model/naming/naming.ts'
import type { RequestRefusal } from '../../../src/raft/core/types.ts'
import type { RaftStatus } from '../../../src/raft/raft.ts'
import { Store } from '../../../src/store/store.ts'
import { HandClock, settled } from '../features/hand-clock.ts'

const emptyState = new Store([autopilotTable, clusterNamesTable, ...(catalogFeature.tables ?? [])]).read()

/** A server whose role, and whether it has caught up, is the test's to say; it writes down when its one duty runs. */
class Led {
  readonly clock = new HandClock()
  readonly news: string[] = []
  readonly catchUps: ((result: Result<number, RequestRefusal>) => void)[] = []
  #status = { role: 'follower', term: 1 } as RaftStatus
  #tell: (status: RaftStatus) => void = () => {}
  readonly leadership: Leadership

  constructor(status: Partial<RaftStatus> = {}) {
    this.#status = { ...this.#status, ...status }
    const raft = {
      status: () => this.#status,
      onRoleChange: (use: (status: RaftStatus) => void) => {
        this.#tell = use
        return { close: () => this.news.push('deaf') }
      },
      readIndex: () => {
        const { promise, resolve } = this.clock.env.deferred<Result<number, RequestRefusal>>()
        this.catchUps.push(resolve)
        return promise
      },
    }
    const context = { naming: svcNaming, read: () => emptyState, env: this.clock.env, raft } as unknown as ServerContext
    const start = (): { close(): void } => {
      this.news.push('begun')
      return { close: () => this.news.push('ended') }
    }
    this.leadership = new Leadership(context, [{ name: 'test', start }], new RunningDuties())
  }

  become(role: RaftStatus['role'], term: number): void {
    this.#status = { ...this.#status, role, term: termOf(term) }
    this.#tell(this.#status)
  }

  async caughtUp(at: number, result: Result<number, RequestRefusal> = ok(1)): Promise<void> {
    this.catchUps[at]?.(result)
    await settled()
  }
}

describe("the leader's duties", () => {
  it('begin once the leader has caught up, and end with its leadership', async () => {
    const led = new Led()
    led.become('leader', 2)
    await settled()
    expect(led.news).toEqual([])
    await led.caughtUp(0)
    led.become('follower', 3)
    expect(led.news).toEqual(['begun', 'ended'])
  })

  it('do not begin when leadership was lost meanwhile, nor twice when it was won again', async () => {
    const led = new Led()
    led.become('leader', 2)
    led.become('follower', 3)
    led.become('leader', 4)
    await led.caughtUp(0)
    expect(led.news).toEqual([])
    await led.caughtUp(1)
    expect(led.news).toEqual(['begun'])
  })

  it('begin later when the leader could not make sure of its state at first', async () => {
    const led = new Led()
    led.become('leader', 2)
    await led.caughtUp(0, err({ kind: 'overloaded' }))
    await led.clock.advance(1_000)
    await led.caughtUp(1)
    expect(led.news).toEqual(['begun'])
  })

  it('begin on a server that led before any duty listened', async () => {
    const led = new Led({ role: 'leader', term: termOf(5) })
    await led.caughtUp(0)
    expect(led.news).toEqual(['begun'])
  })

  it('are over when the agent stops, and leave no timer', async () => {
    const led = new Led()
    led.become('leader', 2)
    await led.caughtUp(0, err({ kind: 'overloaded' }))
    led.leadership.stop()
    expect(led.clock.timers).toBe(0)
    await led.caughtUp(0)
    expect(led.news).toEqual(['deaf'])
  })
})
