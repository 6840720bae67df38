/**
 * Range of ports for proxies that set none, both ends included; 0 or less: they must set one. Reference:
 * configuration.md#port-sidecar, configuration.md#port-proxy.
 */
export interface SidecarPorts {
  readonly min: number
  readonly max: number
}

export const defaultSidecarPorts: SidecarPorts = { min: 21_000, max: 21_255 }

/**
 * Settings of proxies that an agent runs as processes. Reference: configuration.md#connect-proxy,
 * configuration.md#connect-proxy-defaults.
 */
export interface ManagedSettings {
  readonly ports: SidecarPorts
  /** Proxies may be registered over HTTP. */
  readonly viaApi: boolean
  /** Proxies run even if the agent runs as root, which they then do as well. */
  readonly asRoot: boolean
  /**
   * Defaults for proxies that do not set these themselves. Empty: no default; without a command, this program is run.
   */
  readonly execMode: string
  readonly daemonCommand: readonly string[]
  /** JSON; empty: no settings. */
  readonly config: string
}

export const defaultManagedSettings: ManagedSettings = {
  ports: { min: 20_000, max: 20_255 },
  viaApi: false,
  asRoot: false,
  execMode: '',
  daemonCommand: [],
  config: '',
}
