import type { Authorizer } from '../../access/authorizer.ts'
import { decidedBy } from '../../access/decision-text.ts'
import { hideUuids } from '../../base/uuid.ts'
import type { Env } from '../../env/env.ts'
import type { Failure } from '../../model/failure.ts'
import { permissionDenied, type Refusal } from './access.ts'

/** The refusal of what was asked, of which the log tells why. `what`: what was called, for people. */
export function denied(
  env: Pick<Env, 'log' | 'metrics'>,
  authorizer: Authorizer,
  refusal: Refusal,
  what: string,
): Failure {
  tellDenied(env, authorizer, refusal, what)
  return refusal.instead ?? permissionDenied()
}

/** One line of the log, from which an operator sees whose token lacks what, and why. No secret is in it. */
export function tellDenied(
  { log, metrics }: Pick<Env, 'log' | 'metrics'>,
  authorizer: Authorizer,
  ask: Refusal,
  what: string,
): void {
  metrics.count('acl.denied')
  if (!log.enabled('info')) return
  const { resource, right } = ask
  // A key, a session or a node that was asked for: a secret where the caller has confused them.
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
