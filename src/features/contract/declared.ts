import type { OperationFacts, QueryParameter } from './operation.ts'
import type { Handle, Operation } from './route.ts'

/** An operation whose handler may read the parameters that it declares, and no others: one that does is not compiled. */
export function declared<const Parameters extends readonly QueryParameter[] = readonly []>(
  operation: OperationFacts & {
    readonly query?: Parameters
    readonly handle: Handle<Parameters[number]['name']>
  },
): Operation {
  return { ...operation, query: operation.query ?? [] }
}

/** The names of parameters that are declared together. */
export type NamesOf<Parameters extends readonly QueryParameter[]> = Parameters[number]['name']
