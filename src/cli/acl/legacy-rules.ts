import { textOf } from '../../base/bytes.ts'
import { err, ok, type Result } from '../../base/result.ts'
import { inputBytesMax } from '../../env/terminal.ts'
import { ApiClient } from '../api/client.ts'
import type { Invocation } from '../command.ts'
import { dataOperand } from '../flags/given-data.ts'
import { AclApi } from './acl-api.ts'

/** The accessor ID of a token that is named by it or by its secret; for a secret the token looks itself up. */
export async function accessorOfToken(
  invocation: Invocation,
  name: string,
  bySecret: boolean,
): Promise<Result<string, string>> {
  if (!bySecret) return new AclApi(new ApiClient(invocation)).accessorOf(name)
  const flags = new Map([...invocation.flags, ['token', name] as const])
  const own = await new AclApi(new ApiClient({ ...invocation, flags })).ownToken()
  return own.ok ? ok(own.value.AccessorID) : own
}

/** The rules of a new policy: the text of -rules, or the rules of a legacy token; undefined: none were given. */
export async function rulesOf(invocation: Invocation): Promise<Result<string | undefined, string>> {
  const { flags } = invocation
  const [rules, token] = [flags.get('rules'), flags.get('from-token')]
  if (typeof token === 'string' && token !== '') {
    if (typeof rules === 'string' && rules !== '') return err('Cannot specify both -rules and -from-token')
    const accessor = await accessorOfToken(invocation, token, flags.get('token-secret') === true)
    if (!accessor.ok) return accessor
    const translated = await new AclApi(new ApiClient(invocation)).translate({ accessor: accessor.value })
    return translated.ok ? ok(textOf(translated.value)) : translated
  }
  if (typeof rules !== 'string') return ok(undefined)
  const data = await dataOperand(invocation, rules, inputBytesMax)
  return data.ok ? ok(textOf(data.value)) : data
}
