import type { Random, RandomStream } from '../../src/env/random.ts'
import type { Boot } from '../world/boot.ts'
import type { Draws } from '../world/decisions/draws.ts'
import type { Machine } from './machine.ts'

/**
 * A process's decisions belong to its life: a restarted process draws other numbers than in its last life. Raft's
 * timeouts belong to the node, by their term: how often a server was started before changes none of them.
 */
export class SimRandom implements Random {
  readonly #machine: Machine
  readonly #boot: Boot

  constructor(machine: Machine, boot: Boot) {
    this.#machine = machine
    this.#boot = boot
  }

  draws(purpose: string, ...about: readonly (string | number)[]): RandomStream {
    const { kernel } = this.#machine
    kernel.enter(this.#boot)
    const { decisions } = kernel
    const draws = purpose.startsWith(byTerm)
      ? decisions.drawsApart(this.#boot.name, purpose, ...about)
      : decisions.drawsOnce(this.#boot.identity, purpose, ...about)
    return kernel.remarksDraws ? new RemarkedDraws(this.#machine, [purpose, ...about].join(' '), draws) : draws
  }
}

const byTerm = 'raft.'

/** Reports draws to the reader of a trace; the hash does not change. */
class RemarkedDraws implements RandomStream {
  readonly #machine: Machine
  readonly #what: string
  readonly #draws: Draws

  constructor(machine: Machine, what: string, draws: Draws) {
    this.#machine = machine
    this.#what = what
    this.#draws = draws
  }

  uint32(): number {
    return this.#remarked(this.#draws.uint32())
  }

  below(bound: number): number {
    return this.#remarked(this.#draws.below(bound))
  }

  fraction(): number {
    return this.#remarked(this.#draws.fraction())
  }

  #remarked(drawn: number): number {
    this.#machine.kernel.trace.remark(this.#machine.host.number, `draws ${drawn} for ${this.#what}`)
    return drawn
  }
}
