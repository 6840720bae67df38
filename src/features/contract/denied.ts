import type { Authorizer } from '../../access/authorizer.ts'
import { decidedBy } from '../../access/decision-text.ts'
import { hideUuids } from '../../base/uuid.ts'
import type { Env } from '../../env/env.ts'
import type { Failure } from '../../model/failure.ts'
import { permissionDenied, type Refusal } from './access.ts'

/** Refuses a call, and logs why. `what` names the called operation, for people. */
export function denied(
  env: Pick<Env, 'log' | 'metrics'>,
  authorizer: Authorizer,
  refusal: Refusal,
  what: string,
): Failure {
  tellDenied(env, authorizer, refusal, what)
  return refusal.instead ?? permissionDenied()
}

/** One log line from which an operator sees which token lacks which right, and why. It contains no secret. */
export function tellDenied(
  { log, metrics }: Pick<Env, 'log' | 'metrics'>,
  authorizer: Authorizer,
  ask: Refusal,
  what: string,
): void {
  metrics.count('acl.denied')
  if (!log.enabled('info')) return
  const { resource, right } = ask
  // The requested key, session or node, which is a secret if the caller has mixed them up.
  const name = hideUuids(ask.name)
  const by = decidedBy(authorizer.explain(resource, ask.name, right))
  log.write(
    'info',
    'acl',
    'permission denied',
    { accessor: authorizer.accessor, resource, name, right, by, what },
    { by: `${authorizer.accessor} ${resource} ${right}` },
  )
}
