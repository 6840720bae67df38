import type { Token } from '../api/access-shapes.ts'
import { useCaller } from './context.ts'
import { type Live, rarelyMs, useLive } from './use-live.ts'
import { useOwnAgent } from './use-own-agent.ts'

/** The token whose rights the requests of this tab have. */
export interface OwnToken {
  readonly live: Live<Token>
  readonly whose: TokenOwner | undefined
}

/** `operator`: the operator gave the token. `agent`: the agent uses its default token. `none`: the anonymous token counts. */
export type TokenOwner = 'operator' | 'agent' | 'none'

const anonymous = '00000000-0000-0000-0000-000000000002'

/** Without a token, the agent answers with the one that it uses then. It is not asked where it has no access control. */
export function useOwnToken(): OwnToken {
  const { client } = useCaller()
  const { hasAccessControl } = useOwnAgent()
  const live = useLive<Token>(hasAccessControl === true ? '/v1/acl/token/self' : undefined, {}, rarelyMs)
  return { live, whose: ownerOf(client.caller.token, live.value?.AccessorID) }
}

/** Undefined: the agent has not said. */
export function ownerOf(given: string, accessor: string | undefined): TokenOwner | undefined {
  if (given !== '') return 'operator'
  if (accessor === undefined) return undefined
  return accessor === anonymous ? 'none' : 'agent'
}
