import type { AgentConfig, DnsConfig } from '../../../src/agent/settings/agent-config.ts'
import { checker } from '../checker.ts'

type Told = Pick<AgentConfig, 'nodeName' | 'nodeMeta' | 'dns' | 'leaveOnTerminate' | 'skipLeaveOnInterrupt'>

/** Agent settings that determine answers, as the agents' processes read them. */
export class SettingsTold {
  readonly #of = new Map<string, Told>()

  told(config: Told): void {
    this.#of.set(config.nodeName, config)
  }

  nodeMetaOf(node: string): readonly (readonly [key: string, value: string])[] {
    return Object.entries(this.#of.get(node)?.nodeMeta ?? {})
  }

  leavingOf(node: string): Pick<Told, 'leaveOnTerminate' | 'skipLeaveOnInterrupt'> | undefined {
    return this.#of.get(node)
  }

  dnsOf(node: string): DnsConfig | undefined {
    return this.#of.get(node)?.dns
  }
}

export const settingsTold = checker({
  codes: {},
  make: () => new SettingsTold(),
  takes: { 'settings read': (it, { config }) => it.told(config) },
})
