import type { Ask } from '../../access/authorizer.ts'
import { meshSpellings } from '../../features/contract/names.ts'
import type { CheckFacts, ServiceFacts } from '../../model/catalog.ts'
import { meshDestination } from '../../model/mesh-service.ts'
import { type Due, itemKey } from './entries.ts'
import type { OwnCall } from './own-refusals.ts'
import type { OwnTokens } from './parts.ts'

/** Requests of anti-entropy to servers, described for the log, with the rights that they need. */

/** A service with those of its checks that are to be synced, or a single check. */
export interface Offer {
  readonly service: Due<ServiceFacts> | null
  readonly checks: readonly Due<CheckFacts>[]
  /** The secret of the token that syncs it. */
  readonly token: string
}

export function thingOf(kind: 'service' | 'check', id: string): string {
  return `${kind} ${itemKey(id)}`
}

export function comparing(node: string, { agent }: OwnTokens): OwnCall {
  const asks: readonly Ask[] = [{ resource: 'node', name: node, right: 'read' }]
  return { thing: 'comparison', doing: `compare node ${JSON.stringify(node)} with the catalog`, token: agent, asks }
}

/**
 * The right to write the node suffices to remove what is on it, because the name of a removed service is no longer
 * known.
 */
export function deregistering(
  node: string,
  [kind, id]: readonly ['service' | 'check', string],
  token: string,
): OwnCall {
  return {
    thing: thingOf(kind, id),
    doing: `deregister ${kind} ${JSON.stringify(id)}`,
    token,
    asks: [writing('node', node)],
    blocked: `${kind}.deregistration`,
  }
}

/**
 * A refusal of several offers is never reported as one: each is then registered alone. `withNode`: the node's own data
 * are sent along.
 */
export function registering(node: string, [offer]: readonly Offer[], withNode: boolean, tokens: OwnTokens): OwnCall {
  const ofNode = withNode ? [writing('node', node)] : []
  const service = offer?.service?.facts ?? undefined
  const check = offer?.checks[0]?.facts ?? undefined
  if (offer !== undefined && service !== undefined) {
    const destination = meshDestination(service)
    const names = [service.service, ...(destination === undefined ? [] : meshSpellings(destination))]
    const asks = [...ofNode, ...names.map((name) => writing('service', name))]
    const { id } = service
    const doing = `sync service ${JSON.stringify(id)}`
    return { thing: thingOf('service', id), doing, token: offer.token, asks, blocked: 'service.registration' }
  }
  if (offer === undefined || check === undefined) {
    return {
      thing: 'node',
      doing: `sync node ${JSON.stringify(node)}`,
      token: tokens.agent,
      asks: [writing('node', node)],
      blocked: 'node.registration',
    }
  }
  const { checkId, serviceId, serviceName } = check
  const of = serviceId === '' ? `node ${JSON.stringify(node)}` : `service ${JSON.stringify(serviceId)}`
  const own = serviceName === '' ? writing('node', node) : writing('service', serviceName)
  const doing = `sync check ${JSON.stringify(checkId)} of ${of}`
  const asks = [...ofNode, own]
  return { thing: thingOf('check', checkId), doing, token: offer.token, asks, blocked: 'check.registration' }
}

function writing(resource: 'node' | 'service', name: string): Ask {
  return { resource, name, right: 'write' }
}
