import { z } from 'zod'
import { err, ok } from '../../base/result.ts'
import { AclApi } from '../acl/acl-api.ts'
import { keyringSchema } from '../api/answers.ts'
import { ApiClient, keyOf, keyPath, unexpectedText, wholeStateMs } from '../api/client.ts'
import type { Invocation } from '../command.ts'
import { textFlag } from '../flags/values.ts'
import { counted, type Found, type GuardReads } from './reads.ts'

const tokensSchema = z
  .array(
    z.object({
      AccessorID: z.string(),
      Description: z.string(),
      Policies: z.array(z.object({ ID: z.string() })).nullable(),
    }),
  )
  .nullable()
const membersSchema = z.array(z.object({ Name: z.string(), Status: z.number() })).nullable()

/** Names that a sentence lists before it only counts the others. */
const namedMax = 5

export async function deletedKeys(reads: GuardReads, { args, flags }: Invocation): Promise<Found> {
  if (flags.get('recurse') !== true || args.length > 1) return ok([])
  const prefix = keyOf(args[0] ?? '')
  const answer = await reads.ask(keyPath(prefix), [['keys', '']])
  if (!answer.ok) return answer
  if (answer.value.status === 404) return ok([])
  if (answer.value.status !== 200) return err(unexpectedText(answer.value))
  const { readKeys } = await import('../api/answers.ts')
  const keys = readKeys(answer.value.body)
  if (keys === undefined) return err('the answer is not a list of keys')
  if (keys.length === 0) return ok([])
  if (prefix === '') return ok([`the command deletes every key of the datacenter: ${keys.length}.`])
  return ok([`the command deletes ${counted(keys.length, 'key')} with the prefix ${JSON.stringify(prefix)}.`])
}

/** Compares the archive with the state of the servers, which is read whole. */
export async function restoredState(reads: GuardReads, { args, flags, env }: Invocation): Promise<Found> {
  const [path, ...more] = args
  if (path === undefined || more.length > 0 || flags.get('dry-run') === true) return ok([])
  const { compareArchives, readArchive, readArchiveFile } = await import('../files/archives.ts')
  const archive = await readArchiveFile(env.disk, path)
  if (!archive.ok) return ok([])
  const read = await readArchive(env, archive.value)
  if (!read.ok) return ok([])
  const now = await reads.ask('/v1/snapshot', [], { timeoutMs: wholeStateMs })
  if (!now.ok) return now
  if (now.value.status !== 200) return err(unexpectedText(now.value))
  const compared = await compareArchives(env, now.value.body, archive.value)
  if (!compared.ok) return compared
  const lost = compared.value.filter(({ removed, changed }) => removed + changed > 0)
  if (lost.length === 0) return ok([])
  const removed = lost.reduce((sum, type) => sum + type.removed, 0)
  const changed = lost.reduce((sum, type) => sum + type.changed, 0)
  const types = lost.map((type) => `${type.type} ${type.removed} and ${type.changed}`).join(', ')
  const index = read.value.meta.index
  return ok([
    `the command sets the state back to index ${index}: it removes ${counted(removed, 'record')} and gives ${changed} an earlier value (${types}).`,
  ])
}

/** Tokens that are linked to a policy: each of them loses the rights of its rules. */
export async function unlinkedTokens(reads: GuardReads, invocation: Invocation): Promise<Found> {
  const [given, name] = [textFlag(invocation, 'id'), textFlag(invocation, 'name')]
  if (given === '' && name === '') return ok([])
  const tokens = await reads.json('/v1/acl/tokens', tokensSchema)
  if (!tokens.ok) return tokens
  const api = new AclApi(new ApiClient(invocation))
  const id = given === '' ? await api.policyIdByName(name) : await api.policyIdOf(given)
  if (!id.ok) return ok([])
  const linked = (tokens.value ?? []).filter(({ Policies }) => Policies?.some(({ ID }) => ID === id.value))
  if (linked.length === 0) return ok([])
  const names = linked.slice(0, namedMax).map(({ AccessorID, Description }) => {
    return Description === '' ? AccessorID : `${AccessorID} (${Description})`
  })
  const others = linked.length > namedMax ? ` and ${linked.length - namedMax} more` : ''
  return ok([
    `policy ${name || id.value} is linked to ${counted(linked.length, 'token')}, and its rights end for them: ${names.join(', ')}${others}.`,
  ])
}

/** Members that would have no key left, as far as the counts of the keyring and of the pool tell. */
export async function keylessMembers(reads: GuardReads, invocation: Invocation): Promise<Found> {
  const key = textFlag(invocation, 'remove')
  const others = ['list', 'install', 'use'].some((flag) => invocation.flags.has(flag))
  if (key === '' || others || invocation.args.length > 0) return ok([])
  const rings = await reads.json('/v1/operator/keyring', z.array(keyringSchema))
  if (!rings.ok) return rings
  const members = await reads.json('/v1/agent/members', membersSchema)
  if (!members.ok) return members
  const losses = rings.value.flatMap(({ WAN, Datacenter, Keys, NumNodes }) => {
    if (Keys[key] === undefined) return []
    const most = Math.max(0, ...Object.entries(Keys).flatMap(([other, holders]) => (other === key ? [] : holders)))
    if (most >= NumNodes) return []
    const pool = WAN ? 'the WAN pool' : `the LAN pool of ${Datacenter}`
    return [
      `in ${pool} ${Keys[key]} of ${NumNodes} members have this key, and at most ${most} have the same other one: the rest would be cut off.`,
    ]
  })
  const away = (members.value ?? []).filter(({ Status }) => Status === 4).map(({ Name }) => Name)
  if (away.length > 0 && rings.value.some(({ Keys }) => Keys[key] !== undefined)) {
    const names = away.slice(0, namedMax).join(', ')
    losses.push(
      `${counted(away.length, 'failed member')} may know only this key, and could not join again without it: ${names}.`,
    )
  }
  return ok(losses)
}
