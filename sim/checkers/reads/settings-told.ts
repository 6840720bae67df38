import type { AgentConfig, DnsConfig } from '../../../src/agent/settings/agent-config.ts'
import type { Release } from '../../../src/model/release.ts'
import { checker } from '../checker.ts'

type Told = Pick<
  AgentConfig,
  'nodeName' | 'nodeMeta' | 'release' | 'dns' | 'discoveryMaxStaleMs' | 'leaveOnTerminate' | 'skipLeaveOnInterrupt'
>

/** Agent settings that determine answers, as the agents' processes read them. */
export class SettingsTold {
  readonly #of = new Map<string, Told>()

  told(node: string, config: Told): void {
    this.#of.set(node, config)
  }

  nodeMetaOf(node: string): readonly (readonly [key: string, value: string])[] {
    return Object.entries(this.#of.get(node)?.nodeMeta ?? {})
  }

  leavingOf(node: string): Pick<Told, 'leaveOnTerminate' | 'skipLeaveOnInterrupt'> | undefined {
    return this.#of.get(node)
  }

  /** Its `discovery_max_stale` lets its answers about services be stale even where the caller does not ask for it. */
  staleByDefault(node: string): boolean {
    return (this.#of.get(node)?.discoveryMaxStaleMs ?? 0) > 0
  }

  releaseOf(node: string): Release | undefined {
    return this.#of.get(node)?.release
  }

  dnsOf(node: string): DnsConfig | undefined {
    return this.#of.get(node)?.dns
  }
}

export const settingsTold = checker({
  codes: {},
  make: () => new SettingsTold(),
  takes: { 'settings read': (it, { node, config }) => it.told(node ?? config.nodeName, config) },
})
