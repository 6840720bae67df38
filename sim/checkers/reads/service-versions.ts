import { servicesTable } from '../../../src/features/catalog/tables.ts'
import { instancesOf } from '../../../src/features/catalog/views.ts'
import { coordinatesTable } from '../../../src/features/discovery/nearness.ts'
import type { Coordinate } from '../../../src/model/coordinate.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import { type Version, within } from '../access/access-versions.ts'
import { checker } from '../checker.ts'
import { inOrder } from './held.ts'

/** A service at one time, as the replicated state has it, and where nodes are. */
export interface ServiceVersion {
  /** Its instances in the words of `instanceWord`, in their order. */
  readonly instances: string
  readonly places: ReadonlyMap<string, Coordinate>
}

export function instanceWord(node: string, id: string, port: number, tags: readonly string[]): string {
  return `${node}/${id}:${port} [${tags.join(' ')}]`
}

export function allInstances(words: readonly string[]): string {
  return inOrder(words, ', ')
}

/** What the replicated state has had of the services that clients ask for, from the time that the first asked. */
export class ServiceVersions {
  readonly #nowUs: () => number
  readonly #versions = new Map<string, Version<ServiceVersion>[]>()

  constructor(nowUs: () => number) {
    this.#nowUs = nowUs
  }

  follow(service: string): void {
    this.#versions.set(service, [])
  }

  changed(tx: ReadTransaction, index: number): void {
    if (this.#versions.size === 0) return
    if (tx.lastChange(servicesTable) === index || tx.lastChange(coordinatesTable) === index) this.replaced(tx)
  }

  replaced(tx: ReadTransaction): void {
    for (const [service, versions] of this.#versions) {
      const words = [...instancesOf(tx, service)].map(({ node, id, port, tags }) => instanceWord(node, id, port, tags))
      const places = new Map([...tx.all(coordinatesTable)].map(({ node, coordinate }) => [node, coordinate]))
      versions.push({ value: { instances: allInstances(words), places }, fromUs: this.#nowUs(), event: 0 })
    }
  }

  /** All that were in force at some time of these; undefined: what was before the first is not known. */
  between(service: string, fromUs: number, toUs: number): readonly ServiceVersion[] | undefined {
    const found = within(this.#versions.get(service) ?? [], fromUs, toUs)
    return found.includes(undefined) ? undefined : (found as readonly ServiceVersion[])
  }
}

export const serviceVersions = checker({
  codes: {},
  make: (run) => new ServiceVersions(run.nowUs),
  takes: {
    'service followed': (it, { service }) => it.follow(service),
    'command took effect': (it, { index, tx }) => it.changed(tx, index),
    'state replaced': (it, { tx }) => it.replaced(tx),
  },
})
