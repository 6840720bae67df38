import { ApiClient, misused, surplusOperands } from '../api/client.ts'
import type { Invocation } from '../command.ts'
import type { AclApi } from './acl-api.ts'

/** Runs a command that takes no operands and asks for tokens and policies. */
export async function withAcl(invocation: Invocation, act: (api: AclApi) => Promise<number>): Promise<number> {
  const surplus = surplusOperands(invocation, 0)
  if (surplus !== undefined) return misused(invocation, surplus)
  const { AclApi } = await import('./acl-api.ts')
  return act(new AclApi(new ApiClient(invocation)))
}
