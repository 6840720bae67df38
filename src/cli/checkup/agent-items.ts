import { parseDuration } from '../../base/duration.ts'
import { isInTrouble, msOfUtcText, whatToSeeTo } from '../authority-forecast.ts'
import type { AskedAgent } from './agent-facts.ts'
import type { Facts } from './facts.ts'
import { green, type Item, light } from './item.ts'

/** What only an agent itself reports: of servers that were not asked it is unknown. */

/** Servers that were not asked. */
function silent({ cluster, asked }: Facts): readonly string[] {
  return cluster.servers.map(({ name }) => name).filter((name) => asked.every((agent) => agent.name !== name))
}

/** What to do about servers that were not asked. */
export function askThem({ unasked }: Facts): string {
  if (unasked.length === 0) return 'name the HTTP address of each other server with -server'
  return 'start those that do not run, or give -server another address, or a token that may read them'
}

/** The item of a fact that every server must report: green only if every server was asked. */
function unlessSilent(facts: Facts, item: Item, lacking: readonly string[] = []): Item {
  const names = [...new Set([...silent(facts), ...lacking])]
  if (names.length === 0) return item
  return light(item.item, 'unknown', `${item.says}; unknown for ${names.join(', ')}`, askThem(facts))
}

function servers({ asked }: Facts): readonly AskedAgent[] {
  return asked.filter(({ isServer }) => isServer)
}

/** The mesh accepts this difference of clocks unless connect.clock_skew says otherwise. */
const skewMs = 60_000

interface Clock {
  readonly name: string
  readonly aheadMs: number
  readonly errorMs: number
}

/** Certificates and the times of log lines are compared with the clocks of other servers. */
export function clocks(facts: Facts): Item {
  const read = servers(facts).flatMap(({ name, clock }) => (clock.ok ? [{ name, ...clock.value }] : []))
  const unread = servers(facts).flatMap(({ name, clock }) => (clock.ok ? [] : [{ name, why: clock.error }]))
  const [slowest, ...others] = [...read].sort((a, b) => a.aheadMs - b.aheadMs)
  const fastest = others.at(-1)
  if (slowest === undefined) {
    const what = `no server reports its clock: ${unread[0]?.why ?? 'none was asked'}`
    return light('clocks', 'unknown', what, 'ask a server, with a token that has operator:read')
  }
  const lacking = unread.map(({ name }) => name)
  if (fastest === undefined)
    return unlessSilent(facts, green('clocks', `only ${slowest.name} was asked for its clock`), lacking)
  const apart = apartItem(facts, slowest, fastest)
  if (apart !== undefined) return apart
  const within = secondsText(fastest.aheadMs - slowest.aheadMs)
  return unlessSilent(facts, green('clocks', `the clocks of ${read.length} servers agree within ${within}`), lacking)
}

/** The item of two clocks that are surely too far apart, whatever the questions took. */
function apartItem(facts: Facts, slowest: Clock, fastest: Clock): Item | undefined {
  const apartMs = fastest.aheadMs - slowest.aheadMs
  const surelyMs = apartMs - fastest.errorMs - slowest.errorMs
  const allowed = servers(facts).flatMap(({ settings }) => durationOf(settings['ConnectClockSkew']) ?? [])
  const limitMs = allowed.length === 0 ? skewMs : Math.min(...allowed)
  const limit = secondsText(limitMs)
  const what = `the clock of ${fastest.name} is ${secondsText(apartMs)} ahead of that of ${slowest.name}`
  const remedy = 'let a time service such as chrony set the clocks'
  if (surelyMs > limitMs)
    return light('clocks', 'red', `${what}, and the mesh refuses certificates beyond ${limit}`, remedy)
  if (surelyMs > limitMs / 4) return light('clocks', 'yellow', `${what}, of ${limit} that the mesh allows`, remedy)
  return undefined
}

function durationOf(value: unknown): number | undefined {
  const duration = typeof value === 'string' ? parseDuration(value) : undefined
  return duration?.ok === true ? duration.value : undefined
}

