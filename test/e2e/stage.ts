import { afterEach, beforeEach } from 'vitest'
import { leads, makeWorkplace, type RealAgent, type Workplace } from './real-agent.ts'

/** What each test of a file has to itself: a folder, and the agents that it starts, which are killed at its end. */
export class Stage {
  readonly #agents: RealAgent[] = []
  #workplace: Workplace | undefined

  /** Made once, outside the tests. */
  constructor() {
    beforeEach(() => {
      this.#workplace = makeWorkplace()
    })
    afterEach(async () => {
      await Promise.all(this.#agents.splice(0).map((agent) => agent.stop('SIGKILL')))
      this.#workplace?.remove()
      this.#workplace = undefined
    })
  }

  /** The folder. */
  get path(): string {
    if (this.#workplace === undefined) throw new Error('a stage has a folder only while a test runs')
    return this.#workplace.path
  }

  add(agent: RealAgent): RealAgent {
    this.#agents.push(agent)
    return agent
  }

  /** Adds an agent, and waits until its cluster has a leader. */
  async led(agent: RealAgent): Promise<RealAgent> {
    await leads(this.add(agent))
    return agent
  }
}
