import { z } from 'zod'
import type { Result } from '../../base/result.ts'
import { open } from '../../features/contract/access.ts'
import type { ServerEndpoint } from '../../features/contract/server-context.ts'
import type { Failure } from '../../model/failure.ts'
import { tokenMax } from '../serving/request.ts'
import { type TokenRights, tokenRights } from './rights.ts'

const rightsArgs = z.object({
  secret: z.string().max(tokenMax),
  /** Where the rights are to be used: not every policy holds everywhere. */
  datacenter: z.string().max(128),
})

export type RightsQuestion = z.infer<typeof rightsArgs>

/** `ageMs`: for how long they may have been others by now. */
export interface ToldRights {
  readonly rights: TokenRights
  readonly ageMs: number
}

export const toldRights: z.ZodType<ToldRights> = z.object({ rights: tokenRights, ageMs: z.number().nonnegative() })

/**
 * How agents that keep no tokens learn what one may do: of any server, which asks on in the primary datacenter where it does
 * not know. Of a legacy token it tells its rules, so that servers of all releases answer it alike.
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
