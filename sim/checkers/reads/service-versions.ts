import { checksTable, nodesTable, servicesTable } from '../../../src/features/catalog/tables.ts'
import { allNodes, checksOfNode, instancesOf } from '../../../src/features/catalog/views.ts'
import { coordinatesTable } from '../../../src/features/discovery/nearness.ts'
import type { Coordinate } from '../../../src/model/coordinate.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import { type Version, within } from '../access/access-versions.ts'
import { type CheckedRun, checker, type ExcuseNames, eventIn, type Judge } from '../checker.ts'
import { type HeldCheck, inOrder } from './held.ts'

/** A service at one time, as in the replicated state, and the coordinates of nodes. */
export interface ServiceVersion {
  /** Its instances in the form of `instanceWord`, in their order. */
  readonly instances: string
  /** The same, each with all its checks in the form of `healthWord`. */
  readonly health: string
  /** Of these, the ones without a critical check, which a prepared query finds. */
  readonly found: string
  /** The instances that DNS offers, in the form of `placeWord`. */
  readonly offered: string
  /** All existing nodes, in the form of `nodeWord`. */
  readonly nodes: string
  readonly places: ReadonlyMap<string, Coordinate>
  /** The event of the last change of what it lists; 0: the trace is not recorded. */
  readonly event: number
}

export function instanceWord(node: string, id: string, port: number, tags: readonly string[]): string {
  return `${node}/${id}:${port} [${tags.join(' ')}]`
}

export function healthWord(instance: string, checks: readonly HeldCheck[]): string {
  return `${instance} {${inOrder(checks.map(({ id, status }) => `${id} ${status}`))}}`
}

/**
 * The port distinguishes an instance from any other: its target is a name that contains its address, or its node's
 * name.
 */
export function placeWord(port: number): string {
  return `port ${port}`
}

export function nodeWord(node: string, address: string): string {
  return `${node} at ${address}`
}

export function allInstances(words: readonly string[]): string {
  return inOrder(words, ', ')
}

/** The last change of the tables from which versions are made. */
function lastChange(tx: ReadTransaction): number {
  const tables = [tx.lastChange(servicesTable), tx.lastChange(checksTable), tx.lastChange(nodesTable)]
  return Math.max(...tables, tx.lastChange(coordinatesTable))
}

/**
 * Read row by row: which checks an instance has, and whether DNS offers it, is computed independently of the program.
 */
function instancesIn(tx: ReadTransaction, service: string): Omit<ServiceVersion, 'nodes' | 'places' | 'event'> {
  const instances: string[] = []
  const health: string[] = []
  const found: string[] = []
  const offered: string[] = []
  for (const { node, id, port, tags } of instancesOf(tx, service)) {
    const word = instanceWord(node, id, port, tags)
    const own = [...checksOfNode(tx, node)].filter(({ serviceId }) => serviceId === '' || serviceId === id)
    const checks = own.map(({ checkId, status }) => ({ id: checkId, status }))
    instances.push(word)
    health.push(healthWord(word, checks))
    if (checks.some(({ status }) => status === 'critical')) continue
    found.push(healthWord(word, checks))
    offered.push(placeWord(port))
  }
  return {
    instances: allInstances(instances),
    health: allInstances(health),
    found: allInstances(found),
    offered: allInstances([...new Set(offered)]),
  }
}

/** The versions in the replicated state of the services that clients ask for, from the first question on. */
export class ServiceVersions {
  readonly #run: Pick<CheckedRun, 'nowUs'> & Pick<Judge<ExcuseNames>, 'eventNow'>
  readonly #versions = new Map<string, Version<ServiceVersion>[]>()

  constructor(run: Pick<CheckedRun, 'nowUs'> & Pick<Judge<ExcuseNames>, 'eventNow'>) {
    this.#run = run
  }

  follow(service: string): void {
    this.#versions.set(service, [])
  }

  changed(tx: ReadTransaction, index: number): void {
    if (this.#versions.size === 0) return
    if (lastChange(tx) === index) this.replaced(tx)
  }

  replaced(tx: ReadTransaction): void {
    const places = new Map([...tx.all(coordinatesTable)].map(({ node, coordinate }) => [node, coordinate]))
    const nodes = allInstances([...allNodes(tx)].map(({ node, address }) => nodeWord(node, address)))
    for (const [service, versions] of this.#versions) {
      const now = { ...instancesIn(tx, service), nodes, places }
      const last = versions.at(-1)?.value
      const isSame = last?.health === now.health && last.nodes === nodes
      const event = isSame ? last.event : eventIn(this.#run)
      versions.push({ value: { ...now, event }, fromUs: this.#run.nowUs(), event })
    }
  }

  /** All versions in force at some time in this span; undefined: those before the first are unknown. */
  between(service: string, fromUs: number, toUs: number): readonly ServiceVersion[] | undefined {
    const found = within(this.#versions.get(service) ?? [], fromUs, toUs)
    return found.includes(undefined) ? undefined : (found as readonly ServiceVersion[])
  }
}

/** The events that made these versions what they are. */
export function changesOf(versions: readonly ServiceVersion[]): readonly number[] {
  return [...new Set(versions.map(({ event }) => event))]
}

export const serviceVersions = checker({
  codes: {},
  make: (run) => new ServiceVersions(run),
  takes: {
    'service followed': (it, { service }) => it.follow(service),
    'command took effect': (it, { index, tx }) => it.changed(tx, index),
    'state replaced': (it, { tx }) => it.replaced(tx),
  },
})
