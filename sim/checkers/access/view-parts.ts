import { checksTable } from '../../../src/features/catalog/tables.ts'
import { allChecks, allNodes, allServices, nodeByName } from '../../../src/features/catalog/views.ts'
import { allIntentions } from '../../../src/features/intention/views.ts'
import { kvTable } from '../../../src/features/kv/tables.ts'
import type { ServiceQuery } from '../../../src/features/query/model.ts'
import { allQueries } from '../../../src/features/query/views.ts'
import { allSessions } from '../../../src/features/session/views.ts'
import type { CatalogCheck, CatalogService } from '../../../src/model/catalog.ts'
import { proxyKind } from '../../../src/model/mesh-service.ts'
import type { ReadTransaction } from '../../../src/store/types.ts'
import type { Need, View, ViewKind } from './access-facts.ts'

/** A part of a list, as the replicated state has it. */
export interface ViewPart {
  readonly name: string
  readonly needs: readonly Need[]
  /** Index of the last change of what puts it into the list. */
  readonly changedAt: number
}

/**
 * What a list consists of, whatever its caller may see. Read row by row, without the indexes and filters of the
 * program. What is asked for is compared exactly: the program finds more, which is not demanded here.
 */
export function partsOf({ kind, of }: View, tx: ReadTransaction): Iterable<ViewPart> {
  return readers[kind](tx, of)
}

export const partNames = {
  key: (key: string) => `key ${key}`,
  node: (node: string) => `node ${node}`,
  service: (service: string) => `service ${service}`,
  instance: (node: string, id: string) => `instance ${id} at ${node}`,
  check: (node: string, id: string) => `check ${id} at ${node}`,
  session: (id: string) => `session ${id}`,
  intention: (id: string) => `intention ${id}`,
  query: (id: string) => `query ${id}`,
} as const

const readers: Readonly<Record<ViewKind, (tx: ReadTransaction, of: string) => Iterable<ViewPart>>> = {
  keys: keysIn,
  nodes: nodesIn,
  services: (tx) =>
    instancesIn(
      tx,
      () => true,
      ({ service }) => partNames.service(service),
    ),
  'services of a node': (tx, of) => instancesIn(tx, ({ node }) => node === of),
  instances: (tx, of) => instancesIn(tx, ({ service }) => service === of),
  ways: waysIn,
  checks: (tx) => checksIn(tx, () => true),
  'checks of a node': (tx, of) => checksIn(tx, ({ node }) => node === of),
  'checks of a service': (tx, of) => checksIn(tx, ({ serviceName }) => serviceName === of),
  sessions: (tx) => sessionsIn(tx, () => true),
  'sessions of a node': (tx, of) => sessionsIn(tx, (node) => node === of),
  intentions: intentionsIn,
  queries: queriesIn,
  'found by a query': foundIn,
}

/** The right to read it. */
export function reads(resource: string, name: string): Need {
  return { resource, name, right: 'read' }
}

function* keysIn(tx: ReadTransaction, prefix: string): Iterable<ViewPart> {
  for (const { key, modifyIndex } of tx.all(kvTable)) {
    if (!key.startsWith(prefix)) continue
    yield { name: partNames.key(key), needs: [reads('key', key)], changedAt: modifyIndex }
  }
}

function* nodesIn(tx: ReadTransaction): Iterable<ViewPart> {
  for (const { node, modifyIndex } of allNodes(tx)) {
    yield { name: partNames.node(node), needs: [reads('node', node)], changedAt: modifyIndex }
  }
}

function* instancesIn(
  tx: ReadTransaction,
  isIn: (instance: CatalogService) => boolean,
  nameOf = ({ node, id }: CatalogService) => partNames.instance(node, id),
): Iterable<ViewPart> {
  for (const instance of allServices(tx)) {
    if (!isIn(instance)) continue
    const node = nodeByName(tx, instance.node)
    if (node === undefined) continue
    const needs = [reads('node', node.node), reads('service', instance.service)]
    yield { name: nameOf(instance), needs, changedAt: Math.max(instance.modifyIndex, node.modifyIndex) }
  }
}

/** The proxies of a service, and its own instances that need none. */
function* waysIn(tx: ReadTransaction, of: string): Iterable<ViewPart> {
  const leadsTo = ({ kind, service, mesh }: CatalogService): boolean =>
    kind === proxyKind ? mesh?.proxy?.destination === of : mesh?.native === true && service === of
  for (const way of instancesIn(tx, leadsTo)) yield { ...way, needs: [...way.needs, reads('service', of)] }
}

function* checksIn(tx: ReadTransaction, isIn: (check: CatalogCheck) => boolean): Iterable<ViewPart> {
  for (const check of allChecks(tx)) {
    if (!isIn(check)) continue
    const { node, checkId, serviceName, modifyIndex } = check
    const ofService = serviceName === '' ? [] : [reads('service', serviceName)]
    yield { name: partNames.check(node, checkId), needs: [reads('node', node), ...ofService], changedAt: modifyIndex }
  }
}

function* sessionsIn(tx: ReadTransaction, isIn: (node: string) => boolean): Iterable<ViewPart> {
  for (const { id, node, modifyIndex } of allSessions(tx)) {
    if (isIn(node)) yield { name: partNames.session(id), needs: [reads('session', node)], changedAt: modifyIndex }
  }
}

function* intentionsIn(tx: ReadTransaction): Iterable<ViewPart> {
  for (const { id, destination, modifyIndex } of allIntentions(tx)) {
    yield { name: partNames.intention(id), needs: [reads('intention', destination.name)], changedAt: modifyIndex }
  }
}

/**
 * What a plain query of this name finds: the instances of its service without a critical check. An instance may be
 * there since the last check was removed, so that any change of checks counts.
 */
function* foundIn(tx: ReadTransaction, of: string): Iterable<ViewPart> {
  for (const { name, modifyIndex, token, template, service } of allQueries(tx)) {
    if (name !== of || token !== '' || template.type !== '' || !isPlain(service)) continue
    const sick = [...allChecks(tx)].filter(({ status }) => status === 'critical')
    const isWell = ({ node, id }: CatalogService): boolean =>
      sick.every((check) => !isSame(check.node, node) || (check.serviceId !== '' && !isSame(check.serviceId, id)))
    const changedAt = Math.max(modifyIndex, tx.lastChange(checksTable))
    for (const part of instancesIn(tx, (one) => one.service === service.service && isWell(one))) {
      const needs = [...part.needs, reads('query', name)]
      yield { ...part, needs, changedAt: Math.max(part.changedAt, changedAt) }
    }
  }
}

/** Names are equal without case. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function isPlain({ tags, nodeMeta, onlyPassing, connect }: ServiceQuery): boolean {
  return (tags ?? []).length + (nodeMeta ?? []).length === 0 && !onlyPassing && !connect
}

/** Only managers see a query without a name. */
function* queriesIn(tx: ReadTransaction): Iterable<ViewPart> {
  for (const { id, name, modifyIndex } of allQueries(tx)) {
    if (name !== '') yield { name: partNames.query(id), needs: [reads('query', name)], changedAt: modifyIndex }
  }
}