function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 9_950 ? 1 : 0)} s`
}

const syncSamples = ['.raft.leader.dispatchLog', '.raft.rpc.appendEntries.storeLogs'] as const
/** A mean from here on delays every write. */
const syncSlowMs = 50
/** A mean from here on delays heartbeats too. */
const syncStuckMs = 500

interface Syncs {
  readonly name: string
  readonly meanMs: number
  readonly maxMs: number
}

/** How long appends to the log took, which end with a sync of the disk; undefined: there was none. */
function syncsOf({ name, metrics }: AskedAgent): Syncs | undefined {
  const samples = metrics.ok ? metrics.value.Samples : []
  const syncs = samples.filter(({ Name }) => syncSamples.some((suffix) => Name.endsWith(suffix)))
  if (syncs.length === 0) return undefined
  return { name, meanMs: Math.max(...syncs.map(({ Mean }) => Mean)), maxMs: Math.max(...syncs.map(({ Max }) => Max)) }
}

export function diskSync(facts: Facts): Item {
  const read = servers(facts).flatMap((agent) => syncsOf(agent) ?? [])
  if (read.length === 0) {
    const what = 'no server that was asked has written to its log within the last interval of metrics'
    return light('disk-sync', 'unknown', what, 'repeat the check, or name servers with -server')
  }
  const texts = read.map(({ name, meanMs, maxMs }) => `${name} ${meanMs.toFixed(1)} ms, at most ${maxMs.toFixed(0)} ms`)
  const told = texts.join('; ')
  const slowestMs = Math.max(...read.map(({ meanMs }) => meanMs))
  const remedy = 'give the servers a disk of their own whose sync is fast'
  if (slowestMs > syncStuckMs)
    return light('disk-sync', 'red', `writes wait for disks that hardly answer: ${told}`, remedy)
  if (slowestMs > syncSlowMs) return light('disk-sync', 'yellow', `every write waits for slow disks: ${told}`, remedy)
  const lacking = servers(facts).flatMap((agent) => (syncsOf(agent) === undefined ? [agent.name] : []))
  return unlessSilent(facts, green('disk-sync', `the log is on disk after ${told}`), lacking)
}

const dayMs = 86_400_000
const certificateSoonMs = 30 * dayMs
const certificateAtOnceMs = 3 * dayMs

/** Certificates of agents, from their files. */
export function certificates(facts: Facts, nowMs: number): Item {
  const held = facts.asked.flatMap(({ name, stats }) => {
    const expires = stats['tls']?.['certificate_expires']
    return expires === undefined ? [] : [{ name, expires, leftMs: msOfUtcText(expires) - nowMs }]
  })
  const unread = held.flatMap(({ name, leftMs }) => (Number.isNaN(leftMs) ? [name] : []))
  const [first, ...others] = held.filter(({ leftMs }) => !Number.isNaN(leftMs)).sort((a, b) => a.leftMs - b.leftMs)
  if (first !== undefined && first.leftMs < certificateSoonMs) {
    const soon = [first, ...others.filter(({ leftMs }) => leftMs < certificateSoonMs)]
    const texts = soon.map(
      ({ name, expires, leftMs }) => `that of ${name} ${leftMs <= 0 ? 'expired' : 'expires'} at ${expires}`,
    )
    const color = first.leftMs < certificateAtOnceMs ? 'red' : 'yellow'
    const what = `agents with an expired certificate are cut off: ${texts.join(', ')}`
    return light('certificates', color, what, 'replace cert_file and key_file, and reload the agents')
  }
  if (unread.length > 0) {
    const what = `the certificate of ${unread.join(', ')} cannot be read`
    return light('certificates', 'unknown', what, 'look at cert_file: openssl x509 -enddate')
  }
  if (first === undefined)
    return unlessSilent(facts, green('certificates', 'no agent that was asked has a certificate of its own'))
  const says = `the first certificate expires at ${first.expires}, that of ${first.name}`
  return unlessSilent(facts, green('certificates', says))
}

export function meshCertificates({ forecast, asked }: Facts): Item {
  if (!forecast.ok) {
    if (asked.some(({ settings }) => settings['ConnectEnabled'] === false)) return green('mesh', 'the mesh is off')
    return light(
      'mesh',
      'unknown',
      `the certificate authority cannot be read: ${forecast.error}`,
      'ask with a token that has operator:read',
    )
  }
  const seen = whatToSeeTo(forecast.value)
  const remedy = 'see svc connect ca forecast'
  if (isInTrouble(forecast.value))
    return light('mesh', 'red', `the authority does not work, and leaves are not renewed: ${seen.join('; ')}`, remedy)
  if (seen.length > 0) return light('mesh', 'yellow', seen.join('; '), remedy)
  const active = forecast.value.Roots.find(({ Active }) => Active)
  return green(
    'mesh',
    `leaves are issued until ${forecast.value.LeafExpires}, and the active root holds until ${active?.Expires ?? '?'}`,
  )
}
