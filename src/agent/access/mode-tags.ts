import { hasBehaviour, type Release } from '../../model/release.ts'
import type { AgentConfig } from '../settings/agent-config.ts'

/**
 * `legacy`: tokens carry their rules. `enabled`: tokens name policies; there is no way back.
 * Reference: access-control.md#mode-start, access-control.md#mode-in-stats.
 */
export type AccessMode = 'disabled' | 'legacy' | 'enabled'

/** Values of the tag `acls` of servers. Releases that know only legacy access control set no tag. */
const tags: Readonly<Record<AccessMode, string>> = { disabled: '0', enabled: '1', legacy: '2' }

/** Whether agents of this release support tokens that name policies. */
export function knowsPolicies(release: Release): boolean {
  return hasBehaviour(release, 'tokens-and-policies')
}

export function modeTags(mode: AccessMode, release: Release): Readonly<Record<string, string>> {
  return knowsPolicies(release) ? { acls: tags[mode] } : {}
}

/** The mode of a server at its start, before its state says more. */
export function firstMode({ access, server }: Pick<AgentConfig, 'access' | 'server'>): AccessMode {
  return access.enabled && server ? 'legacy' : 'disabled'
}

/** Whether a server with this tag supports policies; undefined: it has no such tag. */
export function supportsPolicies(acls: string | undefined): boolean {
  return acls === tags.enabled || acls === tags.legacy
}

export function hasGoneOver(acls: string | undefined): boolean {
  return acls === tags.enabled
}

export function saysDisabled(acls: string | undefined): boolean {
  return acls === tags.disabled
}
