import type { AgentConfig } from '../../../src/agent/settings/agent-config.ts'
import { AccessVersions } from './access-versions.ts'

/** One datacenter of several that have one access control. */
export interface AccessPlace {
  readonly versions: AccessVersions
  /** Name of the datacenter that holds the tokens of all; this datacenter's own name if it is the primary. */
  primary: string
  /** Whether it copies tokens as well as policies. */
  copiesTokens: boolean
  /** Whether its servers refuse every token while they have no leader. */
  deniesWhenDown: boolean
  /** The secret with which it reads from the primary. */
  replicationSecret: string
  /** Its state has left the legacy mode. */
  isNew: boolean
  /** True time since which one server leads; undefined: no server leads. */
  ledSinceUs: number | undefined
}

/** The access control of a run's datacenters by name, and since when the links between them are undisturbed. */
export class AccessFederation {
  readonly #places = new Map<string, AccessPlace>()
  /** True time of the last disturbance. */
  #troubledUs = 0
  #changes = 0

  /** Rises with each change of tokens or policies anywhere. */
  get changes(): number {
    return this.#changes
  }

  get calmSinceUs(): number {
    return this.#troubledUs
  }

  /** Undefined: none of its agents has started with access control. */
  placeOf(datacenter: string): AccessPlace | undefined {
    return this.#places.get(datacenter)
  }

  /** The datacenter that this one follows; undefined: it follows none. */
  primaryOf(datacenter: string): AccessPlace | undefined {
    const primary = this.placeOf(datacenter)?.primary
    return primary === undefined || primary === datacenter ? undefined : this.placeOf(primary)
  }

  /** An agent starts with these settings. Returns undefined if access control is off. */
  joined({ access, datacenter }: Pick<AgentConfig, 'access' | 'datacenter'>): AccessPlace | undefined {
    if (!access.enabled) return undefined
    const now = {
      primary: access.primaryDatacenter === '' ? datacenter : access.primaryDatacenter,
      copiesTokens: access.tokenReplication,
      deniesWhenDown: access.downPolicy === 'deny',
      replicationSecret: access.tokens.replication,
    }
    const known = this.#places.get(datacenter)
    if (known !== undefined) return Object.assign(known, now)
    const place = { ...now, versions: new AccessVersions(), isNew: false, ledSinceUs: undefined }
    this.#places.set(datacenter, place)
    return place
  }

  changed(): void {
    this.#changes++
  }

  troubled(nowUs: number): void {
    this.#troubledUs = nowUs
  }
}
