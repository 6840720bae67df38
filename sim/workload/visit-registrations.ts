import type { Need } from '../checkers/access/access-facts.ts'
import type { Draws } from '../world/decisions/draws.ts'
import { type VisitDrawn, type VisitRequest, writes } from './visit-request.ts'

/**
 * Registrations and deregistrations at the catalog. An operator registers a node of its own for each of them first, so
 * that what stands there, and hence every right that the visit needs, is known. Names are found without case, and rules
 * match exactly, so a part of the visits spell the names in capitals.
 */

const address = '10.9.8.1'
const elsewhere = '10.9.8.2'

/** Whether an operator makes a request first. */
export function isPrepared(operation: string): boolean {
  return operation === 'register' || operation === 'deregister'
}

function putting(path: string, body: object) {
  return { method: 'PUT', target: `/v1/catalog/${path}`, body: JSON.stringify(body) }
}

/** The node with an instance of a service, a check of that and a check of its own. */
function prepared(node: string, service: string) {
  return putting('register', {
    Node: node,
    Address: address,
    Service: { ID: 'one', Service: service },
    Checks: [
      { CheckID: 'own', ServiceID: 'one', Status: 'passing' },
      { CheckID: 'of-node', Status: 'passing' },
    ],
  })
}

/** The name of the node as it stands, and as the visit spells it. */
function spelled({ name, mark }: VisitDrawn, draws: Draws) {
  const there = `${name}-${mark}`.replaceAll('.', '-')
  const given = draws.below(3) === 0 ? there.toUpperCase() : there
  const ofNode = [...new Set([given, there])].map((each) => writes('node', each))
  return { there, given, ofNode }
}

interface Registration {
  readonly about: string
  readonly members: object
  readonly needs: readonly Need[]
}

function registrations(drawn: VisitDrawn, node: ReturnType<typeof spelled>): readonly Registration[] {
  const { name, other } = drawn
  const skipping = { SkipNodeUpdate: true }
  const [ofNew, ofOld] = [writes('service', name), writes('service', other)]
  return [
    {
      about: 'an instance with its check',
      members: { ...skipping, Service: { ID: 'two', Service: name }, Check: { CheckID: 'two', ServiceID: 'TWO' } },
      needs: [ofNew],
    },
    {
      about: 'an instance and a check of another',
      members: { ...skipping, Service: { ID: 'two', Service: name }, Check: { CheckID: 'more', ServiceID: 'one' } },
      needs: [ofNew, ofOld],
    },
    {
      about: 'another service for the ID of an instance',
      members: { ...skipping, Service: { ID: 'ONE', Service: name } },
      needs: [ofNew, ofOld],
    },
    {
      about: 'the check of an instance for the node',
      members: { ...skipping, Check: { CheckID: 'OWN' } },
      needs: [writes('node', node.given), ofOld],
    },
    {
      about: 'the check of the node for an instance',
      members: { ...skipping, Check: { CheckID: 'of-node', ServiceID: 'one' } },
      needs: [ofOld, writes('node', node.there)],
    },
    {
      about: 'a check for an instance',
      members: { ...skipping, Check: { CheckID: 'more', ServiceID: 'One' } },
      needs: [ofOld],
    },
    { about: 'another address', members: { Address: elsewhere }, needs: node.ofNode },
  ]
}

export function registering(drawn: VisitDrawn, draws: Draws): VisitRequest {
  const node = spelled(drawn, draws)
  const all = registrations(drawn, node)
  const { about, members, needs } = all[draws.below(all.length)] as Registration
  const { name, other } = drawn
  return {
    what: `register ${about} at ${node.given} (${name}, ${other})`,
    first: prepared(node.there, other),
    ...putting('register', { Node: node.given, Address: address, ...members }),
    mark: node.given,
    needs,
  }
}

/** Both the right to the node and the right to the service of an item allow its removal. */
export function deregistering(drawn: VisitDrawn, draws: Draws): VisitRequest {
  const { given, there, ofNode } = spelled(drawn, draws)
  const { other } = drawn
  const ofEither = [{ ...writes('service', other), or: ofNode }]
  const removals: readonly (readonly [members: object, needs: readonly Need[]])[] = [
    [{}, ofNode],
    [{ ServiceID: 'ONE' }, ofEither],
    [{ ServiceID: 'one' }, ofEither],
    [{ CheckID: 'OWN' }, ofEither],
    [{ CheckID: 'of-node' }, ofNode],
    [{ ServiceID: 'missing' }, ofNode],
  ]
  const [members, needs] = removals[draws.below(removals.length)] ?? [{}, ofNode]
  return {
    what: `deregister ${JSON.stringify(members)} at ${given} (${other})`,
    first: prepared(there, other),
    ...putting('deregister', { Node: given, ...members }),
    mark: given,
    needs,
  }
}
