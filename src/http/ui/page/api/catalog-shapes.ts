/** What the API answers about services and nodes, as far as the page reads it. */

export type Status = 'passing' | 'warning' | 'critical'

export interface Check {
  readonly Node: string
  readonly CheckID: string
  readonly Name: string
  readonly Status: Status
  readonly Notes: string
  readonly Output: string
  readonly ServiceID: string
  readonly ServiceName: string
  readonly ModifyIndex?: number
}

export interface ServiceSummary {
  readonly Kind?: string
  readonly Name: string
  readonly Nodes: readonly string[] | null
  readonly ChecksPassing: number
  readonly ChecksWarning: number
  readonly ChecksCritical: number
}

export interface Upstream {
  readonly DestinationType?: string
  readonly DestinationName: string
  readonly Datacenter?: string
  readonly LocalBindPort?: number
  readonly LocalBindAddress?: string
}

export interface Instance {
  readonly Node: {
    readonly ID: string
    readonly Node: string
    readonly Address: string
    readonly Meta: Readonly<Record<string, string>> | null
  }
  readonly Service: {
    readonly Kind?: string
    readonly ID: string
    readonly Service: string
    readonly Tags: readonly string[] | null
    readonly Address: string
    readonly Port: number
    readonly Meta: Readonly<Record<string, string>> | null
    readonly Weights?: { readonly Passing: number; readonly Warning: number }
    readonly Proxy?: {
      readonly DestinationServiceName?: string
      readonly Upstreams?: readonly Upstream[] | null
    } | null
  }
  readonly Checks: readonly Check[] | null
}

export interface NodeOverview {
  readonly ID: string
  readonly Node: string
  readonly Address: string
  readonly Meta: Readonly<Record<string, string>> | null
  readonly Services: readonly Instance['Service'][] | null
  readonly Checks: readonly Check[] | null
}

export interface Coordinate {
  readonly Vec: readonly number[]
  readonly Error: number
  readonly Adjustment: number
  readonly Height: number
}

export interface NodeCoordinate {
  readonly Node: string
  readonly Segment: string
  readonly Coord: Coordinate
}

export interface Self {
  readonly Config: {
    readonly Datacenter: string
    readonly NodeName: string
    readonly Server: boolean
    readonly Version: string
  }
  readonly DebugConfig: Readonly<Record<string, unknown>>
  readonly Stats?: { readonly raft?: Readonly<Record<string, string>> }
}
