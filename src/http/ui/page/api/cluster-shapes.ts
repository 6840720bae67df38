/** What the API answers about agents, servers and the certificate authority, as far as the page reads it. */

export interface Member {
  readonly Name: string
  readonly Addr: string
  readonly Port: number
  readonly Tags: Readonly<Record<string, string>>
  /** As in serf: 1 alive, 2 leaving, 3 left, 4 failed. */
  readonly Status: number
}

const statuses = ['none', 'alive', 'leaving', 'left', 'failed'] as const

export function memberStatus({ Status }: Pick<Member, 'Status'>): string {
  return statuses[Status] ?? `unknown (${Status})`
}

export interface RaftServer {
  readonly ID: string
  readonly Node: string
  readonly Address: string
  readonly Leader: boolean
  readonly ProtocolVersion: string
  readonly Voter: boolean
}

export interface ServerHealth {
  readonly ID: string
  readonly Name: string
  readonly Address: string
  readonly SerfStatus: string
  readonly Version: string
  readonly Leader: boolean
  readonly LastContact: string
  readonly LastTerm: number
  readonly LastIndex: number
  readonly Healthy: boolean
  readonly Voter: boolean
  readonly StableSince: string
}

export interface AutopilotHealth {
  readonly Healthy: boolean
  readonly FailureTolerance: number
  readonly Servers: readonly ServerHealth[] | null
}

export interface AutopilotSettings {
  readonly CleanupDeadServers: boolean
  readonly LastContactThreshold: string
  readonly MaxTrailingLogs: number
  readonly ServerStabilizationTime: string
  readonly ModifyIndex: number
}

export interface CaRoot {
  readonly ID: string
  readonly Name: string
  readonly NotBefore: string
  readonly NotAfter: string
  readonly RootCert: string
  readonly Active: boolean
}

export interface CaConfiguration {
  readonly Provider: string
  readonly Config: Readonly<Record<string, unknown>>
  readonly ModifyIndex: number
}

export interface CaForecast {
  readonly Now: string
  readonly State: 'not-begun' | 'ready' | 'rotating' | 'degraded'
  readonly Problem: string
  readonly Provider: string
  readonly TrustDomain: string
  readonly LeafCertTTL: string
  readonly LeafExpires: string
  readonly Roots: readonly {
    readonly ID: string
    readonly Name: string
    readonly Active: boolean
    readonly Expires: string
    readonly Goes: string
    readonly Leaves: readonly { readonly Datacenter: string; readonly Expires: string }[]
  }[]
  readonly Rotation: {
    readonly ID?: string
    readonly Step: string
    readonly Provider: string
    readonly Started: string
    readonly Begins: string
  } | null
  readonly RotationNow: {
    readonly Possible: boolean
    readonly Why: string
    readonly Begins: string
    readonly OldRootGoes: string
    readonly LeavesHoldUntil: string
  }
}
