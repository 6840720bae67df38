import type { Env } from '../../src/env/env.ts'
import type { FaultKind } from './faults.ts'
import { rootOf } from './issuing.ts'
import type { OwnAuthority } from './own-authority.ts'
import type { SecretsManager } from './secrets-manager.ts'

/** Its troubles, and their effects seen from outside. */
export const troubles = {
  sealed: 'answers 503, as after a restart, until somebody unseals it',
  uninitialised: 'was never set up',
  silent: 'does what it is asked, and never answers',
  slow: 'answers seven seconds late',
  failing: 'answers 500',
  'without active node': 'is a standby that knows no active node',
  denying: 'answers 403',
  'denying look-ups': 'answers 403 when its token is looked up or renewed, as for a policy without these rights',
  'half spoken': 'breaks its answers off in the middle',
  'wrongly chained': 'names another issuer than the one that signed',
  moody:
    'answers about half of its calls well; others it refuses, redirects, or answers late, too long, in part, without data, or with another or unreadable certificate',
  down: 'accepts no connection',
  'rid of its token': 'knows the token no more until this ends, as if it had expired',
  'rid of intermediates': 'has lost the mounts of its intermediates, once',
  'rid of roles': 'has lost the roles of its intermediates, once',
  'waiting for a certificate':
    'has intermediates for which an operator has requested a certificate and not set it, once: they sign nothing',
  'given other roots': 'has other roots in the same mounts, until this ends',
} as const

export type Trouble = keyof typeof troubles

/** Troubles that are faults of every call. */
export const faultOf: Readonly<Partial<Record<Trouble, FaultKind | 'moody'>>> = {
  silent: 'silent',
  slow: 'slow',
  failing: 'broken',
  'without active node': 'no-active-node',
  denying: 'denied',
  'half spoken': 'half',
  'wrongly chained': 'wrong-chain',
  'denying look-ups': 'denied',
  moody: 'moody',
}

/** Prefixes of the calls that a trouble hits, if not all. */
export const callsOf: Readonly<Partial<Record<Trouble, readonly string[]>>> = {
  'denying look-ups': ['GET auth/token/', 'PUT auth/token/'],
}

/** What an operator has done to the secrets manager behind the back of its callers; returns how it is put back. */
export function done(env: Env, manager: SecretsManager, names: readonly string[], trouble: Trouble): () => void {
  const intermediates = names.map((name) => `${name}-intermediate`)
  const nothing = (): void => {}
  switch (trouble) {
    case 'rid of intermediates':
      for (const path of intermediates) manager.unmount(path)
      return nothing
    case 'rid of roles':
      for (const path of intermediates) manager.mountAt(path)?.deleteRoles()
      return nothing
    case 'waiting for a certificate':
      for (const path of intermediates) env.detach(requested(manager, path))
      return nothing
    case 'given other roots':
      return otherRoots(
        env,
        manager,
        names.map((name) => `${name}-root`),
      )
    default:
      return nothing
  }
}

async function requested(manager: SecretsManager, path: string): Promise<void> {
  const own = manager.mountAt(path)?.own
  if (own?.hasKey === true) await own.generateRequest({ key_type: 'ec', key_bits: 256 })
}

const rootSeconds = 86_400

function otherRoots(env: Env, manager: SecretsManager, paths: readonly string[]): () => void {
  const owns = paths.flatMap((path) => manager.mountAt(path)?.own ?? []).filter(({ hasKey }) => hasKey)
  const back = owns.map((own) => own.remember())
  let isOver = false
  const replaced = async (own: OwnAuthority): Promise<void> => {
    const key = await env.crypto.generateKey('ec-256', 'mount')
    if (!isOver) own.isRoot(key, rootOf(env, key, 'Another root', [], rootSeconds))
  }
  for (const own of owns) env.detach(replaced(own))
  return () => {
    isOver = true
    for (const each of back) each()
  }
}
