import type { Random, RandomStream } from '../../src/env/random.ts'
import type { Boot } from '../world/boot.ts'
import type { Machine } from './machine.ts'

/**
 * Streams of one process: keyed by the number of the boot too, or a process that restarts would draw the election
 * timeouts of its last life again.
 */
export class SimRandom implements Random {
  readonly #machine: Machine
  readonly #boot: Boot
  readonly #streams = new Map<string, RandomStream>()

  constructor(machine: Machine, boot: Boot) {
    this.#machine = machine
    this.#boot = boot
  }

  stream(name: string): RandomStream {
    const { kernel } = this.#machine
    kernel.enter(this.#boot)
    let stream = this.#streams.get(name)
    if (stream === undefined) {
      stream = kernel.streams.fresh(`node/${this.#boot.name}/boot/${this.#boot.number}/${name}`)
      if (kernel.remarksDraws) stream = new RemarkedStream(this.#machine, name, stream)
      this.#streams.set(name, stream)
    }
    return stream
  }
}

/** Tells the reader of a trace what was drawn; the hash does not change. */
class RemarkedStream implements RandomStream {
  readonly #machine: Machine
  readonly #name: string
  readonly #stream: RandomStream

  constructor(machine: Machine, name: string, stream: RandomStream) {
    this.#machine = machine
    this.#name = name
    this.#stream = stream
  }

  uint32(): number {
    return this.#remarked(this.#stream.uint32())
  }

  below(bound: number): number {
    return this.#remarked(this.#stream.below(bound))
  }

  fraction(): number {
    return this.#remarked(this.#stream.fraction())
  }

  #remarked(drawn: number): number {
    this.#machine.kernel.trace.remark(this.#machine.host.number, `draws ${drawn} from ${this.#name}`)
    return drawn
  }
}
