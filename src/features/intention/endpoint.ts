import { z } from 'zod'
import type { Authorizer } from '../../access/authorizer.ts'
import { ok } from '../../base/result.ts'
import { noChange } from '../../model/log-position.ts'
import { asks, filters, keptOf } from '../contract/access.ts'
import type { QueryEndpoint, ServerEndpoint } from '../contract/endpoint.ts'
import { meshSpellings } from '../contract/names.ts'
import { flagReply, listOfAll, orNull, replyWith } from '../contract/reply.ts'
import type { WithConsensus, WithServerAccess, WithState } from '../contract/server-context.ts'
import { byRow, newestOf } from '../contract/visible-index.ts'
import { type IntentionRow, intentionId, place } from './model.ts'
import { areIntentions, isIntention } from './replies.ts'
import {
  allIntentions,
  decidingIntention,
  intentionById,
  intentionDeparturesIndex,
  intentionsFor,
  intentionsIndex,
} from './views.ts'

/** The part of the server that these endpoints use. */
type IntentionServer = WithState & WithConsensus & WithServerAccess

/** Rights to an intention are those to its destination, by name. Reference: mesh.md#rights-to-intentions. */

const noArgs = z.object({})

const sight = {
  all: (authorizer: Authorizer) => authorizer.readsAll('intention'),
  floor: intentionDeparturesIndex,
  never: intentionsIndex,
}

export const listEndpoint: QueryEndpoint<z.infer<typeof noArgs>, readonly IntentionRow[]> = {
  method: 'Intention.List',
  kind: 'query',
  args: noArgs,
  reply: replyWith(areIntentions),
  access: filters(
    (authorizer, intentions) =>
      authorizer.readsAll('intention')
        ? intentions
        : keptOf(intentions, ({ destination }) => authorizer.allows('intention', destination.name, 'read')),
    byRow({ ...sight, newest: (_authorizer, _state, _args, intentions) => newestOf(intentions) }),
  ),
  query: (tx) => ({ index: intentionsIndex(tx), value: allIntentions(tx) }),
}

const idArgs = z.object({ id: intentionId })

export const getEndpoint: QueryEndpoint<z.infer<typeof idArgs>, IntentionRow | null> = {
  method: 'Intention.Get',
  kind: 'query',
  args: idArgs,
  reply: replyWith(orNull(isIntention)),
  access: filters(
    (authorizer, intention) =>
      intention === null || authorizer.allows('intention', intention.destination.name, 'read') ? intention : null,
    byRow({ ...sight, newest: (_authorizer, _state, _args, intention) => intention?.modifyIndex ?? noChange }),
  ),
  query: (tx, { id }) => ({ index: intentionsIndex(tx), value: intentionById(tx, id) ?? null }),
}

/** Maximum number of names in one request. */
export const matchedPlacesMax = 64

const matchArgs = z.object({
  by: z.enum(['source', 'destination']),
  places: z.array(place).min(1).max(matchedPlacesMax).readonly(),
})

/** For each place, the intentions that match it, in order of precedence. */
export const matchEndpoint: QueryEndpoint<z.infer<typeof matchArgs>, readonly (readonly IntentionRow[])[]> = {
  method: 'Intention.Match',
  kind: 'query',
  args: matchArgs,
  reply: replyWith(listOfAll(areIntentions)),
  access: asks((authorizer, { places }) => {
    const names = places.flatMap(({ name }) => meshSpellings(name))
    const hidden = names.find((name) => !authorizer.allows('intention', name, 'read'))
    return hidden === undefined ? undefined : { resource: 'intention', name: hidden, right: 'read' }
  }),
  query: (tx, { by, places }) => ({
    index: intentionsIndex(tx),
    value: places.map((each) => intentionsFor(tx, by, each)),
  }),
}

const checkArgs = z.object({ source: place, destination: place })

/**
 * Whether a connection is allowed. Not a read of the store, because the policy without a matching intention is a
 * setting of the server. A caller that does not accept stale answers gets one after this server has confirmed that it
 * leads.
 */
export const checkEndpoint: ServerEndpoint<z.infer<typeof checkArgs>, boolean, IntentionServer> = {
  method: 'Intention.Check',
  kind: 'server',
  args: checkArgs,
  reply: flagReply,
  leader: true,
  access: asks((authorizer, { destination }) => {
    const hidden = meshSpellings(destination.name).find((name) => !authorizer.allows('service', name, 'read'))
    return hidden === undefined ? undefined : { resource: 'service', name: hidden, right: 'read' }
  }),
  async serve(server, ends) {
    if (server.raft.status().role === 'leader') {
      const leads = await server.leads()
      if (!leads.ok) return leads
    }
    const deciding = decidingIntention(server.read(), ends)
    if (deciding !== undefined) return ok(deciding.action === 'allow')
    return ok(server.accessControl === undefined || server.accessControl.defaultPolicy === 'allow')
  },
}
