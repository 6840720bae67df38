import type { OperationFacts, QueryParameter } from './operation.ts'
import type { Handle, Operation } from './route.ts'

/** An operation whose handler can read only the parameters that it declares: reading others does not compile. */
export function declared<const Parameters extends readonly QueryParameter[] = readonly []>(
  operation: OperationFacts & {
    readonly query?: Parameters
    readonly handle: Handle<Parameters[number]['name']>
  },
): Operation {
  return { ...operation, query: operation.query ?? [] }
}

/** The names of declared parameters. */
export type NamesOf<Parameters extends readonly QueryParameter[]> = Parameters[number]['name']
