import { isServerRole } from '../model/naming/names.ts'
import type { ListedMember, PeerList } from './api/answers.ts'

/** The names by their numbers in the API. Reference: agent.md#member-status. */
const statusNames = ['none', 'alive', 'leaving', 'left', 'failed'] as const

export type MemberStatus = (typeof statusNames)[number]

export function statusOf({ Status }: Pick<ListedMember, 'Status'>): MemberStatus {
  return statusNames[Status] ?? 'none'
}

export function isServer({ Tags }: Pick<ListedMember, 'Tags'>): boolean {
  return isServerRole(Tags?.['role'])
}

/** A server of the consensus group is named by its node ID or by its address. */
export function isPeer({ ID, Address }: PeerList[number], { Addr, Tags }: ListedMember): boolean {
  return ID === Tags?.['id'] || Address === `${Addr}:${Tags?.['port'] ?? ''}`
}
