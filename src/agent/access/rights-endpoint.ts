import { z } from 'zod'
import type { Result } from '../../base/result.ts'
import { open } from '../../features/contract/access.ts'
import type { ServerEndpoint } from '../../features/contract/server-context.ts'
import type { Failure } from '../../model/failure.ts'
import { tokenMax } from '../serving/request.ts'
import { type TokenRights, tokenRights } from './rights.ts'

const rightsArgs = z.object({
  secret: z.string().max(tokenMax),
  /** The datacenter where the rights are used: a policy may be limited to some datacenters. */
  datacenter: z.string().max(128),
})

export type RightsQuestion = z.infer<typeof rightsArgs>

/** `ageMs` is how long ago these rights may have changed. */
export interface ToldRights {
  readonly rights: TokenRights
  readonly ageMs: number
}

export const toldRights: z.ZodType<ToldRights> = z.object({ rights: tokenRights, ageMs: z.number().nonnegative() })

/**
 * Lets agents that keep no tokens ask any server for the rights of a token; that server asks on in the primary
 * datacenter for a token that it does not know. For a legacy token the answer contains its rules, so that servers of
 * all releases answer it alike.
 */
export function rightsEndpoint(
  tell: (question: RightsQuestion) => Promise<Result<ToldRights, Failure>>,
): ServerEndpoint<RightsQuestion, ToldRights> {
  return {
    method: 'ACL.GetPolicy',
    kind: 'server',
    args: rightsArgs,
    leader: false,
    access: open('whoever knows a secret may know what it is good for'),
    serve: (_server, question) => tell(question),
  }
}
