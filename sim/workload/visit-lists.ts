import type { Need } from '../checkers/access/access-facts.ts'
import type { Draws } from '../world/decisions/draws.ts'
import {
  instancesIn,
  keyNamesIn,
  keysIn,
  nodeWithServicesIn,
  serviceNamesIn,
  sessionsIn,
  waysIn,
} from './visit-answers.ts'
import { get, type VisitDrawn, type VisitRequest } from './visit-request.ts'
import { listing, listingNames } from './visit-views.ts'

/** Requests for lists of keys, sessions and parts of the catalog. */

const waitMs = 1_500

export function keys({ name }: VisitDrawn): VisitRequest {
  return list(`/v1/kv/${name}?recurse`, keysIn, listing('keys', name))
}

export function keyNames({ name }: VisitDrawn, draws: Draws): VisitRequest {
  const target = `/v1/kv/${name}?keys`
  if (draws.below(2) === 0) return list(target, keyNamesIn, listingNames(name))
  return { ...get(`${target}&separator=${draws.below(2) === 0 ? '-' : '/'}`, []), shown: keyNamesIn }
}

export function keysLater({ name, memory }: VisitDrawn): VisitRequest {
  const index = memory.indexes.get(name) ?? 0
  const indexed = (told: number): void => void memory.indexes.set(name, told)
  return {
    ...list(`/v1/kv/${name}?recurse&index=${index}&wait=${waitMs}ms`, keysIn, listing('keys', name)),
    indexed,
  }
}

export function sessions({ memory, node }: VisitDrawn, draws: Draws): VisitRequest {
  const target = draws.below(3)
  if (target === 0) return list('/v1/session/list', sessionsIn, listing('sessions'))
  if (target === 1) return list(`/v1/session/node/${node}`, sessionsIn, listing('sessions of a node', node))
  return { ...get(`/v1/session/info/${memory.session(draws).id}`, []), shown: sessionsIn }
}

export function health({ name, node }: VisitDrawn, draws: Draws): VisitRequest {
  switch (draws.below(6)) {
    case 0:
      return list(`/v1/health/service/${name}`, instancesIn, listing('instances', name))
    case 1:
      // A cache may have an answer of before the request.
      return { ...get(`/v1/health/service/${name}?cached`, []), shown: instancesIn }
    case 2:
      return list(`/v1/health/checks/${name}`, instancesIn, listing('checks of a service', name))
    case 3:
      return list(`/v1/health/node/${node}`, instancesIn, listing('checks of a node', node))
    case 4:
      return list('/v1/health/state/any', instancesIn, listing('checks'))
    default:
      return list(`/v1/health/connect/${name}`, waysIn(name), listing('ways', name))
  }
}

export function catalog({ name, node }: VisitDrawn, draws: Draws): VisitRequest {
  switch (draws.below(5)) {
    case 0:
      return list('/v1/catalog/services', serviceNamesIn, listing('services'))
    case 1:
      return list(`/v1/catalog/node/${node}`, nodeWithServicesIn, listing('services of a node', node))
    case 2:
      return list('/v1/catalog/nodes', instancesIn, listing('nodes'))
    case 3:
      return list(`/v1/catalog/service/${name}`, instancesIn, listing('instances', name))
    default:
      return list(`/v1/catalog/connect/${name}`, waysIn(name), listing('ways', name))
  }
}

function list(
  target: string,
  shown: (body: string) => readonly Need[],
  lists: NonNullable<VisitRequest['lists']>,
): VisitRequest {
  return { ...get(target, []), shown, lists }
}
