import { fromBase64, hex, utf8 } from '../../base/bytes.ts'
import type { Policy, PolicyStub, Token, TokenStub } from './acl-api.ts'

/**
 * Labels with their values, as the field's commands show tokens and policies.
 * Reference: command-line.md#token-block, command-line.md#policy-block.
 */

/** Width of the column of labels: the longest label and the space that follows it. */
const labelWidth = 14

type Row = readonly [label: string, value: string]

function rowsText(rows: readonly Row[], indent = ''): string {
  return rows.map(([label, value]) => `${indent}${`${label}:`.padEnd(labelWidth)}${value}\n`).join('')
}

export function tokenText(token: Token, meta: boolean): string {
  const rows: readonly Row[] = [
    ['AccessorID', token.AccessorID],
    ['SecretID', token.SecretID],
    ...factsOf(token),
    ...(meta ? metaOf(token) : []),
  ]
  const rules = token.Rules ?? ''
  return `${rowsText(rows)}${linksText(token)}${rules === '' ? '' : `Rules:\n${ended(rules)}`}`
}

export function tokenStubText(token: TokenStub, meta: boolean): string {
  const rows: readonly Row[] = [
    ['AccessorID', token.AccessorID],
    ...factsOf(token),
    ['Legacy', String(token.Legacy ?? false)],
    ...(meta ? metaOf(token) : []),
  ]
  return `${rowsText(rows)}${linksText(token)}`
}

function factsOf({ Description, Local, CreateTime }: TokenStub): readonly Row[] {
  return [
    ['Description', Description],
    ['Local', String(Local)],
    ['Create Time', momentText(CreateTime)],
  ]
}

function linksText({ Policies }: Pick<TokenStub, 'Policies'>): string {
  return `Policies:\n${Policies.map(({ ID, Name }) => `   ${ID} - ${Name}\n`).join('')}`
}

export function policyText(policy: Policy, meta: boolean): string {
  const rows: readonly Row[] = [
    ['ID', policy.ID],
    ['Name', policy.Name],
    ['Description', policy.Description],
    ['Datacenters', policy.Datacenters.join(', ')],
    ...(meta ? metaOf(policy) : []),
  ]
  return `${rowsText(rows)}Rules:\n${ended(policy.Rules)}`
}

export function policyStubText(policy: PolicyStub, meta: boolean): string {
  const rows: readonly Row[] = [
    ['ID', policy.ID],
    ['Description', policy.Description],
    ['Datacenters', policy.Datacenters.join(', ')],
    ...(meta ? metaOf(policy) : []),
  ]
  return `${policy.Name}:\n${rowsText(rows, '   ')}`
}

interface Meta {
  readonly Hash?: string | null | undefined
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

function metaOf({ Hash, CreateIndex, ModifyIndex }: Meta): readonly Row[] {
  return [
    ['Hash', hex(fromBase64(Hash ?? '') ?? utf8(''))],
    ['Create Index', String(CreateIndex)],
    ['Modify Index', String(ModifyIndex)],
  ]
}

/** `2026-11-21T03:25:52.029071608Z` as Go shows a time: `2026-11-21 03:25:52.029071608 +0000 UTC`. */
function momentText(moment: string): string {
  return moment.endsWith('Z') ? `${moment.slice(0, -1).replace('T', ' ')} +0000 UTC` : moment
}

function ended(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`
}
