import type { Calls } from '../asking/calls.ts'
import type { Closing } from '../closing.ts'
import type { Ground } from '../ground.ts'
import { askedTokens, authorizersOf } from './access-control.ts'
import { ClientMode } from './mode.ts'
import { knowsPolicies } from './mode-tags.ts'
import type { RunningAccess } from './running-access.ts'

/**
 * Access control of a client agent: it asks any server for rights that it has not cached. Undefined: access control is
 * off.
 */
export function openClientAccess(
  ground: Ground,
  calls: Calls,
  onHope: (use: () => void) => void,
  closing: Closing,
): RunningAccess | undefined {
  const { config, pool } = ground
  if (!config.access.enabled) return undefined
  const authorizers = authorizersOf(ground, closing)
  const tokens = askedTokens(ground, authorizers, () => calls, '')
  const mode = knowsPolicies(config.release) ? new ClientMode(pool, config.datacenter) : undefined
  onHope(() => tokens.hope())
  closing.push(() => {
    tokens.stop()
    mode?.stop()
  })
  return { resolver: tokens, authorizers, mode: () => mode?.mode ?? 'legacy', refusesNew: () => undefined }
}
