import { z } from 'zod'
import { jsonOrUndefined } from '../base/json.ts'

/** Checks that are named; of more only the number is. */
const namedMax = 4

const entries = z.array(
  z.object({
    Node: z.object({ Node: z.string() }),
    Service: z.object({ ID: z.string() }),
    Checks: z.array(z.object({ Name: z.string(), Status: z.string() })).nullable(),
  }),
)

/** Why a service has no instance to connect to, from all that are registered: which of their checks do not pass. */
export function whyUnhealthy(body: Uint8Array): string {
  const read = entries.safeParse(jsonOrUndefined(body))
  if (!read.success) return 'no instance of it is healthy'
  if (read.data.length === 0) return 'no proxy of it is registered'
  const failing = read.data.flatMap(({ Node, Service, Checks }) =>
    (Checks ?? [])
      .filter(({ Status }) => Status !== 'passing')
      .map(({ Name, Status }) => `${JSON.stringify(Name)} of ${Service.ID} on ${Node.Node} is ${Status}`),
  )
  const more = failing.length > namedMax ? `, and ${failing.length - namedMax} more checks do not pass` : ''
  const named = failing.slice(0, namedMax).join(', ')
  return `no instance of it is healthy${named === '' ? '' : `: ${named}${more}`}`
}
