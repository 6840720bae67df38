import { z } from 'zod'
import { err, ok } from '../../base/result.ts'
import { userEventPrefix } from '../../model/naming/names.ts'
import { asks, refusedUnlessAllowed } from '../contract/access.ts'
import type { ServerEndpoint } from '../contract/endpoint.ts'
import { nothingReply } from '../contract/reply.ts'
import type { WithEventSending } from '../contract/server-context.ts'
import { decodeUserEvent } from './model.ts'

const fireArgs = z.object({ name: z.string(), payload: z.instanceof(Uint8Array) })

/**
 * Fires an event for agents of this datacenter that was requested in another; `payload` as `encodeUserEvent` makes it.
 */
export const fireEndpoint: ServerEndpoint<z.infer<typeof fireArgs>, null, WithEventSending> = {
  method: 'Internal.EventFire',
  kind: 'server',
  args: fireArgs,
  reply: nothingReply,
  access: asks((authorizer, { name }) => refusedUnlessAllowed(authorizer, 'event', name, 'write')),
  leader: false,
  serve: async (server, { name, payload }) => {
    // Agents act on the name inside, such as the one for remote execution: it must be the name whose right was checked.
    if (decodeUserEvent(payload, 0)?.name !== name) {
      return err({ kind: 'bad-request', message: 'the name in the event differs from the one in the path' })
    }
    const fired = server.fireEvent(userEventPrefix + name, payload)
    return fired.ok ? ok(null) : err({ kind: 'bad-request', message: fired.error })
  },
}
